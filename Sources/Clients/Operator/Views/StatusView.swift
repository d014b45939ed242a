package import ControlAPI
internal import Varlink

/// The TCP sockets that a worker has opened itself, as far as the caller may look.
package struct OwnSockets: Hashable, Sendable {
    /// Where it listens, as `tcp 127.0.0.1:80`.
    package let listensAt: [String]
    /// How many connections are open.
    package let connections: Int

    /// Sockets, by what is told of them.
    package init(listensAt: [String], connections: Int) {
        self.listensAt = listensAt
        self.connections = connections
    }

    /// In lines, without those that the supervisor holds for it at these addresses.
    fileprivate func lines(besides held: [String]) -> [String] {
        let count = connections == 1 ? "1 connection" : "\(connections) connections"
        let own = listensAt.filter { !held.contains($0) }.map { "\($0): listening" }
        return connections == 0 ? own : own + ["\(count) open"]
    }
}

/// What `torpor status NAME` shows.
package struct StatusView {
    private let worker: SupervisorInterface.WorkerStatus
    private let clock: WallClock
    /// What it has opened itself; nil where that is not known.
    package var ownSockets: OwnSockets?

    /// A view of `worker`, as seen at the time of `clock`.
    package init(_ worker: SupervisorInterface.WorkerStatus, at clock: WallClock) {
        self.worker = worker
        self.clock = clock
    }

    /// The exit code that is due: 3 for a worker that does not run, and a sleeping one runs.
    package var exitStatus: OperatorExit { worker.state == .notRunning ? .notRunning : .success }

    /// All of it, as lines.
    package func rendered(_ style: Style) -> String {
        let tint = worker.state.tint(reason: worker.reason, held: worker.held)
        var text = style.paint(style.dot, tint) + " " + style.paint(worker.name.printable, .strong)
        if let description = worker.description { text += " - " + description.printable }
        var fields = Fields()
        let unfiled = worker.fileProblem == nil ? "transient" : "not-found"
        fields.add("Loaded", worker.files.isEmpty ? [unfiled] : worker.files.map(\.printable))
        addLifecycle(to: &fields, style, tint)
        addTimes(to: &fields, style)
        addProcess(to: &fields, style)
        addPast(to: &fields, style.users)
        return text + "\n" + fields.rendered(style) + output(style)
    }

    private func addLifecycle(to fields: inout Fields, _ style: Style, _ tint: Tint?) {
        if let problem = worker.fileProblem {
            let since = worker.definedAt.map { " of \(clock.stamp($0))" } ?? ""
            let effect =
                worker.files.isEmpty
                ? "; its definition was lost when the daemon was replaced"
                : "; the definition\(since) remains in effect"
            fields.add("File", style.paint(problem.printable + effect, .attention))
        }
        let reason =
            worker.reason.map { " (\($0.words))" } ?? (worker.launching == nil ? "" : " (being launched)")
        fields.add(
            "State",
            style.paint(worker.state.rawValue + reason, tint)
                + " since \(clock.stamp(worker.since)); \(clock.age(worker.since))")
        fields.add("Launch", worker.launching.map { style.users.naming($0.printable) })
        if worker.held {
            let others = Int(clamping: worker.runningOthers ?? 0)
            let running =
                others > 0
                ? " (its main process only); \(others) other process"
                    + (others == 1 ? " still runs" : "es still run")
                : ""
            fields.add(
                "Held",
                style.paint(
                    "stopped by another program\(running); no event wakes it, see 'torpor why'",
                    .attention))
        }
        if worker.adopted ?? false {
            fields.add("Adopted", "started by a previous supervisor")
        }
        fields.add(
            "Goal", worker.goal.rawValue + (worker.goalBy.map { ", set by \($0.words(style.users))" } ?? ""))
        fields.add("Why", worker.because.map { style.users.naming($0.printable) })
        fields.add("Would change", (worker.wouldChange ?? []).map(\.printable))
        fields.add("Type", worker.type.printable + (worker.user.map { ", as user \($0.printable)" } ?? ""))
        fields.add("Ready when", worker.readyWhen.map(\.printable))
        fields.add(
            "Woken by",
            worker.lastWake.map { wake in
                let caller = wake.by.map { " by \($0.words(style.users))" } ?? ""
                let program = wake.program.map { " (\($0.printable))" } ?? ""
                let event: String =
                    switch (wake.reason, wake.detail?.printable) {
                    case (let reason, nil): reason.rawValue
                    case (.failure, let worker?): "failure of \(worker)"
                    case (.operator, let options?): "operator, with the options \(options)"
                    // It says what came.
                    case (.socket, let detail?): detail
                    case (let reason, let detail?): "\(reason.rawValue) \(detail)"
                    }
                return event + caller + program + "; " + clock.age(wake.at)
            })
        fields.add(
            "Wakes by",
            worker.wakesBy.map {
                [$0, worker.wakeLimits].compactMap(\.self).joined(separator: ", ").printable
            }
        )
        fields.add(
            "Sockets",
            (worker.sockets ?? []).map { socket in
                let text = "\(socket.directive)=\(socket.address.printable): \(socket.detail.printable)"
                return socket.open ? text : style.paint(text, .attention)
            }
                + (ownSockets?.lines(besides: (worker.sockets ?? []).map { "tcp \($0.address)" }) ?? []))
        fields.add("Last use", worker.lastUse?.what.printable)
        fields.add("Would sleep", worker.sleepGain?.words)
        fields.add("Fetch", worker.fetch?.words(clock))
        fields.add("Long work", worker.processing?.words)
        fields.add("Low power", worker.lowPower.map { "on, so fetches wait: \($0.printable)" })
        fields.add("Wake budget", worker.wakeBudget?.lines ?? [])
        if let reason = worker.launchReason {
            let options = worker.launchOptions?.object.flatMap { $0.members.isEmpty ? nil : $0 }
            let shown = options.map { " " + $0.line.printable } ?? ""
            let restore = worker.restored ?? false ? ", restored after an eviction" : ""
            fields.add("Launched for", reason.rawValue + restore + shown)
        }
    }

    private func addTimes(to fields: inout Fields, _ style: Style) {
        if let next = worker.deadlines.first(where: { $0.name == "sleep" }) {
            let why = worker.freezeFailure.map { ": \($0.printable)" } ?? ""
            let due = clock.now.addingReportingOverflow(next.remainingUsec).partialValue
            fields.add(
                "Not asleep",
                style.paint(
                    "it could not be suspended\(why); next attempt at \(clock.stamp(due)), in "
                        + span(next.remainingUsec), .attention))
        }
        fields.add("Callback", worker.callback.map { $0.printable + " in flight" })
        fields.add(
            "Failed hook", (worker.hookFailures ?? []).map { style.paint($0.words(clock), .attention) })
        fields.add("Deadline", worker.deadlines.map(\.words))
        fields.add("Background", worker.backgroundTimeRemainingUsec.map { span($0) + " left" })
        fields.add("Interrupted", (worker.interruptions ?? []).map { $0.words(clock, style.users) })
        fields.add("Activity", (worker.activities ?? []).map { $0.words(clock) })
        fields.add(
            "Kept awake",
            worker.tasks.map { task in
                let holder = task.by.map { ", held by \($0.words(style.users))" } ?? ""
                let name = task.name.isEmpty ? "a background task" : task.name.printable
                return "by \(name), started \(clock.age(task.since))\(holder)"
            })
        fields.add("Transfers", (worker.transfers ?? []).map { $0.words(clock, style.users) })
        if worker.queueLength > 0 {
            fields.add("Queue", count(Int(clamping: worker.queueLength), "notification"))
        }
        fields.add("Output", worker.outputTo.map(\.printable))
        fields.add("Status", worker.statusText.map { "\"\($0.printable)\"" })
    }

    private func addProcess(to fields: inout Fields, _ style: Style) {
        let others = worker.processCount.map { $0 > 1 ? " (\($0) processes)" : "" } ?? ""
        fields.add("Main PID", worker.pid.map { "\($0)\(others)" })
        fields.add("Memory", worker.memory.map(\.words))
        fields.add("CPU", worker.cpuUsec.map(span))
        // Of one alone, the lines above tell all.
        if let processes = worker.processes, processes.count > 1 {
            fields.add("Processes", ProcessTreeView(processes).lines(style))
        }
        fields.add(
            "Freezer",
            worker.freezeMethod.map { method in
                switch method {
                case .cgroup: "cgroup freezer"
                case .signal: "SIGSTOP to each process"
                }
            })
        fields.add("Command", worker.commandLine.map { $0.map(\.shellWord).joined(separator: " ").printable })
    }

    private func addPast(to fields: inout Fields, _ users: UserNames) {
        if worker.restartCount > 0 {
            fields.add("Restarts", "\(worker.restartCount) in a row")
        }
        guard let last = worker.lastTermination else { return }
        fields.add("Last end", last.lines(clock, users))
    }

    /// What it printed last: ten lines of what is kept, else what the record of its last end has.
    private var lastLines: [String] {
        if let lines = worker.lastOutput { return lines.suffix(Self.mostLines) }
        return worker.lastTermination?.lastOutput?.suffix(Self.mostLines) ?? []
    }

    private static let mostLines = 10

    /// The last lines of output, set apart, as systemctl shows the journal's.
    private func output(_ style: Style) -> String {
        let lines = lastLines
        guard !lines.isEmpty else { return "" }
        return "\n" + lines.map { style.paint($0.printable, .faint) + "\n" }.joined()
    }
}

extension SupervisorInterface.HookFailure {
    /// Which callback, of what topic, by what action; why, and how long ago.
    fileprivate func words(_ clock: WallClock) -> String {
        var text = callback.printable
        if let topic { text += " of \(topic.printable)" }
        if let action { text += " (\(action.printable))" }
        if let why { text += ": \(why.printable)" }
        return text + "; " + clock.age(at)
    }
}
