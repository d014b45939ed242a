internal import Continuing
internal import Interrupting
internal import Launching
package import Lifecycle
internal import Linux
internal import Notifications
internal import Performing
internal import SupervisorPorts

/// What the models decide, carried out by the host and by the parts of the core.
extension Supervisor: EffectPerformer {
    package func launch(_ launch: Launch, of worker: Worker) {
        worker.isStartLimited = false
        worker.launchBegan = moment
        if !hold(.launch(launch), of: worker) { start(launch, of: worker) }
    }

    package func freeze(_ worker: Worker) { if !hold(.freeze, of: worker) { host.freeze(worker.id) } }
    package func thaw(_ worker: Worker) { if !hold(.thaw, of: worker) { thawNow(worker) } }
    package func sendStopSignal(to worker: Worker) { host.signal(worker.id, worker.configuration.stopSignal) }
    package func kill(_ worker: Worker) { host.kill(worker.id) }
    package func inspectResources(of worker: Worker) { host.inspect(worker.id) }
    package func readCPU(of worker: Worker) { host.readCPU(worker.id) }
    package func beginUse(of worker: Worker) { host.beginUse(of: worker.id) }
    package func inspectUse(of worker: Worker) { host.inspectUse(of: worker.id) }
    package func throttle(_ worker: Worker, _ isHeldDown: Bool) { host.throttle(worker.id, isHeldDown) }

    package func arm(_ timer: Timer, of worker: Worker, at due: Instant, generation: UInt32) {
        arm(.timer(worker.id, timer), at: due, generation: generation)
    }

    package func disarm(_ timer: Timer, of worker: Worker) { disarm(.timer(worker.id, timer)) }

    package func publish(_ transition: Transition, of worker: Worker) {
        for observer in lifecycleObservers { observer.changed(worker, by: transition, in: self) }
    }

    package func launchCompleted(_ worker: Worker) { notify(worker, .launchCompleted) }

    package func settleSavedState(_ fate: SavedStateFate, of worker: Worker) {
        states?.apply(fate, to: worker.configuration.name)
    }

    package func drop(_ inbound: Inbound, _ refusal: Refusal, of worker: Worker) {
        settle(inbound, .refused(refusal), of: worker)
    }

    package func refuse(_ refusal: Refusal, _ requester: Requester, of worker: Worker) {
        worker.refusal = refusal
        notify(worker, .refused(refusal, requester))
    }

    package func warn(_ warning: Warning, of worker: Worker) {
        if warning == .startLimitHit {
            worker.isStartLimited = true
            closeDoors(of: worker)
        }
        if case .overrun(let callback) = warning {
            rememberFailure(of: callback, "it took too long and was abandoned", worker)
        }
        notify(worker, .warned(warning, detail: worker.detail(of: warning, at: moment, on: host)))
        if warning == .startLimitHit { launchOnFailure(of: worker) }
    }

    package func report(_ surprise: Surprise, of worker: Worker) { notify(worker, .surprised(surprise)) }

    /// A process has ended, or did not come to be.
    package func record(_ record: TerminationRecord, of worker: Worker) {
        let record = completed(record, of: worker)
        worker.lastRecord = record
        // Without a process it changes no state: its failure is what it stands at since then.
        if record.state == .notRunning { worker.since = record.at }
        if record.cause == .heldResource, let detail = worker.heldDetail {
            notify(worker, .warned(.holdsResource, detail: detail))
        }
        worker.processEnded()
        abandonCommands(of: worker)
        tellPlan(.processEnded(died: record.cause.isDeath), of: worker, inTurn: true)
        if worker.hasStateFile { states?.takeBack(from: worker.configuration.name) }
        worker.hasStateFile = false
        notify(worker, .ended(record))
        settleInterruptions(of: worker.id, .processEnded)
        settleActivities(of: worker.id, .processEnded)
        launchOnFailure(of: worker)
    }

    package func thawNow(_ worker: Worker) {
        sendSignalsBeforeThaw(of: worker)
        host.thaw(worker.id)
    }

    package func start(_ launch: Launch, of worker: Worker) {
        let state = launch.restoresState ? states?.hand(to: worker.configuration.name) : nil
        let details = worker.takeLaunchDetails(savedState: state)
        worker.hasStateFile = state != nil
        host.launch(worker.id, worker.configuration, launch, details)
    }

    /// Carries out effects that no event in turn has brought about.
    func perform(_ effects: [Effect], of worker: Worker) {
        var performer = self
        for effect in effects { performer.perform(effect, of: worker) }
    }
}
