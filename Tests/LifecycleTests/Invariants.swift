@testable import Lifecycle

/// What must hold of every single step of the model, whatever came before it.
enum Invariants {
    /// The first promise that the step from `before` by `event` to `after` breaks; nil when all hold.
    static func violation(
        from before: WorkerLifecycle, by event: Event, to after: WorkerLifecycle, _ effects: [Effect]
    ) -> String? {
        var state = before.state
        var records = 0
        var ends = 0
        var inFlight = before.process?.facts.slot?.id
        if case .completed(let id, _) = event, id == inFlight { inFlight = nil }
        // What only the connection could complete fails with it.
        if case .detached = event, let slot = before.process?.facts.slot,
            !before.policy.hooks.contains(slot.callback)
        {
            inFlight = nil
        }
        var killed = before.process?.facts.ending?.stage == .killed
        for effect in effects {
            switch effect {
            case .publish(let transition):
                if transition.from != state {
                    return "published \(transition.from) → \(transition.to) from \(state)"
                }
                if !Transition.isLegal(from: transition.from, to: transition.to) {
                    return "illegal \(transition.from) → \(transition.to)"
                }
                state = transition.to
                if state == .notRunning {
                    ends += 1
                    killed = false
                }
            case .record(let record):
                records += 1
                if record.state == .notRunning { ends += 1 }
            case .deliver(let delivery):
                if !state.isRunning || state == .suspended {
                    return "delivered \(delivery.callback) while \(state)"
                }
                if killed { return "delivered \(delivery.callback) after SIGKILL" }
                if !isActivity(delivery, after) {
                    // An abandoned launch callback is the one exception: nothing is delivered after it.
                    if let inFlight, inFlight != delivery.id { return "two callbacks in flight" }
                    inFlight = delivery.id
                }
            case .kill:
                killed = true
                // Before there is a process it is the launch that is killed.
                if !state.isRunning { killed = false }
            case .warn(.overrun):
                inFlight = nil
            case .launch, .freeze, .thaw, .stop, .inspectResources, .readCPU, .beginUse, .inspectUse,
                .throttle, .arm, .disarm,
                .launchCompleted,
                .savedState, .answerTask, .holdOver, .drop, .refuse, .warn, .report:
                break
            }
        }
        if state != after.state { return "the last state published is \(state), the model's \(after.state)" }
        if records != ends { return "\(ends) ends left \(records) records" }
        return standing(after)
    }

    /// The first promise that a lifecycle state breaks by itself.
    static func standing(_ life: WorkerLifecycle) -> String? {
        guard life.effects.isEmpty else { return "effects are left over" }
        guard let process = life.process else {
            let allowed: Timer = life.restReason == nil ? .launch : .backoff
            if life.timers.armed.contains(where: { $0.timer != allowed }) {
                return "a deadline without a process"
            }
            return nil
        }
        if process.facts.state == .suspended, process.facts.ending?.stage != .killed {
            // An end waits for a thaw only so long.
            let isThawingToEnd = process.facts.ending != nil && life.isStuckAsleep
            if life.timers.armed.contains(where: { $0.timer != .ending || !isThawingToEnd }) {
                return "a deadline while suspended: \(life.timers.armed.map(\.timer))"
            }
            if isThawingToEnd, life.policy.limits.terminate != nil, life.policy.limits.stop != nil,
                life.timers[.ending] == nil, case .suspended(let sleep) = process.facts.position,
                sleep.thawing
            {
                return "an end that waits for a thaw has no limit"
            }
        }
        if process.facts.ending?.stage == .killed, life.timers.armed.contains(where: { $0.timer != .ending })
        {
            return "a deadline after SIGKILL"
        }
        if process.facts.unconfirmed != nil, process.facts.position == .background(.freezing) {
            return "put to sleep before it was done"
        }
        if life.timers[.freeze] != nil,
            process.facts.position != .background(.awake(leave: .stuck)) || life.goal != .suspended
        {
            return "a freeze that is to be tried again and is not wanted"
        }
        if life.timers[.quiet] != nil, !life.awaitsQuiet {
            return "a look at a worker that is not waited for"
        }
        if life.awaitsQuiet, life.timers[.quiet] == nil, process.facts.unconfirmed?.isReading == false {
            return "it is waited for and not looked at"
        }
        let waits =
            process.facts.state == .suspended || process.facts.ending != nil || isWaiting(process, life)
        if !waits, !life.isSettled { return "stands still without being where it is wanted" }
        return nil
    }

