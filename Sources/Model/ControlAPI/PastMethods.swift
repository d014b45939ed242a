extension SupervisorInterface {
    /// How processes ended: the newest that fit, oldest first.
    public enum Report: Method {
        /// The name, in full `io.torpor.Supervisor.Report`.
        public static let member = "Report"
        /// How many there are in an answer when nothing is said, and at most.
        public static let limits = (usual: 10, most: 50)

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out; at most 64.
            public var names: [String]?
            /// Only those with a smaller number, to read on from an earlier answer.
            public var before: Int64?
            /// How many at most.
            public var limit: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(names: [String]? = nil, before: Int64? = nil, limit: Int64? = nil) {
                self.names = names
                self.before = before
                self.limit = limit
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The ends.
            public var reports: [TerminationReport]
            /// Whether there are older ones.
            public var hasOlder: Bool
            /// Why those on the disk are not among them, when it cannot be read.
            public var incomplete: String?

            /// Everything at once; what may be missing is missing when left out.
            public init(reports: [TerminationReport], hasOlder: Bool, incomplete: String? = nil) {
                self.reports = reports
                self.hasOlder = hasOlder
                self.incomplete = incomplete
            }
        }
    }

    /// What happened: the newest that fits, oldest first.
    public enum History: Method {
        /// The name, in full `io.torpor.Supervisor.History`.
        public static let member = "History"
        /// How many there are in an answer when nothing is said, and at most.
        public static let limits = (usual: 100, most: 1000)

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Names of workers; shell patterns (fnmatch(3)) are allowed.
            ///
            /// All when left out; at most 64.
            public var names: [String]?
            /// Only what happened then or later: microseconds since 1970.
            public var since: Int64?
            /// Only entries with a smaller number, to read on from an earlier answer.
            public var before: Int64?
            /// How many at most.
            public var limit: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                names: [String]? = nil, since: Int64? = nil, before: Int64? = nil, limit: Int64? = nil
            ) {
                self.names = names
                self.since = since
                self.before = before
                self.limit = limit
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The entries.
            public var entries: [HistoryEntry]
            /// Whether there are older ones.
            public var hasOlder: Bool
            /// Why those on the disk are not among them, when it cannot be read.
            public var incomplete: String?

            /// Everything at once; what may be missing is missing when left out.
            public init(entries: [HistoryEntry], hasOlder: Bool, incomplete: String? = nil) {
                self.entries = entries
                self.hasOlder = hasOlder
                self.incomplete = incomplete
            }
        }
    }
}
