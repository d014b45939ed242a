internal import CSystemd
internal import Glibc

/// The sender of a signal, and how it was sent (sigaction(2), signalfd(2)).
package struct SignalInfo: Hashable, Sendable {
    package let number: Int32
    /// The sender's process, as this process's pid namespace numbers it; 0 for the kernel and for processes outside the
    /// namespace.
    package let senderPID: Int32
    /// The sender's real user.
    package let senderUID: UInt32
    /// `si_code`: how it was sent (`SI_USER`, `SI_QUEUE`, `SI_KERNEL`, `CLD_EXITED` and so on).
    package let code: Int32

    /// A signal as it was told.
    package init(number: Int32, senderPID: Int32, senderUID: UInt32, code: Int32) {
        self.number = number
        self.senderPID = senderPID
        self.senderUID = senderUID
        self.code = code
    }
}

/// Calls its handler for a signal to the process or to the loop's thread, as sd_event_add_signal(3) does.
///
/// The signal must be blocked before any other thread exists (`block(_:)`), else it takes its usual effect in
/// a thread where it is not. Standard signals that come while one is pending are merged by the kernel.
@safe package struct SignalSource: ~Copyable {
    private let handle: SourceHandle

    /// Receives signal `number`; `EBUSY` is thrown when it is not blocked or has a source already.
    package init(
        on loop: EventLoop, signal number: Int32, priority: Priority = .exits,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (SignalInfo) -> Void
    ) throws(SystemdError) {
        handle = try unsafe SourceHandle(
            on: loop, priority: priority, handler: Handler(loop, CodePlace(file: file, line: line), handler),
            operation: "sd_event_add_signal"
        ) { event, source, userdata in
            unsafe sd_event_add_signal(
                event, source, number,
                { _, info, userdata in
                    guard let info = unsafe info?.pointee else { return 0 }
                    return unsafe Handler.call(
                        userdata,
                        SignalInfo(
                            number: Int32(info.ssi_signo), senderPID: Int32(bitPattern: info.ssi_pid),
                            senderUID: info.ssi_uid, code: info.ssi_code))
                }, userdata)
        }
    }

    /// Whether a signal was taken from the kernel that its handler has not heard of yet.
    package var isPending: Bool {
        unsafe handle.known.map { unsafe sd_event_source_get_pending($0) > 0 } ?? false
    }

    /// Blocks `signals` in the calling thread and in those that it starts from now on.
    ///
    /// Call it first thing in `main`. A child inherits the mask: the code that launches one gives it a clean one.
    package static func block(_ signals: [Int32]) throws(SystemdError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals where unsafe sigaddset(&set, signal) != 0 {
            throw SystemdError(errno: EINVAL, operation: "sigaddset")
        }
        try checkSystemd(unsafe -pthread_sigmask(SIG_BLOCK, &set, nil), "pthread_sigmask")
    }
}
