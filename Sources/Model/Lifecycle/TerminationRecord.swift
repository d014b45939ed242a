/// What every end of a process leaves behind (1.5).
///
/// The shell adds what only the kernel and it know: peak memory, pressure, the queue's length and the last
/// lines of output.
public struct TerminationRecord: Hashable, Sendable {
    /// What ended the process.
    public enum Cause: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// It ended by itself, cleanly.
        case exited
        /// It ended by itself, with a failure, or nobody knows how.
        case failed
        /// A signal that nobody of ours sent.
        case crashed
        /// It was asked to end, and did.
        case stopped
        /// It overstayed a deadline or its watchdog: `0x8badf00d`.
        case watchdog
        /// It overstayed its background time: `0x2182bad2`.
        case backgroundTask
        /// It overstayed the events of a transfer: `0x2182bad3`.
        case transfer
        /// It overstayed a fetch: `0x2182bad4`.
        case fetch
        /// It used too much CPU in the background: `0xd00d2bad`.
        case backgroundCPU
        /// It held a resource at suspension: `0xdead10cc`.
        case heldResource
        /// An operator ended it by force: `0xdeadfa11`.
        case forceQuit
        /// It was shed for memory.
        case evicted
        /// It went over its own memory limit.
        case memoryLimit = "memory-limit"
        /// The kernel's OOM killer.
        case kernelOOM = "kernel-oom"
        /// No process came to be.
        case launchFailed

        /// The code by which iOS developers know the cause, where it has one (1.4).
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

        /// The word that records, interfaces and manual have for it.
        public var description: String { rawValue }
    }

    /// A callback that had no completion yet when the process ended.
    public struct Unfinished: Hashable, Sendable {
        /// Which one.
        public let callback: Callback
        /// For how long it had been in flight.
        public let age: TimeSpan
    }

    /// Which process of this worker, counted from 1.
    public let incarnation: UInt32
    /// Its pid; 0 where no process came to be.
    public let pid: Int32
    /// Why it had been started.
    public let launchReason: LaunchReason
    /// The state it was in.
    public let state: State
    /// Where it was wanted.
    public let goal: Goal
    /// What ended it.
    public let cause: Cause
    /// How it ended.
    public let status: ExitStatus
    /// errno of the launch that failed.
    public let launchErrno: Int32?
    /// Who asked for the end, if anyone did.
    public let requester: Requester?
    /// From launch to end.
    public let ran: TimeSpan
    /// Of that, in the background.
    public let inBackground: TimeSpan
    /// Of that, asleep.
    public let suspended: TimeSpan
    /// What it had been told and not finished.
    public let unfinished: Unfinished?
    /// When it ended.
    public let at: Instant
    /// When it will be started again; nil when it will not.
    public let restartsAt: Instant?
    /// What the shell knows of the reason, in a clause: the deadline that was missed, or the command that failed.
    public var detail: String?
    /// The directive that stands for the callback in `unfinished`; nil where that is told by its own name.
    public var unfinishedDirective: String?
}
