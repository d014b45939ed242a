extension SupervisorInterface {
    /// How short the machine is of memory.
    public enum PressureLevel: String, Codable, CaseIterable, Hashable, Sendable {
        /// Nobody has to do anything.
        case normal
        /// Running workers are told.
        case warning
        /// One worker after the other has to go.
        case critical
    }

    /// How short the machine is of memory, and what has been done about it.
    public enum Pressure: Method {
        /// The name, in full `io.torpor.Supervisor.Pressure`.
        public static let member = "Pressure"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// Nothing to say.
            public init() {}
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// How short it is.
            public var level: PressureLevel
            /// What of the kernel's accounting works here: unified, hybrid, machine, none.
            public var support: String
            /// The same in a sentence.
            public var detail: String
            /// Whether it is only said what would be done.
            public var observesOnly: Bool
            /// All the memory of the machine.
            public var totalBytes: Int64?
            /// What of it a new program could have.
            public var availableBytes: Int64?
            /// All of the swap.
            public var swapTotalBytes: Int64?
            /// What of it is free.
            public var swapFreeBytes: Int64?
            /// Percent of the last ten seconds in which some waited for memory.
            public var someStallPercent: Double?
            /// Percent of the last ten seconds in which all did.
            public var fullStallPercent: Double?
            /// Warnings that were told since the supervisor began.
            public var warningCount: Int64
            /// Workers that were ended for memory.
            public var evictionCount: Int64
            /// What their ends have brought.
            public var freedByKillBytes: Int64
            /// What sleepers have given back.
            public var freedByReclaimBytes: Int64
            /// Processes of workers that the kernel's OOM killer ended.
            public var kernelKillCount: Int64
            /// Who is being ended for memory now.
            public var victim: String?
            /// Why nobody is although it is critical, in words.
            public var helpless: String?

            /// Everything at once; what may be missing is missing when left out.
            public init(
                level: PressureLevel, support: String, detail: String, observesOnly: Bool,
                totalBytes: Int64? = nil, availableBytes: Int64? = nil, swapTotalBytes: Int64? = nil,
                swapFreeBytes: Int64? = nil, someStallPercent: Double? = nil,
                fullStallPercent: Double? = nil, warningCount: Int64, evictionCount: Int64,
                freedByKillBytes: Int64, freedByReclaimBytes: Int64, kernelKillCount: Int64,
                victim: String? = nil, helpless: String? = nil
            ) {
                self.level = level
                self.support = support
                self.detail = detail
                self.observesOnly = observesOnly
                self.totalBytes = totalBytes
                self.availableBytes = availableBytes
                self.swapTotalBytes = swapTotalBytes
                self.swapFreeBytes = swapFreeBytes
                self.someStallPercent = someStallPercent
                self.fullStallPercent = fullStallPercent
                self.warningCount = warningCount
                self.evictionCount = evictionCount
                self.freedByKillBytes = freedByKillBytes
                self.freedByReclaimBytes = freedByReclaimBytes
                self.kernelKillCount = kernelKillCount
                self.victim = victim
                self.helpless = helpless
            }
        }
    }
}
