extension SupervisorInterface {
    /// How a process ended, as it is kept: it outlives the process, the supervisor and the boot.
    public struct TerminationReport: Codable, Hashable, Sendable {
        /// Its number: what ended later has a greater one.
        public var id: Int64
        /// The worker.
        public var worker: String
        /// The boot in which it ended (/proc/sys/kernel/random/boot_id).
        public var bootId: String
        /// What is known of it.
        ///
        /// Who asked and the output are for operators only.
        public var termination: Termination

        /// Everything at once.
        public init(id: Int64, worker: String, bootId: String, termination: Termination) {
            self.id = id
            self.worker = worker
            self.bootId = bootId
            self.termination = termination
        }
    }

    /// What kind of thing the history tells of.
    public enum HistoryKind: String, Codable, CaseIterable, Hashable, Sendable {
        /// The state changed.
        case changed
        /// A launch was complete.
        case launched
        /// A launch did not happen.
        case launchFailed
        /// A process ended.
        case ended
        /// Something went wrong that supervision went on without.
        case warned
        /// An event woke or launched it.
        case woken
        /// A caller opened a URL with it.
        case opened
        /// The supervisor began or ended, or took a worker over.
        case supervisor
        /// Memory was short, or is no longer, and what was done about it.
        case memory
        /// Entries before this one could not be written in time, and are missing.
        case lost
    }

    /// One thing that happened, as it is kept.
    public struct HistoryEntry: Codable, Hashable, Sendable {
        /// Its number: what happened later has a greater one.
        public var id: Int64
        /// The worker; none when it concerns them all.
        public var worker: String?
        /// The boot in which it happened (/proc/sys/kernel/random/boot_id).
        public var bootId: String
        /// When: microseconds since 1970.
        public var at: Int64
        /// What kind of thing it is.
        public var kind: HistoryKind
        /// The state before.
        public var from: State?
        /// The state after.
        public var to: State?
        /// Why, in a word: operator, idle, socket, exited, watchdog and so on.
        public var reason: String
        /// Who asked, when somebody did.
        ///
        /// Operators only.
        public var requestedBy: Caller?
        /// How long it had been asleep, in microseconds, on the way out of suspended.
        public var suspendedForUsec: Int64?
        /// Callbacks that the change would have had but that were skipped.
        public var notTold: [String]
        /// What there is to say besides.
        ///
        /// Of ends, warnings, failed launches, wakes, URLs and the supervisor for operators only.
        public var message: String?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            id: Int64, worker: String? = nil, bootId: String, at: Int64, kind: HistoryKind,
            from: State? = nil, to: State? = nil, reason: String, requestedBy: Caller? = nil,
            suspendedForUsec: Int64? = nil, notTold: [String], message: String? = nil
        ) {
            self.id = id
            self.worker = worker
            self.bootId = bootId
            self.at = at
            self.kind = kind
            self.from = from
            self.to = to
            self.reason = reason
            self.requestedBy = requestedBy
            self.suspendedForUsec = suspendedForUsec
            self.notTold = notTold
            self.message = message
        }
    }
}
