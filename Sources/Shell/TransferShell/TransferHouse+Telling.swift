internal import Lifecycle
internal import Supervisor
internal import SupervisorPorts
internal import Transferring

/// The ends that workers are told.
extension TransferHouse {
    func look(_ name: String) {
        var isReachable = false
        if let id = find(name), let worker = supervisor.workers[id] {
            isReachable = worker.life.hearsOfTransfers(wakes: worker.configuration.transfers.wakes)
        }
        handle(.reachable(name, isReachable))
    }

    func tell(_ name: String, _ numbers: [UInt32]) {
        guard let id = find(name), let worker = supervisor.workers[id] else { return handle(.notTaken(name)) }
        let ends = numbers.compactMap { plan.entries[$0] }
        let object = TransferEvents.object(of: ends, now: now, withOutput: true)
        let isThere = worker.life.currentLaunch != nil && !worker.life.isEnding
        if !isThere {
            worker.nextLaunch.options = TransferEvents.object(of: ends, now: now, withOutput: false)
        }
        let inbound = supervisor.take(.transfer(object), .transfer, for: worker) { [weak self] outcome in
            self?.settled(outcome, of: name)
        }
        let which = numbers.count == 1 ? "transfer \(numbers[0])" : "\(numbers.count) transfers"
        supervisor.rouse(
            worker, Wake(.transfer, intoForeground: false, bringing: inbound),
            WakeOrigin(.transfer, "(\(which))"))
    }

    func settled(_ outcome: DeliveryOutcome, of name: String) {
        switch outcome {
        case .taken: handle(.taken(name))
        // It has nothing that could take it, and will have nothing: one with a connection of its own may connect.
        case .refused(.noReceiver) where !hasConnection(name): handle(.taken(name))
        case .failed, .refused:
            handle(.notTaken(name))
            look(name)
        }
    }

    private func hasConnection(_ name: String) -> Bool {
        find(name).flatMap { supervisor.workers[$0] }?.configuration.hasWorkerSocket ?? true
    }
}
