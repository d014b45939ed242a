// The places in these lists are the format of snapshots: what is new goes to the end, and nothing is ever moved.

extension Goal: SnapshotCoded {
    static let codes: [Goal] = [.active, .inactive, .background, .suspended, .notRunning]
}

extension RestReason: SnapshotCoded {
    static let codes: [RestReason] = [
        .neverLaunched, .exited, .evicted, .forceQuit, .failed, .backingOff,
    ]
}

extension LaunchReason: SnapshotCoded {
    static let codes: [LaunchReason] = [
        .operator, .boot, .socket, .url, .notification, .silentNotification, .schedule, .fetch, .path,
        .device, .activity, .transfer, .restart, .restore, .prelaunch, .failure,
    ]
}

extension Callback: SnapshotCoded {
    static let codes: [Callback] = [
        .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive, .didEnterBackground,
        .willEnterForeground, .willTerminate, .didReceiveMemoryWarning, .backgroundTaskWillExpire,
        .performFetch, .didReceiveNotifications, .openURL, .continueActivity, .handleTransferEvents,
        .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable, .significantTimeChange,
        .shouldSaveState, .saveState, .restoreState,
    ]
}

extension Inbound.Kind: SnapshotCoded {
    static let codes: [Inbound.Kind] = [
        .url, .activity, .notification, .fetch, .transfer, .silentNotification,
    ]
}

extension TerminationRecord.Cause: SnapshotCoded {
    static let codes: [TerminationRecord.Cause] = [
        .exited, .failed, .crashed, .stopped, .watchdog, .backgroundTask, .transfer, .fetch, .backgroundCPU,
        .heldResource, .forceQuit, .evicted, .memoryLimit, .kernelOOM, .launchFailed,
    ]
}

extension LaunchStep: SnapshotCoded {
    static let codes: [LaunchStep] = [.attach, .willFinish, .restore, .ready, .didFinish]
}

extension LeaveStep: SnapshotCoded {
    static let codes: [LeaveStep] = [.tell, .askForState, .saveState, .done, .woken, .stuck]
}

extension Ending.Stage: SnapshotCoded {
    static let codes: [Ending.Stage] = [.waking, .notifying, .stopping, .killed]
}

// MARK: those that carry something

extension SnapshotWriter {
    /// Writes who asked for something.
    public mutating func write(_ requester: Requester) {
        switch requester {
        case .operator(let uid, let pid):
            write(UInt64(0))
            write(uid)
            write(pid)
        case .worker: write(UInt64(1))
        case .idle: write(UInt64(2))
        case .handOver: write(UInt64(3))
        case .dependency: write(UInt64(9))
        case .machine: write(UInt64(4))
        case .memoryPressure: write(UInt64(5))
        case .memoryLimit: write(UInt64(6))
        case .wakeSource: write(UInt64(7))
        case .supervisor: write(UInt64(8))
        }
    }

    mutating func write(_ timer: Timer) {
        switch timer {
        case .launch: write(UInt64(0))
        case .callback: write(UInt64(1))
        case .backgroundTasks: write(UInt64(2))
        case .grace: write(UInt64(3))
        case .activity(let id):
            write(UInt64(4))
            write(id)
        case .watchdog: write(UInt64(5))
        case .idle: write(UInt64(6))
        case .ending: write(UInt64(7))
        case .backoff: write(UInt64(8))
        case .quiet: write(UInt64(9))
        case .hold(let token):
            write(UInt64(10))
            write(token)
        case .freeze: write(UInt64(11))
        }
    }

    mutating func write(_ cause: Transition.Cause) {
        switch cause {
        case .launched(let reason):
            write(UInt64(0))
            write(reason)
        case .goal(let requester):
            write(UInt64(1))
            write(requester)
        case .woken: write(UInt64(2))
        case .interruption: write(UInt64(3))
        case .reload: write(UInt64(4))
        case .outside: write(UInt64(5))
        case .ended(let cause):
            write(UInt64(6))
            write(cause)
        }
    }
}

extension SnapshotReader {
    /// Reads who asked for something.
    public mutating func requester() throws(SnapshotError) -> Requester {
        switch try number() {
        case 0: .operator(uid: try unsigned32(), pid: try signed32())
        case 1: .worker
        case 2: .idle
        case 3: .handOver
        case 4: .machine
        case 5: .memoryPressure
        case 6: .memoryLimit
        case 7: .wakeSource
        case 8: .supervisor
        case 9: .dependency
        default: throw .broken
        }
    }

    mutating func timer() throws(SnapshotError) -> Timer {
        switch try number() {
        case 0: .launch
        case 1: .callback
        case 2: .backgroundTasks
        case 3: .grace
        case 4: .activity(try unsigned32())
        case 5: .watchdog
        case 6: .idle
        case 7: .ending
        case 8: .backoff
        case 9: .quiet
        case 10: .hold(try unsigned32())
        case 11: .freeze
        default: throw .broken
        }
    }

    mutating func cause() throws(SnapshotError) -> Transition.Cause {
        switch try number() {
        case 0: .launched(try coded())
        case 1: .goal(try requester())
        case 2: .woken
        case 3: .interruption
        case 4: .reload
        case 5: .outside
        case 6: .ended(try coded())
        default: throw .broken
        }
    }
}
