package import Lifecycle
package import Notifications
package import SupervisorPorts

/// The workers, as the system monitors see them: where its events go, and what is asked of them.
package protocol SystemEventReceiver: AnyObject {
    /// Posts to a worker that wants the topic.
    func receive(_ post: Post, for worker: WorkerID)
    /// Takes an event that is no post: protected data, the time, the machine's sleep.
    func receive(_ event: Event, for worker: WorkerID)
    /// Takes note of all locked sessions of the user that a worker runs as: their locks interrupt it.
    func receive(lockedSessions: Set<String>, for worker: WorkerID)
    /// The locked sessions that a worker has been told of, by this supervisor or a predecessor.
    func lockedSessions(of worker: WorkerID) -> Set<String>
    /// Brings a worker into the background, launching it where it does not run, for a path or a device, and for which.
    func wake(_ worker: WorkerID, for reason: LaunchReason, _ place: String)
    /// The clock was set; told after all workers have been.
    func clockWasSet()
    /// A path has been looked at by which the worker may know it for the first time.
    func pathWasLookedAt(for worker: WorkerID)
    /// A path is about to be told that had changed before it was looked at: should that be lost, it is to be told again.
    func pathWasUnseen(_ path: String, for worker: WorkerID)
    /// The protected data of a worker is available, which waits for that since boot.
    func dataWasUnlocked(for worker: WorkerID)
    /// All that happened while no supervisor looked has been told.
    func comparisonEnded(for worker: WorkerID)
    /// Takes note of what a worker knew of a topic in the life of a predecessor.
    func inherit(_ value: [UInt8], of topic: SystemTopic, _ worker: WorkerID)
    /// Whether a callback waits for a worker.
    func awaits(_ callback: Callback, _ worker: WorkerID) -> Bool
    /// In which state a worker is.
    func currentState(of worker: WorkerID) -> State
}
