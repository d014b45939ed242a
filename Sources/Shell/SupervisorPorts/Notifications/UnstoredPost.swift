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

/// What is written to the disk at once, for callers that wait for it.
package struct PostCommit {
    /// Its number: those before it have lower ones.
    package let number: UInt64
    /// The posts in it whose posters wait.
    package let posts: [UnstoredPost]
    /// Hear that it is on the disk, by nil, or why it is not.
    package let answers: [(String?) -> Void]

    /// A commit, by its parts.
    package init(number: UInt64, posts: [UnstoredPost], answers: [(String?) -> Void]) {
        (self.number, self.posts, self.answers) = (number, posts, answers)
    }
}
