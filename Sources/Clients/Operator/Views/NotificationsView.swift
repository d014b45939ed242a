package import ControlAPI
internal import Varlink

/// What `torpor notifications` shows: what waits, what is scheduled, and what is in the way.
package struct NotificationsView {
    private let reply: SupervisorInterface.Notifications.Reply
    private let clock: WallClock

    /// A view of `reply`, as seen at the time of `clock`.
    package init(_ reply: SupervisorInterface.Notifications.Reply, at clock: WallClock) {
        self.reply = reply
        self.clock = clock
    }

    /// All of it, as lines.
    package func rendered(_ style: Style) -> String {
        var parts: [String] = []
        let setAside = reply.notifications.filter { $0.setAside ?? false }
        let waiting = reply.notifications.filter { !($0.setAside ?? false) }
        if !waiting.isEmpty { parts.append(table(of: waiting, title: "TOPIC", style)) }
        if !setAside.isEmpty { parts.append(table(of: setAside, title: "SET ASIDE", style)) }
        if !reply.scheduled.isEmpty { parts.append(scheduled(style)) }
        if let problem = reply.problem {
            let retry = reply.retryUsec.map { "; retry in \(span($0))" } ?? ""
            parts.append(style.paint("not delivered: \(problem.printable)\(retry)", .attention) + "\n")
        }
        if style.hasLegend {
            let aside = setAside.isEmpty ? "" : ", \(setAside.count) set aside"
            let number = count(waiting.count, "notification") + aside
            let scheduled = reply.scheduled.isEmpty ? "" : ", \(reply.scheduled.count) scheduled"
            parts.append(style.paint("\(number), \(size(reply.bytes))\(scheduled).", .faint) + "\n")
        }
        return parts.joined(separator: "\n")
    }

    private func table(
        of entries: [SupervisorInterface.QueuedNotification], title: String, _ style: Style
    ) -> String {
        var table = Table([
            .init(title: title), .init(title: "NUMBER", isNumber: true),
            .init(title: "POSTS", isNumber: true),
            .init(title: "LAST"), .init(title: "DETAILS"),
        ])
        for entry in entries {
            table.append([
                .init(entry.topic, .strong), .init("\(entry.sequence)"), .init("\(entry.count)"),
                .init(clock.age(entry.last)), .init(entry.says),
            ])
        }
        return table.rendered(style)
    }

    private func scheduled(_ style: Style) -> String {
        var table = Table([
            .init(title: "SCHEDULED"), .init(title: "NUMBER", isNumber: true), .init(title: "DUE"),
            .init(title: "EVERY"), .init(title: "DETAILS"),
        ])
        for post in reply.scheduled {
            let program = post.program.map { " (\($0.printable))" } ?? ""
            let says =
                (post.wake ? ["wakes it"] : [])
                + (post.by.map { ["by \($0.words(style.users))\(program)"] } ?? [])
                + (post.payload.map { [$0.line] } ?? [])
            table.append([
                .init(post.topic, .strong), .init("\(post.id)"), .init(clock.stamp(post.at)),
                post.everyUsec.map { .init(span($0)) } ?? .none, .init(says.joined(separator: "; ")),
            ])
        }
        return table.rendered(style)
    }
}

extension SupervisorInterface.QueuedNotification {
    /// What it tells, in one line.
    fileprivate var says: String {
        var parts: [String] = []
        if inFlight { parts.append("being delivered") }
        if let deaths, deaths > 0 {
            parts.append(
                deaths == 1
                    ? "the worker died during delivery once"
                    : "the worker died during delivery \(deaths) times")
        }
        if let added, !added.isEmpty { parts.append("+ " + added.joined(separator: " ")) }
        if let removed, !removed.isEmpty { parts.append("- " + removed.joined(separator: " ")) }
        if let payload { parts.append(payload.line) }
        if let dropped, dropped > 0 { parts.append("\(dropped) dropped before it") }
        return parts.joined(separator: "; ")
    }
}

/// What `torpor post` says: a line for each worker that is worth one.
package struct PostView {
    private let results: [SupervisorInterface.PostResult]

    /// A view of `results`.
    package init(_ results: [SupervisorInterface.PostResult]) {
        self.results = results
    }

    /// What was scheduled, what was not taken, and what of it comes to nothing; what simply waits or is taken needs no words.
    package func rendered(_ style: Style) -> String {
        results.compactMap { result in
            let name = style.paint(result.name.printable, .strong)
            if result.obstacle != nil {
                return name + ": " + style.paint((result.message ?? "not accepted").printable, .attention)
                    + "\n"
            }
            let schedule = result.schedule.map { "\(name): scheduled as number \($0)\n" } ?? ""
            let alert = result.alert.map { "\(name): alert \($0) waits for 'torpor answer'\n" } ?? ""
            return schedule + alert + (result.message.map { "\(name): \($0.printable)\n" } ?? "")
        }.joined()
    }
}
