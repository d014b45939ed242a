package import ControlAPI

/// What `torpor history` shows: a line for each thing that happened, and one where another boot begins.
package struct HistoryView {
    private let clock: WallClock
    private var boot: String?
    private var width = 0

    /// A view that writes times as `clock` does.
    package init(at clock: WallClock) {
        self.clock = clock
    }

    /// The next entries, oldest first, as lines.
    package mutating func rendered(_ entries: [SupervisorInterface.HistoryEntry], _ style: Style) -> String {
        width = entries.reduce(width) { max($0, ($1.worker ?? "").printable.columns) }
        var text = ""
        for entry in entries {
            if style.hasLegend, let boot, boot != entry.bootId {
                text += style.paint("-- Boot \(entry.bootId.printable) --", .faint) + "\n"
            }
            boot = entry.bootId
            let name = (entry.worker ?? "").printable
            text +=
                style.paint(clock.dayAndTime(entry.at), .faint) + " " + style.paint(name, .strong)
                + String(repeating: " ", count: width - name.columns) + "  " + entry.line(style) + "\n"
        }
        return text
    }
}

extension SupervisorInterface.HistoryEntry {
    /// What happened, and in brackets what else is known.
    fileprivate func line(_ style: Style) -> String {
        var facts: [String] = []
        let what: String
        switch kind {
        case .changed:
            let states = [from, to].compactMap { $0?.rawValue }.joined(separator: " \(style.arrow) ")
            what = style.paint(states, to?.tint(reason: nil, held: false))
            // An operator is told by number.
            if reason != "operator" || requestedBy == nil { facts.append(reason.printable) }
            if let message { facts.append(style.users.naming(message.printable)) }
        case .launched: what = "launched"
        case .launchFailed:
            what = style.paint("launch failed", .bad) + (message.map { ": \($0.printable)" } ?? "")
        case .ended: what = style.users.naming((message ?? "ended: \(reason)").printable)
        case .warned:
            what = style.paint("warning", .attention) + ": \(reason.printable)"
            if let message { facts.append(style.users.naming(message.printable)) }
        case .woken:
            what = style.paint(style.users.naming((message ?? "woken").printable), .good)
            if message == nil { facts.append(reason.printable) }
        case .opened: what = style.users.naming((message ?? "a URL was opened").printable)
        case .kept, .processed: what = style.users.naming((message ?? "a wake was kept: \(reason)").printable)
        case .supervisor:
            what = style.paint(style.users.naming((message ?? "supervisor \(reason)").printable), .faint)
        case .memory:
            let tint: Tint = reason == "normal" || reason == "broughtBack" ? .good : .attention
            what = style.paint((message ?? reason).printable, tint)
        case .lost: what = style.paint((message ?? reason).printable, .attention)
        }
        // Entries of kind `woken` and `opened` name the requester themselves.
        if let requestedBy, kind != .woken, kind != .opened {
            facts.append("by \(requestedBy.words(style.users))")
        }
        if let suspendedForUsec { facts.append("after \(span(suspendedForUsec)) asleep") }
        if !notTold.isEmpty { facts.append("not delivered: \(enumeration(notTold.map(\.printable)))") }
        return what + (facts.isEmpty ? "" : style.paint(" (\(facts.joined(separator: ", ")))", .faint))
    }
}
