extension SupervisorInterface {
    /// Starts workers that do not run, into the foreground or the background; those that run go there.
    public enum Launch: Method {
        /// The name, in full `io.torpor.Supervisor.Launch`.
        public static let member = "Launch"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            public var names: [String]
            /// Into the background.
            ///
            /// Into the foreground when left out.
            public var background: Bool?
            /// Whether to answer when the goals are reached or out of reach, rather than at once.
            ///
            /// Yes when left out.
            public var wait: Bool?
            /// How long to wait at most, in milliseconds.
            ///
            /// No limit when left out. The goals stay when it passes.
            public var timeoutMs: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                names: [String], background: Bool? = nil, wait: Bool? = nil,
                timeoutMs: Int64? = nil
            ) {
                self.names = names
                self.background = background
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// What comes out: one result for each worker.
        public typealias Reply = GoalReply
    }

    /// Defines a worker without a file, and starts it.
    public enum LaunchTransient: Method {
        /// The name, in full `io.torpor.Supervisor.LaunchTransient`.
        public static let member = "LaunchTransient"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Its name.
            ///
            /// One is made up when left out.
            public var name: String?
            /// The command; the first is the program.
            public var arguments: [String]
            /// Further settings.
            public var properties: [Property]?
            /// The environment, as NAME=VALUE.
            public var environment: [String]?
            /// Where it runs.
            ///
            /// The root when left out.
            public var workingDirectory: String?
            /// Into the background.
            ///
            /// Into the foreground when left out.
            public var background: Bool?
            /// Whether to answer when the goals are reached or out of reach, rather than at once.
            ///
            /// Yes when left out.
            public var wait: Bool?
            /// How long to wait at most, in milliseconds.
            ///
            /// No limit when left out. The goals stay when it passes.
            public var timeoutMs: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                name: String? = nil, arguments: [String], properties: [Property]? = nil,
                environment: [String]? = nil, workingDirectory: String? = nil,
                background: Bool? = nil, wait: Bool? = nil, timeoutMs: Int64? = nil
            ) {
                self.name = name
                self.arguments = arguments
                self.properties = properties
                self.environment = environment
                self.workingDirectory = workingDirectory
                self.background = background
                self.wait = wait
                self.timeoutMs = timeoutMs
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// What became of it, and its name.
            public var result: GoalResult

            /// Everything at once.
            public init(result: GoalResult) {
                self.result = result
            }
        }
    }
}