    /// Whether the worker has to wait for an event from outside before it can go on.
    private static func isWaiting(_ process: Process, _ life: WorkerLifecycle) -> Bool {
        if process.facts.slot != nil || process.facts.launching != nil || !process.facts.isAwake {
            return true
        }
        return process.facts.position == .background(.inspecting) || life.isKeptInBackground
            || life.awaitsQuiet
    }

    /// Whether it is handled beside the callback slot.
    private static func isActivity(_ delivery: Delivery, _ after: WorkerLifecycle) -> Bool {
        if let inbound = delivery.inbound { return !inbound.kind.needsForeground }
        return after.process?.facts.activities.contains { $0.id == delivery.id } ?? false
    }
}

extension WorkerLifecycle {
    /// What a worker and a machine that do their best answer next; nil where nothing is left to answer.
    var cooperativeAnswer: Event? {
        switch phase {
        case .notRunning(.backingOff):
            return timers[.backoff].map { .expired(.backoff, generation: $0.generation, traced: false) }
        case .notRunning:
            return nil
        case .spawning(_, let pendingKill):
            return pendingKill == nil ? .launched(pid: 1) : .launchFailed(errno: 110)
        case .running(let process):
            if process.facts.ending?.stage == .killed {
                return .exited(.killed(signal: 9, coreDumped: false), oomKilled: false)
            }
            switch process.facts.position {
            case .suspended(let sleep) where sleep.thawing: return .thawed
            case .suspended(let sleep) where sleep.held: return .continuedOutside
            case .suspended: return nil
            case .background(.freezing): return .frozen
            case .background(.inspecting): return .inspected(nil)
            case .inactive, .active, .background(.awake): break
            }
            if process.facts.ending?.stage == .stopping { return .exited(.exited(0), oomKilled: false) }
            if process.facts.ending?.stage == .notifying, process.facts.slot == nil {
                return .exited(.exited(0), oomKilled: false)
            }
            if let slot = process.facts.slot { return .completed(id: slot.id, .done) }
            if process.facts.launching == .attach { return .attached(.all) }
            if process.facts.launching == .ready || process.facts.reloading { return .ready }
            if interrupted { return .interruptionEnded }
            if awaitsForeground { return .foregroundTaken(false) }
            if let activity = process.facts.activities.first { return .completed(id: activity.id, .done) }
            if let token = process.facts.tasks.min() ?? process.facts.holds.first?.token {
                return .taskEnded(token: token)
            }
            if process.facts.unconfirmed?.isReading ?? false {
                return .cpuRead(CPUReading(used: .seconds(1)))
            }
            if let quiet = timers[.quiet] {
                return .expired(.quiet, generation: quiet.generation, traced: false)
            }
            if let freeze = timers[.freeze] {
                return .expired(.freeze, generation: freeze.generation, traced: false)
            }
            if let grace = timers[.grace] {
                return .expired(.grace, generation: grace.generation, traced: false)
            }
            return nil
        }
    }

    /// Gives the model every cooperative answer until none is left.
    ///
    /// - Returns: what went wrong on the way, or nil when the goal was reached or a record said why not.
    func violationOnTheWayToRest(at start: Instant) -> String? {
        var life = self
        var hasRecord = false
        for _ in 0..<80 {
            guard let answer = life.cooperativeAnswer else {
                if life.state == life.goal.state || hasRecord { return nil }
                if case .background(.awake(.stuck)) = life.process?.facts.position { return nil }
                return life.isKeptInBackground ? nil : "rests in \(life.state), wanted in \(life.goal)"
            }
            let before = life
            let effects = life.handle(answer, at: start)
            if let violation = Invariants.violation(from: before, by: answer, to: life, effects) {
                return violation
            }
            if effects.contains(where: { if case .record = $0 { true } else { false } }) { hasRecord = true }
        }
        return "never comes to rest"
    }
}
