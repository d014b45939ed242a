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
        case .notRunning: "it does not run; 'torpor launch' starts it"
        case .onlyFromActive: "only an active worker can resign; 'torpor activate' makes it active"
        case .heldOutside: "another program has stopped it; 'torpor resume' or SIGCONT ends that"
        case .forceQuit: "it was ended by force; only an operator brings it back"
        case .startLimit: "it was started too often in too short a time; wait, or see why it ends"
        case .refusedByWorker: "it refused its launch options"
        case .noReceiver: "its program has no receiver for that"
        case .ended: "it ended before"
        case .notEvictable: "it may not be evicted"
        case .runsToItsEnd:
            "it is a oneshot worker (Type=oneshot): it runs to its end, and is not put to sleep"
        case .shuttingDown: "all workers are being ended; 'torpor launch' starts it when they have ended"
        }
    }
}
