package import Interrupting
package import Lifecycle
package import SupervisorPorts
internal import WorkerFile

/// Interruptions (1.4): what begins and ends them, on the way to the model of a worker's life.
extension Supervisor {
    /// Begins an interruption of a worker; answers it, or why it does not begin.
    package func interrupt(
        _ id: WorkerID, _ kind: Interruption.Kind, by requester: Requester, limit: TimeSpan? = nil
    ) -> Result<Interruption, InterruptionRefusal> {
        settleInterruptions(of: id, .began(kind, by: requester, limit: limit))
    }

    /// Applies `event` to the interruptions of a worker; answers the one that began or that is over, or why there is none.
    @discardableResult
    package func settleInterruptions(
        of id: WorkerID, _ event: InterruptionEvent
    ) -> Result<Interruption, InterruptionRefusal> {
        guard let worker = workers[id] else { return .failure(.noSuch(0)) }
        var result = Result<Interruption, InterruptionRefusal>.failure(.noSuch(0))
        for effect in worker.interruptions.handle(event, at: host.now) {
            switch effect {
            case .began(let interruption):
                result = .success(interruption)
                notify(worker, .interrupted(interruption))
            case .over(let interruption, let end):
                result = .success(interruption)
                notify(worker, .interruptionOver(interruption, end))
                worker.interruptionEnds.removeValue(forKey: interruption.number)?(end)
            case .refused(let refusal): result = .failure(refusal)
            case .tell(let event): submit(event, to: worker)
            }
        }
        if case .success = result {
            armInterruptions(of: worker)
            worker.isUnrecorded = true
            record(worker)
        }
        return result
    }

    /// Calls `over` when an interruption of a worker is over.
    package func watchInterruption(
        _ number: UInt32, of id: WorkerID, _ over: @escaping (Interruption.End) -> Void
    ) {
        workers[id]?.interruptionEnds[number] = over
    }

    /// Why a worker takes no alert about a topic now; nil where it does.
    package func alertRefusal(of topic: String, _ id: WorkerID) -> AlertRule.Refusal? {
        guard let worker = workers[id] else { return .notRunning }
        let isAllowed = worker.configuration.alerts.contains { $0.matches(topic) }
        return AlertRule.refusal(isAllowed: isAllowed, worker.life)
    }

    /// The locked sessions that concern a worker, as far as its interruptions tell.
    package func lockedSessions(of id: WorkerID) -> Set<String> {
        workers[id]?.interruptions.lockedSessions ?? []
    }

    /// Has the alarm set for the next interruption whose time is over.
    func armInterruptions(of worker: Worker) {
        if let due = worker.interruptions.nextDue {
            arm(.interruptionEnd(worker.id), at: due)
        } else {
            disarm(.interruptionEnd(worker.id))
        }
    }

    /// Goes on with the interruptions of a worker that was taken over from a supervisor that was killed: calls have ended with it.
    func takeOverInterruptions(of worker: Worker) {
        settleInterruptions(of: worker.id, .takenOver)
        armInterruptions(of: worker)
        // A record of before knows that it was interrupted, and not by what.
        guard worker.life.isInterrupted != worker.interruptions.isInterrupted else { return }
        submit(worker.interruptions.isInterrupted ? .interrupted : .interruptionEnded, to: worker)
    }
}
