internal import Records

extension TerminationEntry: Row {
    static let table = "termination"
    static let columns = [
        "worker", "at", "pid", "launch_reason", "state", "goal", "cause", "code", "exit_status", "signal",
        "sentence", "requester_uid", "requester_pid", "ran", "in_background", "suspended", "peak_memory",
        "pressure_some", "pressure_full", "callback", "callback_age", "queue_length", "last_output",
        "freed_memory", "given_back",
    ]

    var words: (kind: String, reason: String)? { nil }

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
        var requester: Requester?
        if let uid = statement.number(column + 11), let pid = statement.number(column + 12) {
            requester = Requester(uid: uid, pid: pid)
        }
        self.init(
            worker: text(0), at: number(1), pid: number(2), launchReason: text(3), state: text(4),
            goal: text(5), cause: text(6), code: statement.number(column + 7),
            exitStatus: statement.number(column + 8), signal: statement.text(column + 9),
            sentence: text(10), requester: requester, ran: number(13), inBackground: number(14),
            suspended: number(15), peakMemory: statement.number(column + 16),
            pressureSome: statement.fraction(column + 17), pressureFull: statement.fraction(column + 18),
            callback: statement.text(column + 19), callbackAge: statement.number(column + 20),
            queueLength: number(21),
            lastOutput: statement.text(column + 22)?.split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init) ?? [],
            freedMemory: statement.number(column + 23), givenBack: statement.number(column + 24))
    }
}
