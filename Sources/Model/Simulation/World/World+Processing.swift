internal import Budgeting
internal import Lifecycle
internal import Processing
internal import WorkerFile

/// Long work at a good time in a simulated world: the machine is on mains, unused and without pressure until events say otherwise.
extension World {
    /// Takes in which workers have long work.
    mutating func beginProcessing() {
        machine.use = .unusedSince(.zero)
        for (index, worker) in scenario.workers.enumerated()
        where worker.definition.background.modes.contains(.processing) {
            tellProcessing(.set(index, worker.definition.background.processing))
        }
    }

    /// Tells the plan something, and carries out what it decides.
    mutating func tellProcessing(_ event: ProcessingPlan<Int>.Event) {
        for action in processing.handle(event, at: now) {
            switch action {
            case .begin(let worker, _):
                let life = lives[worker]
                if life.mayProcess(hasHook: life.policy.hooks.contains(.performProcessing)),
                    !holdsBack(worker)
                {
                    perform(.brings(.processing, .processing), on: worker)
                } else {
                    tellProcessing(.refused(worker))
                }
            case .revoke(let worker, let end):
                if case .obstacle(let obstacle) = end { noteProcessing(worker, obstacle) }
                give(.processingRevoked, to: worker)
            case .over: break
            }
        }
        for worker in processing.workers {
            let obstacle = processing.obstacle(of: worker, at: now)
            switch obstacle {
            // How long it has been unused changes with each look, and what is under way shows itself.
            case .anotherWorker, .cutShort: break
            default: noteProcessing(worker, obstacle)
            }
        }
        if let next = processing.nextLook { enter(.looksAtMachine(next), at: max(next, now)) }
    }

    /// Notes what is in the way of long work, where that is something else than before.
    private mutating func noteProcessing(_ worker: Int, _ obstacle: ProcessingObstacle?) {
        guard processingObstacles[worker] != obstacle else { return }
        processingObstacles[worker] = obstacle
        if let obstacle { note(.processing(obstacle), worker) }
    }

    /// The use of the machine's sessions, or the pressure on its resources, changes.
    mutating func machineTurns(_ change: MachineChange) {
        switch change {
        case .used(let isUsed): machine.use = isUsed ? .used : .unusedSince(now)
        case .pressure(let resource, let hundredths):
            machine.pressure[resource] = PressureAverages(hundredths: hundredths)
        }
        tellProcessing(.read(machine))
    }

    /// The machine is powered in another way.
    mutating func powerTurns(_ power: PowerReading) {
        machine.power = power
        tellProcessing(.read(machine))
    }

    /// What an event and its effects mean for long work that is under way.
    mutating func processingFollows(_ worker: Int, _ event: Event, _ effects: [Effect]) {
        guard processing.began(worker) != nil else { return }
        var hasEnded = false
        for effect in effects {
            switch effect {
            case .deliver(let delivery) where delivery.callback == .performProcessing:
                processingDelivery = delivery.id
            case .publish(let transition) where [.suspended, .notRunning].contains(transition.to):
                hasEnded = true
            default: break
            }
        }
        if case .launchFailed = event { hasEnded = true }
        if let id = processingDelivery, !lives[worker].awaits(id) {
            processingDelivery = nil
            tellProcessing(event == .completed(id: id, .done) ? .done(worker) : .rests(worker))
        } else if hasEnded {
            processingDelivery = nil
            tellProcessing(.rests(worker))
        }
    }
}
