internal import Lifecycle
internal import Pressure
internal import WorkerFile

/// The policy of memory at work in a simulated world.
extension World {
    /// Gives the policy an event, and carries out what it decides.
    mutating func consider(_ event: PressureEvent) {
        guard memory != nil else { return }
        var waiting = [event]
        var next = 0
        while next < waiting.count {
            let event = waiting[next]
            next += 1
            let moment = now
            let effects = memory?.model.handle(event, at: moment) ?? []
            for effect in effects {
                switch effect {
                case .sample: if let sample { waiting.append(.fact(.sampled(sample))) }
                case .look: if let snapshot { waiting.append(.looked(snapshot)) }
                case .warn(let warning):
                    note(effect)
                    if let worker = number(of: warning.worker) {
                        memory?.told[worker] = warning.level
                        give(.announced(.didReceiveMemoryWarning), to: worker)
                    }
                case .evict(let victim):
                    note(effect)
                    guard let worker = number(of: victim.name) else { continue }
                    let requester: Requester = victim.reason == .limit ? .memoryLimit : .memoryPressure
                    give(.evictionRequested(Eviction(by: requester, grace: victim.grace)), to: worker)
                case .arm(let timer, let due, _, let generation):
                    memory?.timers[timer] = generation
                    enter(.policyTimer(timer, generation: generation), at: max(due, now))
                case .disarm(let timer): memory?.timers[timer] = nil
                // The simulated kernel tells of limits by itself.
                case .lookAtLimits: break
                case .levelChanged, .report: note(effect)
                }
            }
        }
    }

    private mutating func note(_ effect: PressureEffect) {
        let available = Int64(memory?.book.available ?? 0)
        let decision = MemoryDecision(at: now, effect: effect, available: max(0, available))
        memory?.decisions.append(decision)
    }

    private var sample: MemorySample? { memory?.book.sample }

    private var snapshot: PressureSnapshot? {
        guard let memory else { return nil }
        let candidates = lives.indices.compactMap { index -> PressureCandidate? in
            guard let held = memory.book.memory(of: index) else { return nil }
            return PressureCandidate(
                lives[index], name: scenario.workers[index].name,
                priority: scenario.workers[index].definition.memory.priority,
                lastActive: memory.lastActive[index], wasUsed: memory.wasUsed[index],
                since: memory.since[index], memory: held,
                limit: limit(scenario.workers[index].definition.memory.max).map { Int64(min($0, 1e18)) })
        }
        return PressureSnapshot(memory.book.sample, candidates)
    }

    private func number(of name: String) -> Int? { scenario.workers.firstIndex { $0.name == name } }

    /// A model has handled an event: the policy hears what concerns it.
    mutating func policyFollows(_ worker: Int, _ event: Event, _ effects: [Effect]) {
        guard memory != nil else { return }
        for effect in effects {
            switch effect {
            case .publish(let transition): follow(transition, of: worker)
            case .refuse(let refusal, let requester)
            where refusal == .notRunning || refusal == .notEvictable:
                guard requester == .memoryPressure || requester == .memoryLimit else { continue }
                consider(.refused(worker: scenario.workers[worker].name))
            default: break
            }
        }
        if case .exited = event { consider(.fact(.released(worker: scenario.workers[worker].name))) }
    }

    private mutating func follow(_ transition: Transition, of worker: Int) {
        let moment = now
        memory?.since[worker] = moment
        if transition.from == .active || transition.to == .active { memory?.lastActive[worker] = moment }
        if transition.to == .active { memory?.wasUsed[worker] = true }
        if transition.to == .notRunning { memory?.wasUsed[worker] = false }
        let all = lives.reduce(into: EvictionEligibility()) { $0.formUnion(EvictionEligibility($1)) }
        let (canEvict, canWarn) = (all.contains(.canEvict), all.contains(.canWarn))
        guard let model = memory?.model, (model.canEvict, model.canWarn) != (canEvict, canWarn) else {
            return
        }
        consider(.workersChanged(canEvict: canEvict, canWarn: canWarn))
    }
}
