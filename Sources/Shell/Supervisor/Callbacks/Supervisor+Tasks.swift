package import Lifecycle
package import SupervisorPorts

/// Background tasks (1.4): of the worker itself, and those that others hold for it.
extension Supervisor {
    /// Begins a task and answers what came of it: the token that ends it, what is left of the background time, and how many
    /// tasks are allowed at one time.
    ///
    /// One that is not the worker's own lasts until `limit` at most.
    package func beginTask(
        _ name: String, of id: WorkerID, by requester: Requester, limit: TimeSpan? = nil,
        then answer: @escaping (TaskAnswer, UInt32, TimeSpan?, Int) -> Void
    ) {
        guard let worker = workers[id] else { return answer(.notRunning, 0, nil, 0) }
        worker.lastTask &+= 1
        let token = worker.lastTask
        worker.taskRequests[token] = { [host, unowned worker] result in
            if result == .began {
                worker.tasks[token] = BackgroundTask(name: name, since: host.now, requester: requester)
            }
            let left = worker.life.backgroundTimeRemaining(at: host.now)
            answer(result, token, left, worker.life.mostTasks)
        }
        let holder = requester == .worker ? TaskHolder.worker : .other(limit: limit)
        submit(.taskBegan(token: token, by: holder), to: worker)
    }

    /// Calls `over` when a task that is not the worker's own is over and its holder has not ended it; with how the worker ended
    /// where that is the reason.
    package func watchHold(
        _ token: UInt32, of id: WorkerID, _ over: @escaping (HoldEnd, TerminationRecord?) -> Void
    ) {
        workers[id]?.holders[token] = over
    }

    /// Ends a task of `requester` and answers what came of it; no requester ends the task of another.
    package func endTask(
        _ token: UInt32, of id: WorkerID, by requester: Requester,
        then answer: @escaping (TaskAnswer) -> Void = { _ in }
    ) {
        guard let worker = workers[id], worker.tasks[token]?.requester == requester else {
            return answer(.noSuchTask)
        }
        worker.holders[token] = nil
        worker.taskRequests[token] = { [unowned worker] result in
            worker.tasks[token] = nil
            answer(result)
        }
        submit(.taskEnded(token: token), to: worker)
    }

    package func holdOver(_ token: UInt32, _ end: HoldEnd, of worker: Worker) {
        worker.tasks[token] = nil
        worker.holders.removeValue(forKey: token)?(end, end == .workerEnded ? worker.lastRecord : nil)
    }

    package func answerTask(_ token: UInt32, _ answer: TaskAnswer, of worker: Worker) {
        worker.taskRequests.removeValue(forKey: token)?(answer)
    }
}
