extension SupervisorInterface {
    /// How a process ended.
    public struct Termination: Codable, Hashable, Sendable {
        /// When: microseconds since 1970.
        public var at: Int64
        /// The process.
        public var pid: Int64
        /// The kind of end: exited, failed, crashed, stopped, watchdog and so on.
        public var cause: String
        /// The code of a broken rule, as 0x8badf00d.
        public var code: String?
        /// The exit status of a process that exited.
        public var exitStatus: Int64?
        /// The signal that ended it, as SIGSEGV.
        public var signal: String?
        /// The same in a sentence; for callers that are no operators without what commands it names.
        public var sentence: String
        /// The state it was in.
        public var state: State
        /// Where it was going.
        public var goal: Goal
        /// What it had been launched for.
        public var launchReason: LaunchReason?
        /// Who asked for the end.
        public var requestedBy: Caller?
        /// How long it ran in all, in microseconds.
        public var runUsec: Int64
        /// How much of that in the background.
        public var backgroundUsec: Int64
        /// How long it was suspended.
        public var suspendedUsec: Int64
        /// The most memory it held.
        public var peakMemoryBytes: Int64?
        /// Memory pressure at the time, some, percent.
        public var pressureSome: Double?
        /// Memory pressure at the time, full, percent.
        public var pressureFull: Double?
        /// What its end gave back, where it was ended for memory.
        public var freedBytes: Int64?
        /// What its sleep had given back before.
        public var givenBackBytes: Int64?
        /// The callback that was in flight.
        public var callback: String?
        /// For how long.
        public var callbackUsec: Int64?
        /// Notifications that were kept.
        public var queueLength: Int64
        /// The last lines it printed, where they pass through us.
        ///
        /// Operators only.
        public var lastOutput: [String]?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            at: Int64, pid: Int64, cause: String, code: String? = nil,
            exitStatus: Int64? = nil, signal: String? = nil, sentence: String, state: State,
            goal: Goal, launchReason: LaunchReason? = nil, requestedBy: Caller? = nil,
            runUsec: Int64, backgroundUsec: Int64, suspendedUsec: Int64,
            peakMemoryBytes: Int64? = nil, pressureSome: Double? = nil,
            pressureFull: Double? = nil, freedBytes: Int64? = nil, givenBackBytes: Int64? = nil,
            callback: String? = nil, callbackUsec: Int64? = nil,
            queueLength: Int64, lastOutput: [String]? = nil
        ) {
            self.at = at
            self.pid = pid
            self.cause = cause
            self.code = code
            self.exitStatus = exitStatus
            self.signal = signal
            self.sentence = sentence
            self.state = state
            self.goal = goal
            self.launchReason = launchReason
            self.requestedBy = requestedBy
            self.runUsec = runUsec
            self.backgroundUsec = backgroundUsec
            self.suspendedUsec = suspendedUsec
            self.peakMemoryBytes = peakMemoryBytes
            self.pressureSome = pressureSome
            self.pressureFull = pressureFull
            self.freedBytes = freedBytes
            self.givenBackBytes = givenBackBytes
            self.callback = callback
            self.callbackUsec = callbackUsec
            self.queueLength = queueLength
            self.lastOutput = lastOutput
        }
    }
}
