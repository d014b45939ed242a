package import Lifecycle

extension WorkerLifecycle {
    /// Whether a worker can be told now that transfers of it have ended.
    ///
    /// One with `Modes=transfer` is woken or launched for that, unless it was forced to quit or is stopped by another program; any other one
    /// is told as soon as it runs for another reason.
    package func hearsOfTransfers(wakes: Bool) -> Bool {
        guard !isEnding, !isLaunching else { return false }
        if state == .suspended { return wakes && !isHeld }
        guard state == .notRunning else { return true }
        guard currentLaunch == nil else { return false }
        switch restReason {
        case .forceQuit, .backingOff, nil: return false
        case .neverLaunched, .exited, .evicted, .failed: return wakes
        }
    }
}
