internal import Lifecycle
package import Pressure
package import Supervisor
package import SupervisorPorts

/// Hears what the policy of memory decides.
package protocol PressureObserver: AnyObject {
    func hear(_ effect: PressureEffect)
}

/// Acts on memory pressure (2.3): owns the policy, gives it what the machine and the workers tell, and carries out what it decides.
package final class PressureCoordinator: NoticeObserver, MemoryObserver, PressureEventObserver {
    /// The policy, as it stands.
    package private(set) var model: MemoryPressure
    /// What has been done so far.
    package private(set) var tally = PressureTally()
    /// Hears what was decided, in order: the log, the history.
    package weak var observer: (any PressureObserver)?
    let machine: any PressureMachine
    private let supervisor: Supervisor
    /// Workers with a process, by their names.
    private var ids: [String: WorkerID] = [:]
    /// How many could be evicted, and how many warned.
    private var evictable = 0
    private var warnable = 0
    /// What the workers hold that are being evicted, and what was reclaimed in their sleep.
    private var losses: [WorkerID: (freed: Int64, givenBack: Int64?)] = [:]
    /// What is to be handled, in order: nothing is handled while something else is.
    private var waiting: [PressureEvent] = []
    private var isHandling = false
    /// Those that run with a limit of their own, by their names.
    private var limited: Set<String> = []
    /// Those that run and could come to hold more than they may.
    private var capped = 0
    private var heard: (triggers: [PressureTrigger], workers: Set<String>) = ([], [])
    private var hearsMachine = false
    /// Whether the machine is heard, and nothing has been lost since that was asked for.
    private var hearsAll = false
    private var isClosed = false

    /// The policy for the workers of `supervisor`, on `machine`.
    package init(_ supervisor: Supervisor, _ machine: any PressureMachine, _ settings: PressureSettings) {
        self.supervisor = supervisor
        self.machine = machine
        model = MemoryPressure(settings)
    }

    /// Begins to listen.
    package func start() {
        machine.observer = self
        supervisor.observe(as: .memoryPressure, self)
        supervisor.observeMemory(self)
    }

    /// Closes its triggers for good, since all workers are being ended: what the kernel takes for that passes meanwhile.
    package func close() {
        isClosed = true
        hearNothing()
        listen()
    }

    /// Decides by other settings from now on.
    package func change(_ settings: PressureSettings) {
        guard settings != model.settings else { return }
        give(.settingsChanged(settings))
    }

    /// The machine's figures, fresh; the policy hears of them too, where it has anything to do.
    package func look() -> MemorySample? {
        guard let sample = machine.sample() else { return nil }
        give(.fact(.sampled(sample)))
        return sample
    }

    /// What the end of a worker brought that was ended for memory; once.
    package func takeLoss(of worker: WorkerID) -> (freed: Int64, givenBack: Int64?)? {
        losses.removeValue(forKey: worker)
    }

    // MARK: the workers

    package var interest: NoticeKinds { [.ends, .refusals] }

    /// Hears of ends and of evictions that were refused.
    package func hear(_ notice: Notice, of worker: WorkerID) {
        switch notice {
        case .refused(_, .memoryPressure), .refused(_, .memoryLimit):
            losses[worker] = nil
            if let name = name(of: worker) { give(.refused(worker: name)) }
        case .ended:
            // Told before by the machine, where it looks: a second time it means nothing.
            if let name = name(of: worker) { give(.fact(.released(worker: name))) }
        default: break
        }
    }

    /// A worker has been taken over, or its definition is another one.
    package func reconsider(_ worker: WorkerID) {
        supervisor.publishEligibility(of: worker)
    }

    /// A worker stands elsewhere for the policy.
    package func hear(_ change: Supervisor.EligibilityChange) {
        evictable += change.count(.canEvict)
        warnable += change.count(.canWarn)
        if change.count(.isRunning) != 0 {
            ids[change.name] = change.now.contains(.isRunning) ? change.worker : nil
        }
        if change.count(.isLimited) != 0 { limited.formSymmetricDifference([change.name]) }
        capped += change.count(.isCapped)
        let (canEvict, canWarn) = (evictable > 0, warnable > 0)
        if canEvict != model.canEvict || canWarn != model.canWarn {
            give(.workersChanged(canEvict: canEvict, canWarn: canWarn))
        } else {
            listen()
        }
    }

    private func name(of worker: WorkerID) -> String? {
        supervisor.name(of: worker)
    }

    /// Something became of a worker's memory.
    package func hear(_ fact: MemoryFact, of worker: WorkerID) {
        guard let name = name(of: worker) else { return }
        switch fact {
        case .eventsChanged(let events): give(.fact(.eventsChanged(worker: name, events)))
        case .released: give(.fact(.released(worker: name)))
        case .reclaimed(let reclaim): tally.freedByReclaim = tally.freedByReclaim &+ reclaim.givenBack
        case .limitRefused: break
        }
    }

    // MARK: the policy

    /// Has the policy handle an event, after those that wait already.
    package func give(_ event: PressureEvent) {
        switch event {
        case .fact(.sourceLost(let place)):
            if place == .machine { hearsMachine = false }
            hearsAll = false
        case .fact(.stirred), .fact(.triggered(_, .machine)), .fact(.triggered(_, .subtree)):
            if !model.hasWork { hearNothing() }
        default: break
        }
        waiting.append(event)
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        var next = 0
        while next < waiting.count {
            let effects = model.handle(waiting[next], at: machine.now)
            next += 1
            for effect in effects { perform(effect) }
            listen()
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func perform(_ effect: PressureEffect) {
        tally.count(effect)
        switch effect {
        case .sample:
            if let sample = machine.sample() { waiting.append(.fact(.sampled(sample))) }
        case .look:
            guard let sample = machine.sample() else { return }
            let candidates = supervisor.pressureCandidates()
            waiting.append(.looked(PressureSnapshot(sample, candidates)))
        case .lookAtLimits:
            waiting.append(.lookedAtLimits(supervisor.limitedWorkers()))
        case .warn(let warning):
            observer?.hear(effect)
            guard let worker = ids[warning.worker] else { return }
            supervisor.tell(worker, warning)
        case .evict(let victim):
            observer?.hear(effect)
            evict(victim)
        case .arm(let timer, let due, let slack, let generation):
            machine.arm(timer, at: due, slack: slack, generation: generation)
        case .disarm(let timer): machine.disarm(timer)
        case .levelChanged, .report: observer?.hear(effect)
        }
    }

    private func evict(_ victim: PressureVictim) {
        guard let worker = ids[victim.name] else {
            return waiting.append(.refused(worker: victim.name))
        }
        let givenBack = supervisor.view(of: worker)?.reclaim?.givenBack
        losses[worker] = (victim.benefit, givenBack)
        let requester: Requester = victim.reason == .limit ? .memoryLimit : .memoryPressure
        let eviction = Eviction(by: requester, grace: victim.grace)
        supervisor.submit(.evictionRequested(eviction), to: worker)
    }

    /// Closes the triggers of the machine and of all workers.
    private func hearNothing() {
        let settings = model.settings
        _ = machine.hear(of: [], early: settings.earlyTrigger, own: settings.warningTrigger, in: [])
        (heard, hearsMachine, hearsAll) = (([], []), false, false)
    }

    /// Has the machine tell of what the policy has a use for.
    ///
    /// The kernel takes 10 to 30 ms to close a trigger, and an open(2) of the same file waits for that: the loop would wait each time that
    /// the last worker ends and one starts again. So there are no triggers before there is anything to do, and they stay then until one of
    /// them fires in vain: until that they cost nothing.
    private func listen() {
        // Each worker that wakes or falls asleep comes through here: of the policy its fields are read alone, not a copy of it.
        let hasWork = model.canEvict || model.canWarn
        let settings = model.settings
        // What was refused is tried again when there is work anew.
        let kept = hearsAll ? heard.triggers : []
        var triggers = hasWork ? [settings.warningTrigger, settings.criticalTrigger] : kept
        var workers = hasWork ? limited : []
        if isClosed { (triggers, workers) = ([], []) }
        if triggers != heard.triggers || workers != heard.workers {
            heard = (triggers, workers)
            hearsMachine = machine.hear(
                of: triggers, early: settings.earlyTrigger, own: settings.warningTrigger, in: workers)
            hearsAll = hearsMachine
        }
        if hearsMachine != model.isWoken { give(.listening(isWoken: hearsMachine)) }
        // Where the kernel does not see to `MemoryMax=`, we do.
        let areOurs = capped > 0 && machine.support.kind != .unified
        if areOurs != model.seesToLimits { give(.limitsChanged(areOurs: areOurs)) }
    }
}
