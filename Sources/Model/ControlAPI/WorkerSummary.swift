extension SupervisorInterface {
    /// Who asked for something, as the kernel says (SO_PEERCRED).
    public struct Caller: Codable, Hashable, Sendable {
        /// The user.
        public var uid: Int64
        /// The process; it may be gone.
        public var pid: Int64

        /// Everything at once.
        public init(uid: Int64, pid: Int64) {
            self.uid = uid
            self.pid = pid
        }
    }

    /// One worker in one line.
    public struct WorkerSummary: Codable, Hashable, Sendable {
        /// Its name; of a template with the instance, as web@42.
        public var name: String
        /// What its definition says it is.
        public var description: String?
        /// Its state.
        public var state: State
        /// When it entered the state: microseconds since 1970.
        public var since: Int64
        /// Where it is going.
        public var goal: Goal
        /// Why it does not run; only in notRunning.
        public var reason: NotRunningReason?
        /// The main process, when there is one.
        public var pid: Int64?
        /// The memory it holds now, where that can be known.
        public var memoryBytes: Int64?
        /// Whether somebody outside stopped it, so that no event of ours resumes it.
        public var held: Bool
        /// Whether a supervisor before this one has started its process; missing where not.
        public var adopted: Bool?
        /// Whether it is being launched and has no process yet; missing where not.
        public var launching: Bool?
        /// What is wrong with its file, so that its definition of before is in force; missing where nothing is.
        public var fileProblem: String?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            name: String, description: String? = nil, state: State, since: Int64, goal: Goal,
            reason: NotRunningReason? = nil, pid: Int64? = nil, memoryBytes: Int64? = nil,
            held: Bool, adopted: Bool? = nil, launching: Bool? = nil, fileProblem: String? = nil
        ) {
            self.name = name
            self.description = description
            self.state = state
            self.since = since
            self.goal = goal
            self.reason = reason
            self.pid = pid
            self.memoryBytes = memoryBytes
            self.held = held
            self.adopted = adopted
            self.launching = launching
            self.fileProblem = fileProblem
        }
    }
}
