package import ControlAPI

/// What `torpor list` shows.
package struct ListView {
    private let reply: SupervisorInterface.List.Reply
    private let clock: WallClock
    private let origin: String?

    private let columns: [ListColumn]
    private let isTree: Bool

    /// A view of `reply`, as seen at the time of `clock`.
    ///
    /// `origin` is the supervisor that it comes from, in words. The rows have `columns` and are ordered by `order`, or by name; as a
    /// tree, instances stand below their template.
    package init(
        _ reply: SupervisorInterface.List.Reply, at clock: WallClock, from origin: String? = nil,
        columns: [ListColumn] = ListColumn.allCases, sortedBy order: ListColumn? = nil,
        asTree isTree: Bool = false
    ) {
        var reply = reply
        // Numbers in names count as such: the supervisor has them in the order of their letters.
        let named = ListColumn.name.sorted(reply.workers)
        reply.workers = order.map { $0.sorted(named) } ?? named
        self.reply = reply
        self.clock = clock
        self.origin = origin
        self.columns = columns.isEmpty ? ListColumn.allCases : columns
        self.isTree = isTree
    }

    /// The table, an empty line and what sleep has brought.
    package func rendered(_ style: Style) -> String {
        var table = Table(columns.map { .init(title: $0.title, isNumber: $0.isNumber) })
        if isTree {
            addTree(to: &table, style)
        } else {
            for worker in reply.workers { table.append(row(worker, worker.name)) }
        }
        var text = table.rendered(style)
        guard style.hasLegend else { return text }
        if let because = reply.lowPower {
            text =
                style.paint("Low-power mode is on: \(because.printable)", .attention)
                + "; fetches wait, and a quarter of each wake budget is left\n\n" + text
        }
        // An empty list is often that of another supervisor than the one that was meant.
        if reply.workers.isEmpty, let origin { return "No workers: \(origin.printable) has none.\n" }
        return text + "\n" + sleepSentence(asleep: reply.asleepCount, givenBack: reply.givenBackBytes) + "\n"
    }

    /// Instances below a row of their template, which counts them; a single one stands for itself.
    private func addTree(to table: inout Table, _ style: Style) {
        var order: [String] = []
        var members: [String: [SupervisorInterface.WorkerSummary]] = [:]
        for worker in reply.workers {
            let key = worker.name.firstIndex(of: "@").map { String(worker.name[...$0]) } ?? worker.name
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(worker)
        }
        let (branch, last) = style.isUnicode ? ("├─", "└─") : ("|-", "`-")
        for key in order {
            guard let workers = members[key] else { continue }
            guard workers.count > 1 else {
                for worker in workers { table.append(row(worker, worker.name)) }
                continue
            }
            table.append(summary(key, workers))
            for (index, worker) in workers.enumerated() {
                let sign = index == workers.count - 1 ? last : branch
                table.append(row(worker, sign + worker.name))
            }
        }
    }

    /// A template: in which states its instances are, and what they hold together.
    private func summary(_ name: String, _ workers: [SupervisorInterface.WorkerSummary]) -> [Table.Cell] {
        let states = SupervisorInterface.State.allCases.compactMap { state in
            let number = workers.count { $0.state == state }
            return number > 0 ? "\(number) \(state.rawValue)" : nil
        }
        let memory = workers.compactMap(\.memoryBytes)
        return columns.map { column in
            switch column {
            case .name: .init(name, .strong)
            case .state: .init(states.joined(separator: ", "))
            case .memory: memory.isEmpty ? .none : .init(size(memory.reduce(0) { $0.addingClamped($1) }))
            case .since, .goal, .pid, .wakes, .description: .init("")
            }
        }
    }

    private func row(_ worker: SupervisorInterface.WorkerSummary, _ name: String) -> [Table.Cell] {
        let tint = worker.state.tint(reason: worker.reason, held: worker.held)
        return columns.map { column in
            switch column {
            case .name: .init(name)
            case .state: .init(worker.state.rawValue, tint)
            case .since: .init(clock.age(worker.since))
            case .goal: .init(worker.purpose, worker.state == .notRunning || worker.held ? tint : nil)
            case .pid: worker.pid.map { .init("\($0)") } ?? .none
            case .memory: worker.memoryBytes.map { .init(size($0)) } ?? .none
            case .wakes: worker.wakesBy.map { .init($0) } ?? .none
            case .description: .init(worker.description ?? "")
            }
        }
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
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
