internal import CSystemd
internal import Glibc
internal import Linux

/// Calls its handler for each of many signals, by one signalfd(2) for all of them.
///
/// sd_event_add_signal(3) would change a signalfd three times for each signal. The signals must be blocked before any other
/// thread exists (`SignalSource.block(_:)`), and none of them may have a `SignalSource`. Standard signals that come while
/// one of the same number is pending are merged by the kernel, and of several pending ones it tells the lowest first.
package struct SignalSetSource: ~Copyable {
    private let source: IOSource

    /// Receives every one of `signals`.
    package init(
        on loop: EventLoop, signals: some Sequence<Int32>, priority: Priority = .exits,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (SignalInfo) -> Void
    ) throws(SystemdError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals where unsafe sigaddset(&set, signal) != 0 {
            throw SystemdError(errno: EINVAL, operation: "sigaddset")
        }
        let raw = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
        guard raw >= 0 else { throw SystemdError(errno: errno, operation: "signalfd") }
        source = try IOSource(
            on: loop, owning: OwnedDescriptor(adopting: raw), events: .readable, priority: priority,
            file: file, line: line
        ) { _ in
            // One each turn, as sd-event has it: what is more urgent is served in between.
            if let info = Self.next(raw) { handler(info) }
        }
    }

    /// Whether a blocked signal has come that no source has been told yet (sigpending(2)).
    package static func isPending(_ number: Int32) -> Bool {
        var set = sigset_t()
        return unsafe sigpending(&set) == 0 && sigismember(&set, number) == 1
    }

    private static func next(_ descriptor: Int32) -> SignalInfo? {
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        // Ignoring a failure: another reader has taken the signal, and there is nothing to tell.
        guard unsafe read(descriptor, &info, size) == size else { return nil }
        return SignalInfo(
            number: Int32(info.ssi_signo), senderPID: Int32(bitPattern: info.ssi_pid),
            senderUID: info.ssi_uid, code: info.ssi_code)
    }
}
