public import ControlAPI
public import TorporWorker
internal import Varlink

/// The answer of a worker to a callback.
public enum Answer: Hashable, Sendable {
    /// It is complete.
    case completed
    /// It was refused: the launch, the URL, the activity; or there is nothing to save.
    case refused
    /// The fetch brought no new data.
    case noData
    /// It failed, for this reason.
    case failed(String)
    /// It is complete, with state to save.
    case saved(RecordedState)
    /// The worker does not receive this callback: the supervisor goes on at once.
    case notReceived
}

/// State that a worker has saved.
public struct RecordedState: Hashable, Sendable {
    let json: JSON

    /// The state, decoded.
    ///
    /// - Throws: a `WorkerError` with the code `mismatch` if it cannot be decoded as `type`.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(WorkerError) -> Value {
        try SavedState.value(type, of: json)
    }
}

/// What a worker has asked its supervisor for.
public enum Request: Hashable, Sendable {
    /// It is attached, and receives these callbacks.
    case attached(Set<CallbackName>)
    /// It is attached no more.
    case detached
    /// A background task of this name has begun.
    case beganBackgroundTask(String)
    /// A background task of this name has ended.
    case endedBackgroundTask(String)
    /// It has saved state at a time of its own.
    case savedState(RecordedState)
    /// It has discarded the saved state.
    case discardedState
    /// It has posted to itself, by this topic.
    case posted(topic: String)
    /// It has scheduled a post to itself, by this topic.
    case scheduled(topic: String)
    /// It has cancelled a scheduled post.
    case cancelledSchedule
    /// It has begun an interruption of itself, for this purpose.
    case beganInterruption(String)
    /// It has ended an interruption of itself.
    case endedInterruption
    /// It has begun a transfer by this command.
    case beganTransfer([String])
    /// It has cancelled a transfer.
    case cancelledTransfer
    /// It has offered an activity of this type.
    case offeredActivity(String)
    /// It has told the state of an activity that it was asked for.
    case toldActivity(RecordedState)
    /// It was asked for the state of an activity, and has none, for this reason.
    case keptActivity(String)
    /// It has requested the foreground.
    case requestedActivation
}

/// What the supervisor would have killed the worker for.
public struct Kill: Hashable, Sendable, CustomStringConvertible {
    /// The code in the termination record, as `0x8badf00d`.
    public let code: UInt32
    /// What took too long.
    public let reason: String

    /// The reason and the code.
    public var description: String { "\(reason) (0x\(String(code, radix: 16)))" }
}

/// Why a test cannot go on with its worker.
public struct TestSupervisorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error.
    public enum Code: Hashable, Sendable {
        /// The worker is attached no more, and has not answered.
        case detached
        /// The worker has not answered in the virtual time that it had.
        case killed(Kill)
        /// The task of the test was cancelled, by a time limit for example.
        case cancelled
        /// The state is not what the supervisor would have it in for this.
        case wrongState(WorkerState)
        /// A value cannot be encoded as JSON.
        case mismatch
        /// The supervisor cannot be started.
        case system
    }

    /// The kind of the error.
    public let code: Code
    /// A one-sentence description.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
