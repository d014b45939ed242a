package import ControlAPI

/// What `torpor list` shows.
package struct ListView {
    private let reply: SupervisorInterface.List.Reply
    private let clock: WallClock
    private let origin: String?

    /// A view of `reply`, as seen at the time of `clock`; `origin` is the supervisor that it comes from, in words.
    package init(_ reply: SupervisorInterface.List.Reply, at clock: WallClock, from origin: String? = nil) {
        self.reply = reply
        self.clock = clock
        self.origin = origin
    }

    /// The table, an empty line and what sleep has brought.
    package func rendered(_ style: Style) -> String {
        var table = Table([
            .init(title: "NAME"), .init(title: "STATE"), .init(title: "SINCE"), .init(title: "GOAL/REASON"),
            .init(title: "PID", isNumber: true), .init(title: "MEMORY", isNumber: true),
            .init(title: "WAKES BY"), .init(title: "DESCRIPTION"),
        ])
        for worker in reply.workers { table.append(row(worker)) }
        let text = table.rendered(style)
        guard style.hasLegend else { return text }
        // An empty list is often that of another supervisor than the one that was meant.
        if reply.workers.isEmpty, let origin { return "No workers: \(origin.printable) has none.\n" }
        return text + "\n" + sleepSentence(asleep: reply.asleepCount, givenBack: reply.givenBackBytes) + "\n"
    }

    private func row(_ worker: SupervisorInterface.WorkerSummary) -> [Table.Cell] {
        let tint = worker.state.tint(reason: worker.reason, held: worker.held)
        return [
            .init(worker.name), .init(worker.state.rawValue, tint), .init(clock.age(worker.since)),
            .init(worker.purpose, worker.state == .notRunning || worker.held ? tint : nil),
            worker.pid.map { .init("\($0)") } ?? .none,
            worker.memoryBytes.map { .init(size($0)) } ?? .none,
            worker.wakesBy.map { .init($0) } ?? .none,
            .init(worker.description ?? ""),
        ]
    }
}

extension SupervisorInterface.WorkerSummary {
    /// Where it is going or why it does not run, in a word or two.
    var purpose: String {
        let rest = launching ?? false ? "being launched" : "not running"
        let words = reason?.words ?? (state == .notRunning ? rest : goal.rawValue)
        let besides =
            (held ? ", held" : "") + (adopted ?? false ? ", adopted" : "")
            + (fileProblem == nil ? "" : ", old definition")
        if !besides.isEmpty { return words + besides }
        return state == .notRunning && goal != .notRunning ? "\(words), to \(goal.rawValue)" : words
    }
}
