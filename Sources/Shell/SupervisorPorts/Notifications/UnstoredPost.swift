package import Notifications

/// A post whose poster waits until it is kept.
package struct UnstoredPost {
    /// The worker that it is for.
    package let worker: WorkerID
    /// Its name, by which what waits for it is found when it is forgotten meanwhile.
    package let name: String
    /// What it has done to the queue.
    package let trace: NotificationQueue.Trace

    /// A post, by its parts.
    package init(worker: WorkerID, name: String, trace: NotificationQueue.Trace) {
        (self.worker, self.name, self.trace) = (worker, name, trace)
    }
}
