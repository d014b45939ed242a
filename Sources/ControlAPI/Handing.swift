extension SupervisorInterface {
    /// Opens a URL with the worker that says so in `URLSchemes=`, and answers when the worker has taken it.
    public enum Open: Method {
        /// The name, in full `io.torpor.Supervisor.Open`.
        public static let member = "Open"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The URL.
            public var url: String

            /// Everything at once.
            public init(url: String) {
                self.url = url
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The worker that took it.
            public var worker: String

            /// Everything at once.
            public init(worker: String) {
                self.worker = worker
            }
        }
    }

    /// Holds a worker awake: a background task that lasts until the connection is closed.
    public enum Hold: Method {
        /// The name, in full `io.torpor.Supervisor.Hold`.
        public static let member = "Hold"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// What for, in a word or two.
            public var purpose: String?

            /// Everything at once; what may be missing is missing when left out.
            public init(name: String, purpose: String? = nil) {
                self.name = name
                self.purpose = purpose
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// What is left of the background time, where it is limited and runs, in microseconds.
            public var remainingUsec: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(remainingUsec: Int64? = nil) {
                self.remainingUsec = remainingUsec
            }
        }
    }
}
