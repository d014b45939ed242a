package import Lifecycle

/// Ends instead of sleep, and sockets that stay open while a worker is gone, so that the next client brings it back.
extension WorkerLifecycle {
    /// Whether the end that has begun is one after which its clients are waited for: it is evicted, or ends where it would sleep
    /// (`ExitsOnSuspend=`).
    package var leavesDoors: Bool {
        switch end?.cause {
        case .evicted, .memoryLimit: true
        case .stopped: endsInsteadOfSleep
        case .exited, .failed, .crashed, .watchdog, .backgroundTask, .transfer, .fetch, .backgroundCPU,
            .heldResource, .kernelOOM, .launchFailed, .forceQuit, nil:
            false
        }
    }

    /// Whether its clients may go on waiting, where sockets of it have stayed open: not when an operator has ended it.
    package var mayKeepDoors: Bool {
        switch restReason {
        case .neverLaunched, .forceQuit: return false
        case .exited: return endsInsteadOfSleep
        case .evicted, .failed, .backingOff, nil: break
        }
        guard end?.cause != .forceQuit else { return false }
        return goal != .notRunning || !goalRequester.isOperator || endsInsteadOfSleep
    }

    /// Whether it ends, or has ended, where it was wanted in the background or asleep (`ExitsOnSuspend=`).
    package func exitsInstead(of wanted: Goal) -> Bool {
        guard policy.exitsOnSuspend, goal == .notRunning else { return false }
        return wanted == .suspended || wanted == .background
    }

    /// Whether it has ended, as it was asked to or by itself, where it would sleep (`ExitsOnSuspend=`): to be put to sleep it has nothing
    /// left to do.
    package var hasExitedInsteadOfSleep: Bool { policy.exitsOnSuspend && restReason == .exited }
}
