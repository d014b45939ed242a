import Lifecycle
import Notifications
import SupervisorPorts
import SystemEvents

/// Workers that do what a test says with what they are told.
final class FakeReceiver: SystemEventReceiver {
    var post: (WorkerID, Post) -> Void = { _, _ in }
    var announce: (WorkerID, Event) -> Void = { _, _ in }
    var wake: (WorkerID, LaunchReason, String) -> Void = { _, _, _ in }
    var clockSet: () -> Void = {}
    var compared: (WorkerID) -> Void = { _ in }
    var inherit: ([UInt8], SystemTopic, WorkerID) -> Void = { _, _, _ in }
    var awaits: (WorkerID, Callback) -> Bool = { _, _ in false }
    var lock: (WorkerID, Set<String>) -> Void = { _, _ in }
    var locked: [WorkerID: Set<String>] = [:]
    var state: (WorkerID) -> State = { _ in .notRunning }

    func receive(_ post: Post, for worker: WorkerID) { self.post(worker, post) }
    func receive(_ event: Event, for worker: WorkerID) { announce(worker, event) }
    func receive(lockedSessions: Set<String>, for worker: WorkerID) {
        guard locked[worker] ?? [] != lockedSessions else { return }
        locked[worker] = lockedSessions
        lock(worker, lockedSessions)
    }
    func lockedSessions(of worker: WorkerID) -> Set<String> { locked[worker] ?? [] }
    func wake(_ worker: WorkerID, for reason: LaunchReason, _ place: String) { wake(worker, reason, place) }
    func clockWasSet() { clockSet() }
    func pathWasLookedAt(for worker: WorkerID) {}
    var unseen: (WorkerID, String) -> Void = { _, _ in }
    func pathWasUnseen(_ path: String, for worker: WorkerID) { unseen(worker, path) }
    var unlocked: (WorkerID) -> Void = { _ in }
    func dataWasUnlocked(for worker: WorkerID) { unlocked(worker) }
    func comparisonEnded(for worker: WorkerID) { compared(worker) }
    func inherit(_ value: [UInt8], of topic: SystemTopic, _ worker: WorkerID) {
        inherit(value, topic, worker)
    }
    func awaits(_ callback: Callback, _ worker: WorkerID) -> Bool { awaits(worker, callback) }
    func currentState(of worker: WorkerID) -> State { state(worker) }
}
