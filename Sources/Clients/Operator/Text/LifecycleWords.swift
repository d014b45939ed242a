package import Lifecycle

extension Requester {
    /// The requester, without the numbers that mean nothing in a simulated world.
    package var words: String {
        switch self {
        case .operator: "an operator"
        case .worker, .idle, .handOver, .dependency, .machine, .memoryPressure, .memoryLimit, .wakeSource,
            .supervisor:
            description
        }
    }
}

extension Transition.Cause {
    /// The cause, likewise.
    package var words: String {
        switch self {
        case .goal(let requester): requester.words
        case .ended(let cause): cause.words
        case .launched, .woken, .interruption, .reload, .outside: description
        }
    }
}

extension TerminationRecord.Cause {
    package var words: String {
        switch self {
        case .backgroundTask: "background task"
        case .backgroundCPU: "background CPU"
        case .heldResource: "held resource"
        case .forceQuit: "force-quit"
        case .memoryLimit: "memory limit"
        case .kernelOOM: "kernel OOM"
        case .launchFailed: "launch failed"
        case .exited, .failed, .crashed, .stopped, .watchdog, .transfer, .fetch, .evicted: rawValue
        }
    }
}

extension Refusal {
    /// The refusal as a clause.
    package var words: String {
        switch self {
        case .notRunning: "it is not running"
        case .onlyFromActive: "only an active worker can resign"
        case .heldOutside: "another program has stopped it"
        case .forceQuit: "it was force-quit, and only an operator can launch it"
        case .startLimit: "it was started too often"
        case .refusedByWorker: "it refused its launch options"
        case .noReceiver: "it has no receiver for this"
        case .ended: "it ended first"
        case .notEvictable: "it cannot be evicted"
        case .runsToItsEnd: "a oneshot worker is not suspended"
        case .shuttingDown: "all workers are being stopped"
        }
    }
}

extension HoldEnd {
    /// What became of a task, as a clause about it.
    package var words: String {
        switch self {
        case .limit: "is over: its limit has expired"
        case .workerEnded: "is over: the worker has ended"
        }
    }
}

extension TaskAnswer {
    /// The answer as a clause about a task.
    package var words: String {
        switch self {
        case .began: "began"
        case .ended: "ended"
        case .noSuchTask: "does not exist"
        case .duplicate: "already exists"
        case .ending: "refused: the worker is ending"
        case .notRunning: "refused: the worker is not running"
        case .tooMany: "refused: there are too many"
        }
    }
}

extension SavedStateFate {
    /// The fate as a clause.
    package var words: String {
        switch self {
        case .consumed: "returned to the worker"
        case .setAside: "set aside: the worker died while restoring it"
        case .dropped: "dropped"
        }
    }
}
