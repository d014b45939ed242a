public import SnapshotCoding

/// The model as it is written, so that another supervisor goes on with it.
///
/// Everything goes along but the policy, which comes from the worker's definition. Moments are of the monotonic clock: a
/// snapshot is good for as long as the machine is up.
extension WorkerLifecycle: SnapshotObject {
    /// Writes or reads it; what is read has a default policy.
    ///
    /// Not to be called while an event is handled.
    public init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: WorkerLifecycle?) throws(C.Failure) {
        self = value ?? WorkerLifecycle(sharing: SharedPolicy.unset)
        try code(&c)
    }

    private mutating func code<C: SnapshotCoder & ~Copyable>(_ c: inout C) throws(C.Failure) {
        try c.code("goal", 1, &goal)
        try c.code("goalRequester", 2, &goalRequester)
        try c.code("goalBeforeSleep", 3, &goalBeforeSleep, or: .active)
        try c.code("timers", 4, &timers.armed)
        try c.code("timerGeneration", 5, &timers.generation, or: 0)
        try c.code("inbox", 6, &inbox)
        try c.code("wakePending", 7, &wakePending)
        try c.code("hasQueue", 8, &hasQueue)
        try c.code("interrupted", 9, &interrupted)
        try c.code("foregroundTaken", 10, &foregroundTaken)
        try c.code("barred", 11, &barred)
        try c.code("hasSavedState", 12, &hasSavedState)
        try c.code("inUse", 13, &inUse)
        try c.code("startWindowBegan", 14, &starts.windowBegan, or: .zero)
        try c.code("starts", 15, &starts.count, or: 0)
        try c.code("failures", 16, &starts.failures, or: 0)
        try c.code("falseIdles", 17, &idleness.falseIdles, or: 0)
        try c.code("asleepSince", 18, &idleness.asleepSince)
        try c.code("incarnation", 19, &incarnation, or: 0)
        try c.code("lastDelivery", 20, &lastDelivery, or: 0)
        try c.code("phase", 21, &phase)
        try c.code("lingers", 22, &idleness.lingers)
        try c.code("asksForUse", 23, &idleness.isAsking)
        try c.code("endsInsteadOfSleep", 24, &endsInsteadOfSleep)
        try c.code("hasForegroundQueue", 25, &hasForegroundQueue)
        try c.checkPast("startWindowBegan", starts.windowBegan.microseconds)
        try c.checkPast("asleepSince", idleness.asleepSince?.microseconds)
        let counts = 0...Self.mostCounted
        if !counts.contains(starts.count) || !counts.contains(starts.failures) { try c.refuse("starts") }
    }

    /// No count comes to more than this.
    private static let mostCounted = 1 << 40

    /// Adds the model to a record as the field `tag`.
    public func write(to writer: inout RecordWriter, as tag: UInt8) {
        let outer = writer.beginObject(tag)
        var copy = self
        copy.code(&writer)
        writer.endObject(outer)
    }

    /// Decides by `policy` from here on; what was decided before stays.
    public mutating func setPolicy(_ policy: SharedPolicy) { sharedPolicy = policy }
}

extension SharedPolicy {
    fileprivate static let unset = SharedPolicy(Policy())
}

extension Timers.Armed: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Timers.Armed?) throws(C.Failure) {
        timer = try Timer(&c, value?.timer)
        due = try c.required("due", 3, value?.due)
        generation = try c.required("generation", 4, value?.generation)
    }
}

extension Launch: SnapshotObject {
    /// Writes or reads it.
    public init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Launch?) throws(C.Failure) {
        incarnation = try c.required("incarnation", 1, value?.incarnation)
        reason = try c.required("reason", 2, value?.reason)
        intoForeground = try c.flag("intoForeground", 3, value?.intoForeground)
        restoresState = try c.flag("restoresState", 4, value?.restoresState)
        isRestored = try c.flag("isRestored", 5, value?.isRestored)
    }
}

extension Inbound: SnapshotObject {
    /// Writes or reads it; its content is written elsewhere.
    public init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Inbound?) throws(C.Failure) {
        id = try c.required("id", 1, value?.id)
        kind = try c.required("kind", 2, value?.kind)
    }
}

extension PendingKill: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: PendingKill?) throws(C.Failure) {
        cause = try c.required("cause", 1, value?.cause)
        requester = try c.required("requester", 2, value?.requester)
        relaunch = try c.optional("relaunch", 3, value?.relaunch)
    }
}
