package import Lifecycle
package import Processing
package import SupervisorPorts

/// Long work at a good time (`Modes=processing`): what the plan for it has decided is carried out.
extension Supervisor {
    /// Launches, wakes or tells a worker: it has time for its long work now, so long at most.
    ///
    /// False where it cannot now: it was ended by force, is held by another program, is being launched or ends.
    package func beginProcessing(of id: WorkerID, limit: TimeSpan?) -> Bool {
        guard !isClosed, let worker = workers[id], !holdsBack(worker),
            !worker.contents.values.contains(where: { $0.content == .processing }),
            worker.life.mayProcess(hasHook: worker.configuration.hooks[.performProcessing] != nil)
        else { return false }
        notify(worker, .processing(.began(limit: limit)))
        let inbound = take(.processing, .processing, for: worker) { _ in }
        rouse(
            worker, Wake(.processing, intoForeground: false, bringing: inbound), WakeOrigin(.processing))
        return true
    }

    /// Tells a worker that the time for its long work is over.
    package func revokeProcessing(of id: WorkerID, because reason: String) {
        guard let worker = workers[id] else { return }
        notify(worker, .processing(.revoked(reason)))
        submit(.processingRevoked, to: worker)
    }

    /// The long work of a worker is over.
    package func processingOver(of id: WorkerID, isDone: Bool) {
        guard let worker = workers[id] else { return }
        notify(worker, .processing(.over(isDone: isDone)))
    }

    /// Stores how a worker stands with it, for those that ask, and with the next event of the worker for the next supervisor.
    package func setProcessing(_ standing: ProcessingStanding?, of id: WorkerID) {
        guard let worker = workers[id], worker.processing != standing else { return }
        worker.processing = standing
        worker.isUnrecorded = true
    }

    /// How a predecessor has left it.
    package func processing(of id: WorkerID) -> ProcessingStanding? { workers[id]?.processing }

    /// The worker has completed it, with work left or not, or has lost it with its deadline.
    func processingEnded(_ completion: Completion?, of worker: Worker) {
        notify(worker, .processing(.completed(isDone: completion == .done)))
    }
}
