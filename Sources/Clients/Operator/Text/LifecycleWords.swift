internal import Lifecycle

extension Requester {
    /// Who it was, without the numbers that mean nothing in a simulated world.
    var words: String {
        switch self {
        case .operator: "an operator"
        case .worker, .idle, .handOver, .dependency, .machine, .memoryPressure, .memoryLimit, .wakeSource,
            .supervisor:
            description
        }
    }
}

extension Transition.Cause {
    /// Why, likewise.
    var words: String {
        switch self {
        case .goal(let requester): requester.words
        case .ended(let cause): cause.words
        case .launched, .woken, .interruption, .reload, .outside: description
        }
    }
}

extension TerminationRecord.Cause {
    var words: String {
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
    var words: String {
        switch self {
        case .notRunning: "it does not run"
        case .onlyFromActive: "only an active worker can resign"
        case .heldOutside: "another program has stopped it"
        case .forceQuit: "it was ended by force, and only an operator brings it back"
        case .startLimit: "it was started too often"
        case .refusedByWorker: "it refused its launch options"
        case .noReceiver: "it has no receiver for it"
        case .ended: "it ended before"
        case .notEvictable: "it cannot be evicted"
        case .runsToItsEnd: "a oneshot worker is not put to sleep"
        case .shuttingDown: "all workers are being ended"
        }
    }
}

extension Warning {
    /// The warning as a clause.
    var words: String {
        switch self {
        case .overrun(let callback): "\(callback.rawValue) overran its deadline"
        case .holdsResource: "it sleeps on something that it should have let go of"
        case .freezeFailed: "it could not be frozen and stays in the background"
        case .cannotBeKilled: "SIGKILL has not ended it"
        case .startLimitHit: "it was started too often, and is not restarted any more"
        }
    }
}

extension HoldEnd {
    /// What became of a task, as a clause about it.
    var words: String {
        switch self {
        case .limit: "is over: its limit has passed"
        case .workerEnded: "is over: the worker has ended"
        }
    }
}

extension TaskAnswer {
    /// The answer as a clause about a task.
    var words: String {
        switch self {
        case .began: "began"
        case .ended: "ended"
        case .noSuchTask: "does not exist"
        case .duplicate: "exists already"
        case .ending: "refused: the worker ends"
        case .notRunning: "refused: the worker does not run"
        case .tooMany: "refused: there are too many"
        }
    }
}

extension SavedStateFate {
    /// The fate as a clause.
    var words: String {
        switch self {
        case .consumed: "handed back"
        case .setAside: "set aside: the worker died with it"
        case .dropped: "dropped"
        }
    }
}
