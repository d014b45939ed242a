internal import Lifecycle

/// Background tasks (1.4): of the worker itself, and those that others hold for it.
extension Supervisor {
    /// Begins a task and answers what came of it, with the token that ends it.
    func beginTask(
        _ name: String, of id: WorkerID, by requester: Requester,
        then answer: @escaping (TaskAnswer, UInt32) -> Void
    ) {
        guard let worker = workers[id] else { return answer(.notRunning, 0) }
        worker.lastTask &+= 1
        let token = worker.lastTask
        worker.taskWishes[token] = { [weak worker] result in
            if result == .began {
                worker?.tasks[token] = BackgroundTask(
                    name: name, since: self.host.now, requester: requester)
            }
            answer(result, token)
        }
        submit(.taskBegan(token: token), to: worker)
    }

    /// Ends a task and answers what came of it.
    func endTask(_ token: UInt32, of id: WorkerID, then answer: @escaping (TaskAnswer) -> Void = { _ in }) {
        guard let worker = workers[id] else { return answer(.noSuchTask) }
        worker.taskWishes[token] = { [weak worker] result in
            worker?.tasks[token] = nil
            answer(result)
        }
        submit(.taskEnded(token: token), to: worker)
    }

    func answerTask(_ token: UInt32, _ answer: TaskAnswer, of worker: Worker) {
        worker.taskWishes.removeValue(forKey: token)?(answer)
    }

    /// The tasks of a worker that run, the oldest first.
    func tasks(of id: WorkerID) -> [BackgroundTask] {
        workers[id].map { $0.tasks.sorted { $0.key < $1.key }.map(\.value) } ?? []
    }
}
