internal import Notifications
package import SupervisorPorts

/// Notifications in whose delivery a worker has died twice (2.4): they are set aside, and come back only when an operator says so.
extension Supervisor {
    /// Has a notification that is set aside delivered once more; false where none of that number is set aside.
    ///
    /// Answers `kept` when that is on the disk.
    package func retryNotification(
        _ number: UInt64, of id: WorkerID, then kept: ((String?) -> Void)? = nil
    ) -> Bool {
        guard let worker = workers[id], worker.inbox?.queue.retry(number) == true else { return false }
        keepChanges(of: worker, then: kept)
        tellPlan(.queued, of: worker)
        return true
    }

    /// Removes a notification, whether it is set aside, waits or is being delivered; false where there is none of that number.
    ///
    /// Answers `kept` when that is on the disk.
    package func dropNotification(
        _ number: UInt64, of id: WorkerID, then kept: ((String?) -> Void)? = nil
    ) -> Bool {
        guard let worker = workers[id], worker.inbox?.plan.drop(number) == true else { return false }
        keepChanges(of: worker, then: kept)
        tellPlan(.dropped, of: worker)
        return true
    }
}
