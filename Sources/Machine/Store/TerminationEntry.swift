/// How a process of a worker ended: the whole of 1.5, as it is kept.
package struct TerminationEntry: Hashable, Sendable {
    /// Somebody who asked for something.
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
    /// Who asked for the end, when somebody did.
    package var requester: Requester?
    /// From launch to end, in microseconds.
    package var ran: Int64
    /// Of that, in the background.
    package var inBackground: Int64
    /// Of that, asleep.
    package var suspended: Int64
    /// The most memory it held, in bytes, where that is known.
    package var peakMemory: Int64?
    /// What its end gave back, in bytes, where it was ended for memory.
    package var freedMemory: Int64?
    /// What its sleep had given back before, in bytes.
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
    /// The last lines it printed, where they pass through us.
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

extension TerminationEntry: Row {
    static let table = "termination"
    static let columns = [
        "worker", "at", "pid", "launch_reason", "state", "goal", "cause", "code", "exit_status", "signal",
        "sentence", "requester_uid", "requester_pid", "ran", "in_background", "suspended", "peak_memory",
        "pressure_some", "pressure_full", "callback", "callback_age", "queue_length", "last_output",
        "freed_memory", "given_back",
    ]

    func bind(to statement: Statement) {
        statement.bind(worker)
        for number in [at, pid] { statement.bind(number) }
        for text in [launchReason, state, goal, cause] { statement.bind(text) }
        statement.bind(code)
        statement.bind(exitStatus)
        statement.bind(signal)
        statement.bind(sentence)
        statement.bind(requester?.uid)
        statement.bind(requester?.pid)
        for number in [ran, inBackground, suspended] { statement.bind(number) }
        statement.bind(peakMemory)
        statement.bind(pressureSome)
        statement.bind(pressureFull)
        statement.bind(callback)
        statement.bind(callbackAge)
        statement.bind(queueLength)
        // A line has no newline inside.
        statement.bind(lastOutput.isEmpty ? nil : lastOutput.joined(separator: "\n"))
        statement.bind(freedMemory)
        statement.bind(givenBack)
    }

    init(_ statement: Statement, from column: Int32) {
        func text(_ offset: Int32) -> String { statement.text(column + offset) ?? "" }
        func number(_ offset: Int32) -> Int64 { statement.number(column + offset) ?? 0 }
        worker = text(0)
        at = number(1)
        pid = number(2)
        launchReason = text(3)
        state = text(4)
        goal = text(5)
        cause = text(6)
        code = statement.number(column + 7)
        exitStatus = statement.number(column + 8)
        signal = statement.text(column + 9)
        sentence = text(10)
        if let uid = statement.number(column + 11), let pid = statement.number(column + 12) {
            requester = Requester(uid: uid, pid: pid)
        }
        ran = number(13)
        inBackground = number(14)
        suspended = number(15)
        peakMemory = statement.number(column + 16)
        pressureSome = statement.fraction(column + 17)
        pressureFull = statement.fraction(column + 18)
        callback = statement.text(column + 19)
        callbackAge = statement.number(column + 20)
        queueLength = number(21)
        lastOutput =
            statement.text(column + 22)?.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init) ?? []
        freedMemory = statement.number(column + 23)
        givenBack = statement.number(column + 24)
    }
}
