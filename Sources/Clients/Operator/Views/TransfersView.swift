package import ControlAPI

/// What `torpor transfers` shows: a line for each, and what those that failed printed last.
package struct TransfersView {
    private let transfers: [SupervisorInterface.Transfer]
    private let clock: WallClock

    /// A view of `transfers`, as seen at the time of `clock`.
    package init(_ transfers: [SupervisorInterface.Transfer], at clock: WallClock) {
        self.transfers = transfers
        self.clock = clock
    }

    /// All of it, as lines.
    package func rendered(_ style: Style) -> String {
        var table = Table([
            .init(title: "NUMBER", isNumber: true), .init(title: "WORKER"), .init(title: "STATE"),
            .init(title: "BEGAN"), .init(title: "PROGRESS"), .init(title: "PURPOSE"),
        ])
        for transfer in transfers {
            let tint: Tint? = transfer.outcome.map { $0 == .completed ? nil : .attention } ?? nil
            table.append([
                .init("\(transfer.number)"), .init(transfer.worker.printable), .init(transfer.state, tint),
                .init(clock.age(transfer.began)), .init(transfer.progress),
                .init(transfer.purpose?.printable ?? ""),
            ])
        }
        let text = transfers.isEmpty ? "" : table.rendered(style)
        guard style.hasLegend else { return text }
        let running = transfers.count { $0.stage != .ended }
        let ended = transfers.count - running
        let rest = ended == 0 ? "" : ", \(ended) ended and not told"
        return text + (transfers.isEmpty ? "" : "\n")
            + style.paint("\(count(running, "transfer")) running\(rest).", .faint) + "\n"
    }
}

extension SupervisorInterface.Transfer {
    /// How far it is, or what came of it.
    var state: String {
        guard let outcome else { return stage.rawValue }
        switch outcome {
        case .completed: return "completed"
        case .failed:
            if let exitStatus { return "failed (exit status \(exitStatus))" }
            return "failed" + (signal.map { " (\($0.printable))" } ?? "")
        case .cancelled: return "cancelled"
        case .timeLimit: return "ended at its time limit"
        case .memoryLimit: return "ended at its memory limit"
        case .shutdown: return "ended with all workers"
        case .lost: return "lost"
        }
    }

    /// How much of it is done, as far as it tells that; `–` where it does not.
    var progress: String {
        var parts: [String] = []
        if let percent { parts.append("\(percent)%") }
        if let done { parts.append(total.map { "\(done)/\($0)" } ?? "\(done)") }
        if let text { parts.append(text.printable) }
        return parts.isEmpty ? "-" : parts.joined(separator: " ")
    }

    /// One line of `torpor status`.
    func words(_ clock: WallClock, _ users: UserNames) -> String {
        let purpose = purpose.map { " (\($0.printable))" } ?? ""
        let caller = by.map { ", by \($0.words(users))" } ?? ""
        let far = progress == "-" ? "" : ", \(progress)"
        let left = remainingUsec.map { ", \(span($0)) left" } ?? ""
        let told = outcome == nil ? "" : ", the worker has not been told yet"
        return "\(number)\(purpose): \(state)\(caller), began \(clock.age(began))\(far)\(left)\(told)"
    }
}
