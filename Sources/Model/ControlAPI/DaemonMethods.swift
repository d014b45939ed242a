extension SupervisorInterface {
    /// What this place allows, and what would mend each gap.
    public enum Doctor: Method {
        /// The name, in full `io.torpor.Supervisor.Doctor`.
        public static let member = "Doctor"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// One for each capability.
            public var findings: [Finding]

            /// Everything at once.
            public init(findings: [Finding]) {
                self.findings = findings
            }
        }
    }

    /// Reads all definitions anew.
    public enum Reload: Method {
        /// The name, in full `io.torpor.Supervisor.Reload`.
        public static let member = "Reload"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Workers with another definition than before.
            public var changed: [String]
            /// Workers that are new.
            public var added: [String]
            /// Workers that are no longer defined; those that run are forgotten when they end.
            public var removed: [String]
            /// What was not taken over, and why.
            public var failed: [Diagnostic]
            /// What was ignored, and why.
            public var warnings: [Diagnostic]

            /// Everything at once.
            public init(
                changed: [String], added: [String], removed: [String],
                failed: [Diagnostic], warnings: [Diagnostic]
            ) {
                self.changed = changed
                self.added = added
                self.removed = removed
                self.failed = failed
                self.warnings = warnings
            }
        }
    }

    /// Replaces the supervisor by its program as it is installed now.
    public enum Reexec: Method {
        /// The name, in full `io.torpor.Supervisor.Reexec`.
        public static let member = "Reexec"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The supervisor's process.
            public var pid: Int64
            /// The version that runs now.
            public var version: String
            /// How long nothing was served meanwhile, in microseconds.
            public var interruptedUsec: Int64

            /// Everything at once.
            public init(pid: Int64, version: String, interruptedUsec: Int64) {
                self.pid = pid
                self.version = version
                self.interruptedUsec = interruptedUsec
            }
        }
    }

    /// Sets how much is logged, until the next start.
    public enum SetLogLevel: Method {
        /// The name, in full `io.torpor.Supervisor.SetLogLevel`.
        public static let member = "SetLogLevel"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The level.
            public var level: LogLevel

            /// Everything at once.
            public init(level: LogLevel) {
                self.level = level
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }
    }

    /// How much is logged.
    public enum GetLogLevel: Method {
        /// The name, in full `io.torpor.Supervisor.GetLogLevel`.
        public static let member = "GetLogLevel"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The level.
            public var level: LogLevel

            /// Everything at once.
            public init(level: LogLevel) {
                self.level = level
            }
        }
    }

    /// Whether anybody is there, and who.
    public enum Ping: Method {
        /// The name, in full `io.torpor.Supervisor.Ping`.
        public static let member = "Ping"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The supervisor's process.
            public var pid: Int64
            /// Its version.
            public var version: String

            /// Everything at once.
            public init(pid: Int64, version: String) {
                self.pid = pid
                self.version = version
            }
        }
    }
}
