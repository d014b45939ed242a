internal import Launching
package import Lifecycle
internal import Linux
internal import SupervisorPorts

/// What the models decide, carried out by the host and by the parts of the core.
extension Supervisor {
    package func perform(_ effect: Effect, on worker: Worker) {
        switch effect {
        case .launch(let launch):
            worker.isStartLimited = false
            worker.launchBegan = moment
            if !hold(.launch(launch), of: worker) { start(launch, of: worker) }
        case .freeze: if !hold(.freeze, of: worker) { host.freeze(worker.id) }
        case .thaw: if !hold(.thaw, of: worker) { thaw(worker) }
        case .stop: host.signal(worker.id, worker.configuration.stopSignal)
        case .kill: host.kill(worker.id)
        case .inspectResources: host.inspect(worker.id)
        case .readCPU: host.readCPU(worker.id)
        case .arm(let timer, let due, let generation):
            arm(.timer(worker.id, timer), at: due, generation: generation)
        case .disarm(let timer): disarm(.timer(worker.id, timer))
        case .publish(let transition):
            for observer in lifecycleObservers { observer.changed(worker, by: transition, in: self) }
        case .launchCompleted: notify(worker, .launchCompleted)
        case .record(let record): keep(record, of: worker)
        case .warn(let warning):
            if warning == .startLimitHit { worker.isStartLimited = true }
            if case .overrun(let callback) = warning {
                rememberFailure(of: callback, "it took too long and was abandoned", worker)
            }
            notify(worker, .warned(warning, detail: worker.detail(of: warning, at: moment)))
            if warning == .startLimitHit { launchOnFailure(of: worker) }
        case .refuse(let refusal, let requester):
            worker.refusal = refusal
            notify(worker, .refused(refusal, requester))
        case .report(let surprise): notify(worker, .surprised(surprise))
        case .deliver(let delivery): deliver(delivery, to: worker)
        case .throttle(let isHeldDown): host.throttle(worker.id, isHeldDown)
        case .savedState(let fate): states?.apply(fate, to: worker.configuration.name)
        case .answerTask(let token, let answer): answerTask(token, answer, of: worker)
        case .holdOver(let token, let end): holdOver(token, end, of: worker)
        case .drop(let inbound, let refusal): settle(inbound, .refused(refusal), of: worker)
        }
    }

    /// A process has ended, or did not come to be.
    private func keep(_ record: TerminationRecord, of worker: Worker) {
        let record = completed(record, of: worker)
        worker.lastRecord = record
        // Without a process it changes no state: its failure is what it stands at since then.
        if record.state == .notRunning { worker.since = record.at }
        if record.cause == .heldResource, let detail = worker.heldDetail {
            notify(worker, .warned(.holdsResource, detail: detail))
        }
        worker.processEnded()
        abandonCommands(of: worker)
        notificationsInterrupted(of: worker, endedWith: record.cause)
        if worker.hasStateFile { states?.takeBack(from: worker.configuration.name) }
        worker.hasStateFile = false
        notify(worker, .ended(record))
        launchOnFailure(of: worker)
    }

    package func thaw(_ worker: Worker) {
        sendSignalsBeforeThaw(of: worker)
        host.thaw(worker.id)
    }

    package func start(_ launch: Launch, of worker: Worker) {
        let state = launch.restoresState ? states?.hand(to: worker.configuration.name) : nil
        let details = worker.takeLaunchDetails(savedState: state)
        worker.hasStateFile = state != nil
        host.launch(worker.id, worker.configuration, launch, details)
    }
}
