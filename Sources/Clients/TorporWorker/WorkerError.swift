internal import ControlAPI
public import Varlink

#if canImport(Linux)
internal import Linux
#endif

/// An error in communication with the supervisor.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error.
    public enum Code: Hashable, Sendable {
        /// The supervisor cannot be reached, or closed the connection before it answered.
        case disconnected
        /// Callbacks are already being served: only one `run` or `callbacks` at a time.
        case alreadyServed
        /// The callback was already completed.
        case alreadyCompleted
        /// The supervisor no longer waits for the callback: it timed out, or its connection was closed.
        case noSuchCallback
        /// Not possible now, for example because the worker is ending.
        case notNow
        /// There are too many background tasks.
        case tooManyTasks
        /// The state is too large.
        case stateTooLarge
        /// The state cannot be stored.
        case stateNotKept
        /// A post or a scheduled post was not accepted.
        case notPosted
        /// No post with this number is scheduled.
        case noSuchSchedule
        /// A transfer cannot be started.
        case transferNotBegun
        /// No transfer with this number runs.
        case noSuchTransfer
        /// A value cannot be encoded as JSON, or decoded as the requested type.
        case mismatch
        /// The supervisor replied with another error.
        case failed(MethodError)
        /// A system call failed.
        case system
    }

    /// The kind of the error.
    public let code: Code
    /// The errno(3) of the failed call; 0 if there is none.
    public let errno: Int32
    /// A one-sentence description.
    public let description: String

    init(_ code: Code, errno: Int32 = 0, _ description: String) {
        self.code = code
        self.errno = errno
        self.description = description
    }

    static let disconnected = WorkerError(.disconnected, "the supervisor cannot be reached")

    static let alreadyServed = WorkerError(
        .alreadyServed, "callbacks are already being served: call run or callbacks only once at a time")

    static let alreadyCompleted = WorkerError(.alreadyCompleted, "the callback was already completed")

    static let noSuchCallback = WorkerError(
        .noSuchCallback,
        "the supervisor no longer waits for the callback: it timed out, or the supervisor restarted")

    init(_ error: JSON.Mismatch) {
        self.init(.mismatch, "cannot encode or decode the state: \(error)")
    }

    #if canImport(Linux)
    init(_ error: LinuxError) {
        self.init(.system, errno: error.errno, "\(error)")
    }
    #endif

    init(_ error: MethodError) {
        let limit = error.parameters["limit"]?.int ?? 0
        let why = error.parameters["why"]?.string ?? ""
        switch WorkerInterface.ErrorName(rawValue: error.name) {
        case .noSuchCallback:
            self = .noSuchCallback
        case .notNow:
            self.init(.notNow, "not possible now: \(why)")
        case .tooManyTasks:
            self.init(.tooManyTasks, "at most \(limit) background tasks may run at a time")
        case .stateTooLarge:
            self.init(.stateTooLarge, "the state is larger than \(limit) bytes")
        case .stateNotKept:
            self.init(.stateNotKept, "cannot store the state: \(why)")
        case .notPosted:
            self.init(.notPosted, "the post was not accepted: \(why)")
        case .noSuchSchedule:
            self.init(.noSuchSchedule, "no post with this number is scheduled")
        case .tooManyInterruptions:
            self.init(.notNow, "not possible now: at most \(limit) interruptions may last at a time")
        case .transferNotBegun where error.parameters["tooMany"]?.bool ?? false:
            self.init(.notNow, "not possible now: \(why)")
        case .transferNotBegun:
            self.init(.transferNotBegun, "the transfer cannot be started: \(why)")
        case .noSuchTransfer:
            self.init(.noSuchTransfer, "no transfer with this number runs")
        case .notOffered:
            self.init(.notNow, "the activity is not offered: \(why)")
        case .alreadyAttached, .noSuchTask, .noSuchQuestion, .noSuchInterruption, .tooManyConnections, nil:
            self.init(.failed(error), "unexpected error from the supervisor: \(error.name)")
        }
    }
}
