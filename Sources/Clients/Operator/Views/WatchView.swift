package import ControlAPI

/// What `torpor watch` shows, a line at a time.
package struct WatchView {
    private let clock: WallClock
    private var nameWidth = 0

    /// A view that writes times as `clock` does; what time it is does not matter.
    package init(at clock: WallClock) {
        self.clock = clock
    }

    /// The lines of one reply: of the present, or of a change.
    package mutating func rendered(_ reply: SupervisorInterface.Watch.Reply, _ style: Style) -> String {
        var text = ""
        let present = reply.present ?? []
        for worker in present { nameWidth = max(nameWidth, worker.name.printable.columns) }
        for worker in present { text += line(worker, style) }
        if let change = reply.change {
            nameWidth = max(nameWidth, change.worker.printable.columns)
            text += line(change, style)
        }
        return text
    }

    private func line(_ worker: SupervisorInterface.WorkerSummary, _ style: Style) -> String {
        let tint = worker.state.tint(reason: worker.reason, held: worker.held)
        return begin(at: worker.since, worker.name, style)
            + style.paint(worker.state.rawValue, tint) + style.paint(" (\(worker.purpose))", .faint) + "\n"
    }

    private func line(_ change: SupervisorInterface.Change, _ style: Style) -> String {
        let states =
            switch (change.from, change.to) {
            case (nil, let to?): "defined, \(to.rawValue)"
            case (_, nil): "no longer defined"
            case (let from?, let to?) where from == to: to.rawValue
            case (let from?, let to?): "\(from.rawValue) \(style.arrow) \(to.rawValue)"
            }
        var facts = [change.reason.printable]
        if let to = change.to, change.goal.rawValue != to.rawValue {
            facts.append("goal \(change.goal.rawValue)")
        }
        if let uid = change.uid { facts.append(style.users.words(uid)) }
        if let pid = change.pid { facts.append("pid \(pid)") }
        if !change.notTold.isEmpty {
            facts.append("not delivered: \(enumeration(change.notTold.map(\.printable)))")
        }
        return begin(at: change.at, change.worker, style)
            + style.paint(states, change.to?.tint(reason: nil, held: false))
            + style.paint(" (\(facts.joined(separator: ", ")))", .faint) + "\n"
    }

    private func begin(at time: Int64, _ name: String, _ style: Style) -> String {
        let name = name.printable
        let padding = String(repeating: " ", count: max(nameWidth - name.columns, 0))
        return style.paint(clock.timeOfDay(time), .faint) + " " + style.paint(name, .strong) + padding + "  "
    }
}
