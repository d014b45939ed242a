package import ControlAPI

/// What `torpor doctor --gain` shows.
package struct GainView {
    private let workers: [SupervisorInterface.WorkerGain]
    private let clock: WallClock

    /// A view of `workers`, as seen at the time of `clock`.
    package init(_ workers: [SupervisorInterface.WorkerGain], at clock: WallClock) {
        self.workers = workers
        self.clock = clock
    }

    /// A table, and under it what all of them hold together.
    package func rendered(_ style: Style) -> String {
        var table = Table([
            .init(title: "NAME"), .init(title: "STATE"), .init(title: "IDLE"), .init(title: "LAST USE"),
            .init(title: "WATCHED", isNumber: true), .init(title: "ASLEEP", isNumber: true),
            .init(title: "SHARE", isNumber: true), .init(title: "WAKES", isNumber: true),
            .init(title: "MEMORY", isNumber: true), .init(title: "WOKEN BY"),
        ])
        for worker in workers { table.append(row(worker)) }
        let text = table.rendered(style)
        guard style.hasLegend else { return text }
        guard !workers.isEmpty else { return "No worker runs.\n" }
        return text + "\n" + legend
    }

    private func row(_ worker: SupervisorInterface.WorkerGain) -> [Table.Cell] {
        let gain = worker.gain
        return [
            .init(worker.name), .init(worker.state.rawValue, worker.state.tint(reason: nil, held: false)),
            .init(gain.observed ? "observe" : "act"),
            worker.lastUseAt.map { .init(clock.age($0)) } ?? .none,
            .init(wholeSpan(gain.watchedUsec)), .init(wholeSpan(gain.asleepUsec)), .init("\(gain.share)%"),
            .init("\(gain.wakeCount)"), worker.memoryBytes.map { .init(size($0)) } ?? .none,
            .init(gain.peers.map { "\($0.peer) (\($0.count))" }.joined(separator: ", ")),
        ]
    }

    private var legend: String {
        let observed = workers.filter(\.gain.observed)
        let bytes = observed.reduce(0) { $0 + ($1.memoryBytes ?? 0) }
        let givenBack = workers.reduce(0) { $0 + ($1.givenBackBytes ?? 0) }
        var text = sleepSentence(
            asleep: Int64(workers.count { $0.state == .suspended }), givenBack: givenBack)
        if !observed.isEmpty {
            text +=
                "; \(count(observed.count, "worker")) only observed (Idle=observe), holding \(sizeInWords(bytes))"
        }
        return text + "\n"
    }

    /// Whole seconds: anything finer is noise here.
    private func wholeSpan(_ microseconds: Int64) -> String { span(microseconds / 1_000_000 * 1_000_000) }
}

extension SupervisorInterface.SleepGain {
    /// The share of its time that it was asleep, in percent.
    var share: Int64 {
        guard watchedUsec > 0 else { return 0 }
        return min(100, Int64((Double(asleepUsec) * 100 / Double(watchedUsec)).rounded()))
    }

    /// What would have been, in a clause: `93 % of 5h, woken 14 times by 10.0.0.5`.
    var words: String {
        let peers = peers.prefix(3).map(\.peer.printable)
        let more = self.peers.count > 3 ? ["\(self.peers.count - 3) more"] : []
        let by = peers.isEmpty ? "" : " by \(enumeration(peers + more))"
        let whole = watchedUsec / 1_000_000 * 1_000_000
        return "\(share) % of \(span(whole)), woken \(count(Int(clamping: wakeCount), "time"))\(by)"
    }
}
