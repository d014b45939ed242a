internal import ControlAPI
public import Varlink

#if canImport(Linux)
internal import Linux
#endif

/// Why something could not be done with the supervisor.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Hashable, Sendable {
        /// The supervisor cannot be reached, or went away before it answered.
        case disconnected
        /// Callbacks are served already: one `run` or one `callbacks` at a time.
        case alreadyServed
        /// The callback has been completed.
        case alreadyCompleted
        /// Nobody waits for the callback any more: its time is over, or it came from a connection that has ended.
        case noSuchCallback
        /// Nothing may begin now, as the worker is about to end.
        case notNow
        /// There are too many background tasks.
        case tooManyTasks
        /// The state is too large.
        case stateTooLarge
        /// The state cannot be kept.
        case stateNotKept
        /// A post is not taken, now or for later.
        case notPosted
        /// Nothing of that number is scheduled.
        case noSuchSchedule
        /// The state does not fit into JSON, or into the type that it is to be read as.
        case mismatch
        /// The supervisor answered another error.
        case failed(MethodError)
        /// A system call failed.
        case system
    }

    /// What kind of failure it is.
    public let code: Code
    /// The kernel's reason, as in errno(3); 0 where there was none.
    public let errno: Int32
    /// One sentence.
    public let description: String

    init(_ code: Code, errno: Int32 = 0, _ description: String) {
        self.code = code
        self.errno = errno
        self.description = description
    }

    static let disconnected = WorkerError(.disconnected, "the supervisor cannot be reached")

    static let alreadyServed = WorkerError(
        .alreadyServed, "callbacks are served already: call run or callbacks once at a time")

    static let alreadyCompleted = WorkerError(.alreadyCompleted, "the callback has been completed already")

    static let noSuchCallback = WorkerError(
        .noSuchCallback,
        "the callback is not waited for any more: its time is over, or the supervisor restarted")

    init(_ error: JSON.Mismatch) {
        self.init(.mismatch, "the state cannot be read or written: \(error)")
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
            self.init(.notNow, "nothing may begin now: \(why)")
        case .tooManyTasks:
            self.init(.tooManyTasks, "no more than \(limit) background tasks may run at a time")
        case .stateTooLarge:
            self.init(.stateTooLarge, "the state is larger than \(limit) bytes")
        case .stateNotKept:
            self.init(.stateNotKept, "the state cannot be kept: \(why)")
        case .notPosted:
            self.init(.notPosted, "the post is not taken: \(why)")
        case .noSuchSchedule:
            self.init(.noSuchSchedule, "nothing of that number is scheduled")
        case .alreadyAttached, .noSuchTask, .tooManyConnections, nil:
            self.init(.failed(error), "the supervisor answered \(error.name)")
        }
    }
}
