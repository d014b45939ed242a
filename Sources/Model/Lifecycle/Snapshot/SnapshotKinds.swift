public import SnapshotCoding

// The numbers are for good: one that has stood for a case never stands for another.

extension Goal: SnapshotKind {
    /// The number of the goal in records.
    public var snapshotNumber: UInt8 {
        switch self {
        case .active: 0
        case .inactive: 1
        case .background: 2
        case .suspended: 3
        case .notRunning: 4
        }
    }
}

extension RestReason: SnapshotKind {
    /// The number of the reason in records.
    public var snapshotNumber: UInt8 {
        switch self {
        case .neverLaunched: 0
        case .exited: 1
        case .evicted: 2
        case .forceQuit: 3
        case .failed: 4
        case .backingOff: 5
        }
    }
}

extension LaunchReason: SnapshotKind {
    /// The number of the reason in records.
    public var snapshotNumber: UInt8 {
        switch self {
        case .operator: 0
        case .boot: 1
        case .socket: 2
        case .url: 3
        case .notification: 4
        case .silentNotification: 5
        case .schedule: 6
        case .fetch: 7
        case .path: 8
        case .device: 9
        case .activity: 10
        case .transfer: 11
        case .restart: 12
        case .restore: 13
        case .prelaunch: 14
        case .failure: 15
        case .processing: 16
        }
    }
}

extension Callback: SnapshotKind {
    /// The number of the callback in records.
    public var snapshotNumber: UInt8 { UInt8(bit) }
}

extension Inbound.Kind: SnapshotKind {
    /// The number of the kind in records.
    public var snapshotNumber: UInt8 {
        switch self {
        case .url: 0
        case .activity: 1
        case .notification: 2
        case .fetch: 3
        case .transfer: 4
        case .silentNotification: 5
        case .processing: 6
        }
    }
}

extension TerminationRecord.Cause: SnapshotKind {
    /// The number of the cause in records.
    public var snapshotNumber: UInt8 {
        switch self {
        case .exited: 0
        case .failed: 1
        case .crashed: 2
        case .stopped: 3
        case .watchdog: 4
        case .backgroundTask: 5
        case .transfer: 6
        case .fetch: 7
        case .backgroundCPU: 8
        case .heldResource: 9
        case .forceQuit: 10
        case .evicted: 11
        case .memoryLimit: 12
        case .kernelOOM: 13
        case .launchFailed: 14
        }
    }
}

extension CallbackSet: SnapshotValue {
    /// The callbacks by their names, or as bits where bytes count.
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: CallbackSet?
    ) throws(Coder.Failure) -> CallbackSet? {
        try coder.kinds(name, tag, value?.rawValue, of: Callback.self).map { CallbackSet(rawValue: $0) }
    }
}

extension Instant: SnapshotValue {
    /// A moment, in microseconds; what is read as one before the start of the machine is refused.
    ///
    /// A moment is moved back by what the machine has slept since (``WorkerLifecycle/countMachineSleep(_:)``), and may lie before that
    /// start: it is written as the start.
    @inlinable
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Instant?
    ) throws(Coder.Failure) -> Instant? {
        try coder.natural(name, tag, (value?.microseconds).map { max(0, $0) }).map {
            Instant(microseconds: $0)
        }
    }
}

extension TimeSpan: SnapshotValue {
    /// A length of time, in microseconds; a negative one is refused.
    @inlinable
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: TimeSpan?
    ) throws(Coder.Failure) -> TimeSpan? {
        try coder.natural(name, tag, value?.microseconds).map { TimeSpan(microseconds: $0) }
    }
}

extension SnapshotCoder where Self: ~Copyable {
    /// A moment at which something has happened; one after ``latest`` is refused.
    @inlinable
    public mutating func past(_ name: StaticString, _ tag: UInt8, _ value: Instant?) throws(Failure)
        -> Instant
    {
        let moment = try required(name, tag, value)
        try checkPast(name, moment.microseconds)
        return moment
    }
}
