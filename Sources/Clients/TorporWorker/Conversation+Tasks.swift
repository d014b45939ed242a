#if canImport(Linux)
internal import ControlAPI
internal import Varlink

/// A background task that is held in this process.
struct HeldTask {
    let name: String
    /// What ends it; nil while the supervisor has not answered, or does not know it.
    var token: Int64?
}

/// Background tasks, which outlast the connection: a supervisor that is there again hears of them again.
extension Conversation {
    /// Begins a task; without a supervisor it is begun when there is one.
    func beginTask(_ id: UInt64, _ name: String, _ answer: @escaping (WorkerError?) -> Void) {
        // Before the task is known: a new connection begins all that are.
        let isConnected = connection() != nil
        tasks[id] = HeldTask(name: name, token: nil)
        guard isConnected else {
            retry()
            return answer(nil)
        }
        begin(id, name, answer)
    }

    /// Ends a task, whether it has been answered or not.
    func endTask(_ id: UInt64) {
        if let token = tasks.removeValue(forKey: id)?.token { end(token) }
    }

    func beginTasksAgain() {
        for (id, task) in tasks.sorted(by: { $0.key < $1.key }) {
            // Ignoring a refusal: the work goes on, without the supervisor's leave.
            begin(id, task.name) { _ in }
        }
    }

    private func begin(_ id: UInt64, _ name: String, _ answer: @escaping (WorkerError?) -> Void) {
        call(WorkerInterface.BeginBackgroundTask.name, ["name": .string(name)]) { [unowned self] result in
            switch result {
            case .success(let reply):
                let token = reply["token"]?.int ?? 0
                if tasks[id] == nil { end(token) } else { tasks[id]?.token = token }
                answer(nil)
            case .failure(let error) where error.code == .disconnected: answer(nil)
            case .failure(let error):
                tasks[id] = nil
                answer(error)
            }
        }
    }

    private func end(_ token: Int64) {
        // Ignoring the answer: a task whose time was over has ended already.
        call(WorkerInterface.EndBackgroundTask.name, ["token": .int(token)]) { _ in }
    }
}
#endif
