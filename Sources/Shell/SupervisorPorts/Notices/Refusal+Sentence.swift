package import Lifecycle

extension Refusal {
    /// Whether it holds for as long as the worker's definition is what it is.
    package var isLasting: Bool {
        switch self {
        case .notEvictable, .runsToItsEnd: true
        case .notRunning, .onlyFromActive, .heldOutside, .forceQuit, .startLimit, .refusedByWorker,
            .noReceiver,
            .ended, .shuttingDown:
            false
        }
    }

    /// What is in the way, and what to do about it.
    package var sentence: String {
        switch self {
        case .notRunning: "it is not running; use 'torpor launch' to start it"
        case .onlyFromActive: "only an active worker can resign; use 'torpor activate' to make it active"
        case .heldOutside: "another program stopped it; use 'torpor resume' or SIGCONT to continue it"
        case .forceQuit: "it was force-quit; only an operator can launch it"
        case .startLimit: "it was started too often; wait, or find out why it ends"
        case .refusedByWorker: "it refused its launch options"
        case .noReceiver: "its program has no receiver for this"
        case .ended: "it ended first"
        case .notEvictable: "it may not be evicted"
        case .runsToItsEnd:
            "it is a oneshot worker (Type=oneshot), which runs to its end and is not suspended"
        case .shuttingDown:
            "all workers are being stopped; use 'torpor launch' to start it when they have ended"
        }
    }
}
