internal import Lifecycle
internal import Operator
internal import Varlink

/// One thing that happened in a simulated world: as a clause for people, and as fields for programs.
struct SimulationLine {
    let kind: String
    let text: String
    var tint: Tint?
    var fields: JSON.Object

    init(_ kind: String, _ text: String, _ tint: Tint? = nil, _ fields: JSON.Object = [:]) {
        self.kind = kind
        self.text = text
        self.tint = tint
        self.fields = fields
    }

    // MARK: what the models decided

    /// Nil for what only the machine has to know.
    init?(_ effect: Effect, at now: Instant, _ style: Style) {
        switch effect {
        case .launch(let launch): self.init(launch)
        case .deliver(let delivery): self.init(delivery, at: now)
        case .publish(let transition): self.init(transition, style)
        case .record(let record): self.init(record)
        case .stop: self.init("stopSignal", "stop signal")
        case .kill: self.init("kill", "SIGKILL", .bad)
        case .throttle(let isOn):
            self.init(
                "throttle", isOn ? "CPU throttled" : "CPU no longer throttled", nil, ["on": .bool(isOn)])
        case .launchCompleted: self.init("launched", "launch complete")
        case .savedState(let fate):
            self.init("savedState", "saved state \(fate.words)", nil, ["fate": .string(fate.rawValue)])
        case .answerTask(let token, let answer):
            self.init(
                "task", "background task \(token) \(answer.words)", nil,
                ["token": .int(Int64(token)), "answer": .string(answer.rawValue)])
        case .drop(let inbound, let why):
            self.init(
                "dropped", "\(inbound.kind.rawValue) dropped: \(why.words)", .attention,
                ["what": .string(inbound.kind.rawValue), "reason": .string(why.rawValue)])
        case .refuse(let refusal, _):
            self.init(
                "refused", "refused: \(refusal.words)", .attention, ["reason": .string(refusal.rawValue)])
        case .warn(let warning):
            self.init("warning", "warning: \(warning)", .attention, ["warning": .string("\(warning)")])
        case .report(let surprise):
            let event = Self.name(of: surprise.event)
            self.init("ignored", "ignored: \(event)", .faint, ["event": .string(event)])
        case .holdOver(let token, let end):
            self.init(
                "task", "background task \(token) \(end.words)", nil,
                ["token": .int(Int64(token)), "answer": .string(end.rawValue)])
        case .freeze, .thaw, .inspectResources, .readCPU, .beginUse, .inspectUse, .arm, .disarm: return nil
        }
    }

    /// The event's name alone: what it carries is in our own words, not in people's.
    private static func name(of event: Event) -> String {
        if case .announced(let callback) = event { return callback.rawValue }
        return caseName(event)
    }

    static func caseName(_ value: some Any) -> String { String("\(value)".prefix { $0 != "(" }) }

    private init(_ launch: Launch) {
        let place = launch.intoForeground ? "foreground" : "background"
        let isRestore = launch.isRestored ? ", a restore" : ""
        let restores = isRestore + (launch.restoresState ? ", with its saved state" : "")
        self.init(
            "launch", "launch into the \(place): \(launch.reason.rawValue)\(restores)", nil,
            [
                "reason": .string(launch.reason.rawValue), "foreground": .bool(launch.intoForeground),
                "incarnation": .int(Int64(launch.incarnation)), "restoresState": .bool(launch.restoresState),
                "restored": .bool(launch.isRestored),
            ])
    }

    private init(_ delivery: Delivery, at now: Instant) {
        var facts: [String] = []
        var fields: JSON.Object = ["callback": .string(delivery.callback.rawValue)]
        if let inbound = delivery.inbound {
            facts.append(inbound.kind.rawValue)
            fields["about"] = .string(inbound.kind.rawValue)
        }
        if let deadline = delivery.deadline {
            let limit = (deadline - now).microseconds
            facts.append("at most \(span(limit))")
            fields["limitUsec"] = .int(limit)
        }
        let clause = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        self.init("callback", "  \(delivery.callback.rawValue)\(clause)", nil, fields)
    }

    private init(_ transition: Transition, _ style: Style) {
        var facts = [transition.cause.words]
        var fields: JSON.Object = [
            "from": .string(transition.from.rawValue), "to": .string(transition.to.rawValue),
            "cause": .string(transition.cause.words),
        ]
        if let asleep = transition.suspendedFor {
            facts.append("asleep for \(span(asleep.microseconds))")
            fields["suspendedUsec"] = .int(asleep.microseconds)
        }
        if !transition.notTold.isEmpty {
            let names = Callback.allCases.filter { transition.notTold.contains($0) }.map(\.rawValue)
            facts.append("not delivered: \(enumeration(names))")
            fields["notTold"] = .array(names.map { .string($0) })
        }
        let tint: Tint? =
            switch transition.to {
            case .active: .good
            case .suspended: .asleep
            case .inactive, .background, .notRunning: nil
            }
        self.init(
            "transition",
            "\(transition.from.rawValue) \(style.arrow) \(transition.to.rawValue) (\(facts.joined(separator: ", ")))",
            tint, fields)
    }

    private init(_ record: TerminationRecord) {
        var facts = [record.status.description]
        var fields: JSON.Object = [
            "cause": .string(record.cause.rawValue), "state": .string(record.state.rawValue),
            "status": .string(record.status.description), "ranUsec": .int(record.ran.microseconds),
            "backgroundUsec": .int(record.inBackground.microseconds),
            "suspendedUsec": .int(record.suspended.microseconds),
        ]
        if let code = record.cause.code {
            let code = "0x" + String(code, radix: 16)
            facts.insert(code, at: 0)
            fields["code"] = .string(code)
        }
        if record.cause != .launchFailed {
            facts.append("ran \(span(record.ran.microseconds))")
            facts.append("asleep \(span(record.suspended.microseconds))")
        }
        if let unfinished = record.unfinished {
            facts.append("\(span(unfinished.age.microseconds)) in \(unfinished.callback.rawValue)")
            fields["callback"] = .string(unfinished.callback.rawValue)
            fields["callbackUsec"] = .int(unfinished.age.microseconds)
        }
        if let restart = record.restartsAt {
            facts.append("restart in \(span((restart - record.at).microseconds))")
            fields["restartUsec"] = .int((restart - record.at).microseconds)
        }
        let isAsked = [.exited, .stopped, .evicted, .forceQuit].contains(record.cause)
        self.init(
            "ended", "ended: \(record.cause.words), \(facts.joined(separator: ", "))", isAsked ? nil : .bad,
            fields)
    }
}
