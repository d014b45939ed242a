/// The record of the end of a process.
///
/// The shell adds what only it and the kernel know: peak memory, pressure, the length of the queue and the last
/// lines of output.
public struct TerminationRecord: Hashable, Sendable {
    /// The cause of the end.
    public enum Cause: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// It exited by itself, cleanly.
        case exited
        /// It exited by itself with a failure, or its status is unknown.
        case failed
        /// A signal that the supervisor did not send.
        case crashed
        /// It was stopped on request.
        case stopped
        /// It missed a deadline or its watchdog: `0x8badf00d`.
        case watchdog
        /// It exceeded its background time: `0x2182bad2`.
        case backgroundTask
        /// It took too long for the events of a transfer: `0x2182bad3`.
        case transfer
        /// It took too long for a fetch: `0x2182bad4`.
        case fetch
        /// It used too much CPU in the background: `0xd00d2bad`.
        case backgroundCPU
        /// It held a resource at suspension: `0xdead10cc`.
        case heldResource
        /// An operator force-quit it: `0xdeadfa11`.
        case forceQuit
        /// It was evicted.
        case evicted
        /// It exceeded its own memory limit.
        case memoryLimit = "memory-limit"
        /// The kernel's OOM killer.
        case kernelOOM = "kernel-oom"
        /// No process could be started.
        case launchFailed

        /// The code that iOS uses for the cause, if it has one.
        public var code: UInt32? {
            switch self {
            case .watchdog: 0x8bad_f00d
            case .backgroundTask: 0x2182_bad2
            case .transfer: 0x2182_bad3
            case .fetch: 0x2182_bad4
            case .backgroundCPU: 0xd00d_2bad
            case .heldResource: 0xdead_10cc
            case .forceQuit: 0xdead_fa11
            case .exited, .failed, .crashed, .stopped, .evicted, .memoryLimit, .kernelOOM, .launchFailed: nil
            }
        }

        /// The name of the cause in records, interfaces and the manual.
        public var description: String { rawValue }
    }

    /// A callback that was not complete when the process ended.
    public struct Unfinished: Hashable, Sendable {
        /// The callback.
        public let callback: Callback
        /// How long it had been in flight.
        public let age: TimeSpan
    }

    /// The number of the process of this worker, counted from 1.
    public let incarnation: UInt32
    /// Its pid; 0 if no process could be started.
    public let pid: Int32
    /// The launch reason.
    public let launchReason: LaunchReason
    /// The state at the end.
    public let state: State
    /// The goal at the end.
    public let goal: Goal
    /// The cause.
    public let cause: Cause
    /// The exit status or signal.
    public let status: ExitStatus
    /// The errno of the failed launch.
    public let launchErrno: Int32?
    /// The requester of the end, if any.
    public let requester: Requester?
    /// The time from launch to end.
    public let ran: TimeSpan
    /// The time of that in the background.
    public let inBackground: TimeSpan
    /// The time of that suspended.
    public let suspended: TimeSpan
    /// The unfinished callback, if any.
    public let unfinished: Unfinished?
    /// The time of the end.
    public let at: Instant
    /// The time of the restart; nil if it is not restarted.
    public let restartsAt: Instant?
    /// The reason as known to the shell, in a clause: the missed deadline, or the failed command.
    public var detail: String?
    /// The directive shown instead of the callback in `unfinished`; nil to show the callback itself.
    public var unfinishedDirective: String?
}
