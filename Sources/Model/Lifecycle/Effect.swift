/// An action for the shell to carry out, in order.
///
/// The model has stored its new state before any effect is visible.
public enum Effect: Hashable, Sendable {
    /// Start a process; answer with `launched` or `launchFailed`.
    case launch(Launch)
    /// Deliver a callback to the worker; answer with `completed`.
    case deliver(Delivery)
    /// Freeze the whole worker; answer with `frozen` or `freezeFailed`.
    case freeze
    /// Thaw the whole worker and continue all its stopped processes; answer with `thawed`.
    case thaw
    /// Send the stop signal (`KillSignal=`).
    case stop
    /// Send SIGKILL to the whole worker.
    case kill
    /// Check whether it holds a resource that must not be held while suspended; answer with `inspected`.
    case inspectResources
    /// Read its CPU usage; answer with `cpuRead`.
    case readCPU
    /// Count its use from now on: the idle delay has begun.
    case beginUse
    /// Find out when it was used last; answer with `usedLast`.
    case inspectUse
    /// Throttle its CPU use, or stop throttling.
    case throttle(Bool)
    /// Arm a timer that answers with `expired` at this time; replaces the timer of the same name.
    case arm(Timer, at: Instant, generation: UInt32)
    /// Disarm the timer.
    case disarm(Timer)
    /// Record and publish a change of state.
    case publish(Transition)
    /// The launch is complete, and so is didFinishLaunching.
    case launchCompleted
    /// Store a termination record.
    case record(TerminationRecord)
    /// Report the fate of the saved state.
    case savedState(SavedStateFate)
    /// Answer the caller of `taskBegan` or `taskEnded`.
    case answerTask(token: UInt32, TaskAnswer)
    /// Notify the external holder of a task that the task is over although the holder did not end it.
    case holdOver(token: UInt32, HoldEnd)
    /// Notify the sender that this will not be delivered.
    case drop(Inbound, Refusal)
    /// Notify the requester of the refusal.
    case refuse(Refusal, Requester)
    /// Warn the operator.
    case warn(Warning)
    /// Report an event that has no meaning in this state: late, duplicate or wrong.
    case report(Surprise)
}

/// The parameters of a launch.
public struct Launch: Hashable, Sendable {
    /// The number of the process of this worker, counted from 1.
    public let incarnation: UInt32
    /// The launch reason.
    public let reason: LaunchReason
    /// Whether the launch is into the foreground (inactive first) or into the background.
    public let intoForeground: Bool
    /// Whether saved state is restored.
    public let restoresState: Bool
    /// Whether the previous process was evicted: the launch is a restore, whatever its reason.
    public let isRestored: Bool

    /// Creates a launch from its parts.
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

/// A callback in flight.
public struct Delivery: Hashable, Sendable {
    /// The id by which it is completed.
    public let id: UInt32
    /// The callback.
    public let callback: Callback
    /// The content that it delivers, if any.
    public let inbound: Inbound?
    /// Its deadline, if it has one of its own.
    public let deadline: Instant?
}

/// The fate of saved state.
public enum SavedStateFate: String, Hashable, Sendable, CaseIterable {
    /// The worker received it: it is not restored a second time.
    case consumed
    /// The worker died while restoring it: kept for inspection, never restored.
    case setAside
    /// A force-quit discards it.
    case dropped
}

/// The answer to beginning or ending a background task.
public enum TaskAnswer: String, Hashable, Sendable, CaseIterable {
    /// It has begun.
    case began
    /// It has ended.
    case ended
    /// No task has this token: it was never begun, or has already ended.
    case noSuchTask
    /// The token is in use.
    case duplicate
    /// No task may begin while the worker ends.
    case ending
    /// The worker is not running.
    case notRunning
    /// There are too many tasks.
    case tooMany
}

/// Why a task with an external holder is over before the holder ended it.
public enum HoldEnd: String, Hashable, Sendable, CaseIterable {
    /// The limit set by the holder expired.
    case limit
    /// The worker ended.
    case workerEnded
}

/// Why a request is refused.
public enum Refusal: String, Hashable, Sendable, CaseIterable {
    /// There is no process.
    case notRunning
    /// Only an active worker can resign.
    case onlyFromActive
    /// Another program stopped the worker: SIGCONT or an operator's resume continues it.
    case heldOutside
    /// It was force-quit: only an operator can launch it.
    case forceQuit
    /// It was started too often.
    case startLimit
    /// It refused its launch options.
    case refusedByWorker
    /// It has no receiver for this.
    case noReceiver
    /// It ended first.
    case ended
    /// `Evictable=no`, or there is nothing to evict.
    case notEvictable
    /// It is a oneshot worker, which runs to its end.
    case runsToItsEnd
    /// The supervisor is stopping all workers and launches none.
    case shuttingDown
}

/// A problem that does not stop supervision.
public enum Warning: Hashable, Sendable {
    /// A daemon's hook overran its deadline.
    case overrun(Callback)
    /// The worker holds a resource while suspended.
    case holdsResource
    /// It could not be frozen and stays in the background.
    case freezeFailed
    /// It could not be thawed in time to be asked to end, and is killed as it sleeps.
    case thawFailed
    /// SIGKILL did not end it.
    case cannotBeKilled
    /// It was started too often and is not restarted.
    case startLimitHit
}

/// An event that has no meaning in the state in which it arrived.
public struct Surprise: Hashable, Sendable {
    /// The state of the worker.
    public let state: State
    /// The event.
    public let event: Event
}
