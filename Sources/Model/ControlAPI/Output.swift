extension SupervisorInterface {
    /// What a worker printed: the last lines that are kept, and with `more` all that it prints from there on.
    public enum Logs: Method {
        /// The name, in full `io.torpor.Supervisor.Logs`.
        public static let member = "Logs"

        /// How many lines are told when the caller does not say.
        public static let usual = 10

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// How many lines of what is kept at most.
            public var lines: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(name: String, lines: Int64? = nil) {
                self.name = name
                self.lines = lines
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The lines, oldest first.
            public var lines: [String]
            /// Where what it prints goes instead: a path, or `journal:` and the identifier of its lines there.
            public var outputTo: String?
            /// Whether ``Send`` can write to it.
            public var hasInput: Bool?
            /// How its process ended; in a reply of its own when that has happened.
            public var ended: String?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                lines: [String], outputTo: String? = nil, hasInput: Bool? = nil, ended: String? = nil
            ) {
                self.lines = lines
                self.outputTo = outputTo
                self.hasInput = hasInput
                self.ended = ended
            }
        }
    }

    /// Writes a line to a worker's standard input, where the supervisor holds that.
    public enum Send: Method {
        /// The name, in full `io.torpor.Supervisor.Send`.
        public static let member = "Send"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// The line, without its end.
            public var text: String

            /// Everything at once.
            public init(name: String, text: String) {
                self.name = name
                self.text = text
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }
    }
}
