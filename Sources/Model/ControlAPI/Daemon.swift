extension SupervisorInterface {
    /// How much is logged: this and everything more urgent (syslog(3)).
    public enum LogLevel: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nothing works any more.
        case emerg
        /// Somebody must act now.
        case alert
        /// Critical.
        case crit
        /// Errors.
        case err
        /// Warnings.
        case warning
        /// Normal, but worth a look.
        case notice
        /// Every change.
        case info
        /// Everything.
        case debug
    }

    /// One thing that this place allows or not.
    public struct Finding: Codable, Hashable, Sendable {
        /// What it is, as freezer, pressure, reclaim, journal.
        public var capability: String
        /// Whether it is there.
        public var available: Bool
        /// What was found, in a sentence.
        public var detail: String
        /// The one line that mends it.
        public var remedy: String?

        /// Everything at once; what may be missing is missing when left out.
        public init(capability: String, available: Bool, detail: String, remedy: String? = nil) {
            self.capability = capability
            self.available = available
            self.detail = detail
            self.remedy = remedy
        }
    }

    /// A file as it is on disk.
    public struct File: Codable, Hashable, Sendable {
        /// Where.
        public var path: String
        /// What it says.
        public var content: String

        /// Everything at once.
        public init(path: String, content: String) {
            self.path = path
            self.content = content
        }
    }

    /// A complaint about a definition.
    public struct Diagnostic: Codable, Hashable, Sendable {
        /// The worker it concerns.
        public var worker: String?
        /// The file.
        public var file: String
        /// The line, from 1.
        public var line: Int64?
        /// The key.
        public var key: String?
        /// What was expected.
        public var message: String

        /// Everything at once; what may be missing is missing when left out.
        public init(
            worker: String? = nil, file: String, line: Int64? = nil, key: String? = nil,
            message: String
        ) {
            self.worker = worker
            self.file = file
            self.line = line
            self.key = key
            self.message = message
        }
    }
}
