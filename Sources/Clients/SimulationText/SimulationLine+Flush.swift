internal import Budgeting
internal import ConfigurationSyntax
internal import ControlAPI
internal import Interrupting
internal import Lifecycle
internal import Notifications
internal import Operator
internal import Processing
internal import Simulation
internal import Varlink
internal import WorkerFile

private func spanText(_ span: TimeSpan) -> String { span.legible }

extension SimulationLine {
    /// What was posted to a worker, and what became of that; nil for what the worker's own lines tell as well.
    init?(_ note: FlushNote) {
        switch note.what {
        case .posted(let topic, .waits(let number)):
            self.init(
                "posted", "posted: \(topic) \(number)", .strong,
                ["topic": .string(topic.name), "number": .int(Int64(number))])
        case .posted(let topic, .vanished):
            self.init(
                "posted", "posted: \(topic), nothing left to tell", .strong, ["topic": .string(topic.name)])
        case .posted(let topic, .refused(let reason)):
            self.init(
                "refused", "post to \(topic) refused: \(reason.rawValue)", .attention,
                ["topic": .string(topic.name), "reason": .string(reason.rawValue)])
        case .notWanted(let topic):
            self.init(
                "refused", "post to \(topic) refused: no receiver", .attention,
                ["topic": .string(topic.name), "reason": "notWanted"])
        case .decided(let effect): self.init(effect, at: note.at)
        case .kept(let kept, let span):
            let full = span.map { "; the budget of wakes is full again in \(spanText($0))" } ?? ""
            self.init(
                "kept", "kept: \(kept.words())\(full)", .attention,
                [
                    "reason": .string(kept.reason.rawValue),
                    "fullUsec": span.map { .int($0.microseconds) } ?? .null,
                ])
        case .heldBack(let kept):
            self.init(
                "kept", "kept: \(kept.words()), until its protected data is available", .attention,
                ["reason": .string(kept.reason.rawValue)])
        case .released(let kept):
            self.init(
                "released", "let through: \(kept.map { $0.words() }.joined(separator: ", "))", .strong,
                [
                    "reasons": .array(kept.map { .string($0.reason.rawValue) }),
                    "count": .int(Int64(kept.map(\.count).reduce(0, +))),
                ])
        case .interval(let interval):
            self.init(
                "interval", "  the next fetches come every \(spanText(interval))", nil,
                ["usec": .int(interval.microseconds)])
        case .savedState(.same): return nil
        case .savedState(.other(let version)):
            self.init(
                "savedState", "  its saved state is of another version: \(version ?? "not known")", nil,
                ["fate": "handed", "version": version.map { .string($0) } ?? .null])
        case .savedState(.dropped(let version)):
            self.init(
                "savedState", "saved state dropped: it is of another version: \(version ?? "not known")",
                .attention, ["fate": "dropped", "version": version.map { .string($0) } ?? .null])
        case .launchOptions(let options):
            self.init(
                "launchOptions", "launch with the options \(options.printable)", .strong,
                ["options": .string(options)])
        case .launchOptionsRefused:
            self.init(
                "refused", "launch with options refused: \(LaunchOptions.refusal)", .attention,
                ["reason": "launchOptions"])
        case .alertRefused(let topic, let refusal):
            self.init(
                "refused", "alert about \(topic) refused: \(refusal.words)", .attention,
                ["topic": .string(topic.name), "reason": .string(refusal.words)])
        case .snapshot: self.init("snapshot", "  the last lines of its output are kept", .faint)
        case .processing(let obstacle): self.init("processing", "  long work waits: \(obstacle.words)", nil)
        case .lowPower(let isOn, let because):
            self.init(
                "lowPower", "low-power mode is \(isOn ? "on" : "off"): \(because)", .attention,
                ["on": .bool(isOn)])
        }
    }

    private init?(_ effect: FlushPlan.Effect, at now: Instant) {
        switch effect {
        case .deliver(_, let entries): self.init("flush", "to its connection", entries)
        case .run(let job, _):
            let receiver = job.kind == .signal ? "by signal" : "to a hook"
            self.init("hook", receiver, job.entries)
        case .arm(let due, let problem):
            self.init(
                "notTaken",
                "  notifications not taken: \(problem); retry in \(span((due - now).microseconds))",
                .attention,
                [
                    "problem": .string(problem.description),
                    "retryUsec": .int((due - now).microseconds),
                ])
        case .setAside(let entry):
            self.init(
                "setAside", "\(entry.topic) \(entry.sequence) set aside: the worker has died of it twice",
                .bad,
                ["topic": .string(entry.topic.name), "number": .int(Int64(entry.sequence))])
        case .removed(let entry):
            self.init(
                "removed", "\(entry.topic) \(entry.sequence) removed: too many are set aside", .bad,
                ["topic": .string(entry.topic.name), "number": .int(Int64(entry.sequence))])
        case .announce, .announceForeground, .beginHooks, .cancel, .complete, .store, .taken, .disarm:
            return nil
        }
    }

    private init(_ kind: String, _ receiver: String, _ entries: [QueuedNotification]) {
        var words = entries.prefix(8).map { entry in
            "\(entry.topic) \(entry.sequence)" + (entry.count > 1 ? " (\(entry.count) posts)" : "")
        }
        if entries.count > words.count { words.append("\(entries.count - words.count) more") }
        self.init(
            kind, "  notifications \(receiver): \(words.joined(separator: ", "))", nil,
            ["numbers": .array(entries.map { .int(Int64($0.sequence)) })])
    }
}
