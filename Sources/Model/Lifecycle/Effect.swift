/// What must now be done, in this order.
///
/// The model has stored its new state before anybody sees an effect.
public enum Effect: Hashable, Sendable {
    /// Start a process; answer with `launched` or `launchFailed`.
    case launch(Launch)
    /// Give the worker a callback; answer with `completed`.
    case deliver(Delivery)
    /// Freeze the whole worker; answer with `frozen` or `freezeFailed`.
    case freeze
    /// Thaw the whole worker, and continue what anybody has stopped; answer with `thawed`.
    case thaw
    /// Send the stop signal (`KillSignal=`).
    case stop
    /// Send SIGKILL to the whole worker.
    case kill
    /// See whether it holds what it must not hold asleep; answer with `inspected`.
    case inspectResources
    /// Look at what it has used of the processors; answer with `cpuRead`.
    case readCPU
    /// Hold its CPU use down, or no longer.
    case throttle(Bool)
    /// Call back with `expired` at this moment; replaces the timer of the same name.
    case arm(Timer, at: Instant, generation: UInt32)
    /// Forget the timer.
    case disarm(Timer)
    /// Record and publish a change of state.
    case publish(Transition)
    /// The launch is over: didFinishLaunching is complete.
    case launchCompleted
    /// Keep a termination record.
    case record(TerminationRecord)
    /// What became of the saved state.
    case savedState(SavedStateFate)
    /// Tell the caller of `taskBegan` or `taskEnded`.
    case answerTask(token: UInt32, TaskAnswer)
    /// Tell the holder of a task that is not the worker's own that the task is over without having been ended.
    case holdOver(token: UInt32, HoldEnd)
    /// Tell whoever sent this that it will not be delivered.
    case drop(Inbound, Refusal)
    /// Tell whoever asked that it will not be done.
    case refuse(Refusal, Requester)
    /// Tell the operator.
    case warn(Warning)
    /// An event that means nothing here: late, doubled, or not true.
    case report(Surprise)
}

/// How a process is to be started.
public struct Launch: Hashable, Sendable {
    /// Which process of this worker, counted from 1.
    public let incarnation: UInt32
    /// Why.
    public let reason: LaunchReason
    /// Into the foreground (inactive first), or into the background.
    public let intoForeground: Bool
    /// Whether saved state is handed back.
    public let restoresState: Bool
    /// Whether the process before it had to make room: it is a restore, whatever it is for (1.6).
    public let isRestored: Bool

    /// A launch, by its parts.
    public init(
        incarnation: UInt32, reason: LaunchReason, intoForeground: Bool, restoresState: Bool,
        isRestored: Bool = false
    ) {
        self.incarnation = incarnation
        self.reason = reason
        self.intoForeground = intoForeground
        self.restoresState = restoresState
        self.isRestored = isRestored
    }
}

/// A callback on its way.
public struct Delivery: Hashable, Sendable {
    /// The id that its completion names.
    public let id: UInt32
    /// Which one.
    public let callback: Callback
    /// What it is about, where it delivers something.
    public let inbound: Inbound?
    /// Its deadline, if it has one of its own.
    public let deadline: Instant?
}

/// What becomes of saved state (1.6).
public enum SavedStateFate: String, Hashable, Sendable, CaseIterable {
    /// The worker has it: it is not handed back a second time.
    case consumed
    /// The worker died with it: kept for inspection, never handed back.
    case setAside
    /// A force-quit drops it.
    case dropped
}

/// The answer to beginning or ending a background task.
public enum TaskAnswer: String, Hashable, Sendable, CaseIterable {
    /// It has begun.
    case began
    /// It has ended.
    case ended
    /// No task has this token: it was never begun, or ended before.
    case noSuchTask
    /// The token is in use.
    case duplicate
    /// Nothing may begin while the worker ends.
    case ending
    /// The worker does not run.
    case notRunning
    /// There are too many.
    case tooMany
}

/// Why a task that is not the worker's own is over before its holder has ended it.
public enum HoldEnd: String, Hashable, Sendable, CaseIterable {
    /// The limit that its holder has set has passed.
    case limit
    /// The worker has ended all the same.
    case workerEnded
}

/// Why something will not be done.
public enum Refusal: String, Hashable, Sendable, CaseIterable {
    /// There is no process to do it to.
    case notRunning
    /// Only an active worker can resign.
    case onlyFromActive
    /// Somebody else stopped the worker: SIGCONT or an operator's resume ends it.
    case heldOutside
    /// It was ended by force: only an operator brings it back.
    case forceQuit
    /// It was started too often in too short a time.
    case startLimit
    /// It refused its launch options.
    case refusedByWorker
    /// It has no receiver for it.
    case noReceiver
    /// It ended before.
    case ended
    /// `Evictable=no`, or nothing to evict.
    case notEvictable
    /// It is a oneshot worker, which runs to its end.
    case runsToItsEnd
    /// The supervisor ends all workers: no worker is launched any more.
    case shuttingDown
}

/// Something that went wrong and that supervision goes on without.
public enum Warning: Hashable, Sendable {
    /// A daemon's hook overran its deadline.
    case overrun(Callback)
    /// The worker holds a resource asleep.
    case holdsResource
    /// It could not be frozen and stays in the background.
    case freezeFailed
    /// SIGKILL has not ended it.
    case cannotBeKilled
    /// It was started too often; its restart policy gives up.
    case startLimitHit
}

/// An event that cannot mean anything where it came.
public struct Surprise: Hashable, Sendable {
    /// Where the worker stood.
    public let state: State
    /// What came.
    public let event: Event
}
