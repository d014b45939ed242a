/// How a process of a worker ended, as it is stored.
package struct TerminationEntry: Hashable, Sendable {
    /// The caller that made a request.
    package struct Requester: Hashable, Sendable {
        /// The user.
        package var uid: Int64
        /// The process; it may be gone.
        package var pid: Int64

        /// A user's process.
        package init(uid: Int64, pid: Int64) {
            self.uid = uid
            self.pid = pid
        }
    }

    package var worker: String
    /// When it ended: microseconds since 1970.
    package var at: Int64
    /// Its process; 0 where none came to be.
    package var pid: Int64
    /// Why it had been launched.
    package var launchReason: String
    package var state: String
    /// Where it was wanted.
    package var goal: String
    package var cause: String
    /// The code of a broken rule.
    package var code: Int64?
    /// The exit status of a process that exited.
    package var exitStatus: Int64?
    package var signal: String?
    package var sentence: String
    /// The caller that requested the end, if any.
    package var requester: Requester?
    /// From launch to end, in microseconds.
    package var ran: Int64
    /// Of that, in the background.
    package var inBackground: Int64
    /// Of that, asleep.
    package var suspended: Int64
    /// The most memory it held, in bytes, where that is known.
    package var peakMemory: Int64?
    /// What its end freed, in bytes, where it was ended for memory.
    package var freedMemory: Int64?
    /// What was reclaimed in its sleep before, in bytes.
    package var givenBack: Int64?
    /// Memory pressure at the time: some were stalled so many percent of it.
    package var pressureSome: Double?
    /// Memory pressure at the time: all were stalled so many percent of it.
    package var pressureFull: Double?
    /// The callback that was in flight.
    package var callback: String?
    /// For how long, in microseconds.
    package var callbackAge: Int64?
    /// Notifications that were kept.
    package var queueLength: Int64
    /// The last lines it printed, where they pass through the supervisor.
    package var lastOutput: [String]

    /// How much output is kept, in bytes of UTF-8: its last lines that fit.
    package static let outputLimit = 16 << 10

    /// An end, by its parts; what may be missing is missing when left out.
    package init(
        worker: String, at: Int64, pid: Int64, launchReason: String, state: String, goal: String,
        cause: String, code: Int64? = nil, exitStatus: Int64? = nil, signal: String? = nil,
        sentence: String, requester: Requester? = nil, ran: Int64, inBackground: Int64, suspended: Int64,
        peakMemory: Int64? = nil, pressureSome: Double? = nil, pressureFull: Double? = nil,
        callback: String? = nil, callbackAge: Int64? = nil, queueLength: Int64 = 0, lastOutput: [String] = [],
        freedMemory: Int64? = nil, givenBack: Int64? = nil
    ) {
        self.freedMemory = freedMemory
        self.givenBack = givenBack
        self.worker = worker
        self.at = at
        self.pid = pid
        self.launchReason = launchReason
        self.state = state
        self.goal = goal
        self.cause = cause
        self.code = code
        self.exitStatus = exitStatus
        self.signal = signal
        self.sentence = sentence
        self.requester = requester
        self.ran = ran
        self.inBackground = inBackground
        self.suspended = suspended
        self.peakMemory = peakMemory
        self.pressureSome = pressureSome
        self.pressureFull = pressureFull
        self.callback = callback
        self.callbackAge = callbackAge
        self.queueLength = queueLength
        self.lastOutput = Self.fitting(lastOutput)
    }

    private static func fitting(_ lines: [String]) -> [String] {
        var room = outputLimit
        let kept = lines.reversed().prefix { line in
            room -= line.utf8.count + 1
            return room >= 0
        }
        return kept.reversed()
    }
}
