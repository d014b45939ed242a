package import Lifecycle

/// When a worker is launched into the background whose protected data may be locked away since boot (`Wants=firstUnlock`, 1.6).
///
/// Until the data was available for the first time nothing launches it into the background: what would have is kept. An operator, a URL, a
/// client and whatever else wants it in the foreground launch it all the same, and a process that is there is woken as usual. Once the data
/// was available it counts as unlocked, also when it is locked again.
package enum FirstUnlock {
    /// Whether a launch into the background must wait, of a worker with this life.
    package static func holdsBack(_ life: WorkerLifecycle, awaits: Bool, wasAvailable: Bool) -> Bool {
        awaits && !wasAvailable && life.state == .notRunning && life.currentLaunch == nil
            && life.restReason != .forceQuit
    }
}
