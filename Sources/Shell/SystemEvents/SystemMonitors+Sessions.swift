internal import Interrupting
internal import Lifecycle
internal import Notifications
internal import Scheduling
internal import SupervisorPorts

/// The locks of sessions (2.1): they interrupt the workers of their users, and lock their protected data away.
extension SystemMonitors {
    /// Whether a session of the worker's user is locked.
    func isLocked(_ subscriptions: SystemSubscriptions) -> Bool {
        isLocked(subscriptions.user, by: locks)
    }

    private func isLocked(_ user: String?, by locks: SessionLocks) -> Bool {
        !(locks.lockedSessions(of: user)?.isEmpty ?? true)
    }

    /// Sessions have come, gone, or been locked or unlocked: for the workers of their users.
    ///
    /// A worker is interrupted before its data goes away, and the interruption is over when its data is back.
    func sessionsTurned(_ event: SessionLocks.Event) {
        if !locks.isListed {
            // What a predecessor has told its workers is known by now: what is still there of it counts.
            for worker in followers { locks.inherit(receiver?.lockedSessions(of: worker) ?? []) }
        }
        let before = locks
        locks.handle(event)
        for worker in followers where !isUnlocked(worker) { tellLocks(to: worker) }
        for (worker, subscriptions) in inOrder {
            let isLocked = isLocked(subscriptions)
            guard isLocked != self.isLocked(subscriptions.user, by: before) else { continue }
            let paths = protectedPaths(of: subscriptions)
            let isAvailable = ProtectedDataRule.sessionTurned(paths, isLocked: isLocked)
            if let isAvailable { tellOfData(worker, subscriptions, isAvailable) }
        }
        for worker in followers where isUnlocked(worker) { tellLocks(to: worker) }
        tellOfFirstUnlock()
    }

    /// Tells of those that wait for their data and have it.
    func tellOfFirstUnlock() {
        for (worker, subscriptions) in inOrder
        where subscriptions.awaitsFirstUnlock && isDataAvailable(to: subscriptions) == true {
            receiver?.dataWasUnlocked(for: worker)
        }
    }

    private func isUnlocked(_ worker: WorkerID) -> Bool {
        machineFollowers[worker].map { !isLocked($0, by: locks) } ?? true
    }

    /// A worker hears which sessions of its user are locked, once that is known.
    func tellLocks(to worker: WorkerID) {
        guard let user = machineFollowers[worker], let locked = locks.lockedSessions(of: user) else { return }
        receiver?.receive(lockedSessions: locked, for: worker)
    }

    // MARK: protected data

    /// Whether the protected data of a worker is there now; nil where that is not known.
    func isDataAvailable(to subscriptions: SystemSubscriptions) -> Bool? {
        ProtectedDataRule.isAvailable(
            protectedPaths(of: subscriptions), isLocked: isLocked(subscriptions), hearsLock: hearsMachine)
    }

    private func protectedPaths(of subscriptions: SystemSubscriptions) -> ProtectedDataRule.Paths {
        let paths = subscriptions.protectedPaths
        if paths.isEmpty { return .none }
        guard let protected, protected.knows(paths) else { return .unknown }
        return protected.hasAll(paths) ? .there : .missing
    }

    func tellOfData(_ worker: WorkerID, _ subscriptions: SystemSubscriptions, _ isAvailable: Bool) {
        let callback = Callback.protectedData(isAvailable: isAvailable)
        if subscriptions.announcements.contains(callback) {
            receiver?.receive(.announced(callback), for: worker)
        }
        if subscriptions.topics.contains(.protectedDataChanged) {
            tell(worker, .protectedDataChanged, payload: dataPayload(isAvailable))
        }
    }
}
