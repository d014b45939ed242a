internal import CLinux
internal import Glibc
package import Linux

/// A bind(2) of a worker that waits for its answer.
package struct BindCall: Hashable, Sendable {
    /// Its number, by which it is answered.
    package let id: UInt64
    /// The thread that calls it; 0 where the supervisor's pid namespace does not show it.
    package let thread: Int32
    /// The worker's descriptor of the socket.
    package let descriptor: Int32
    /// Where the worker's memory has the address.
    package let address: UInt64
    package let length: UInt64

    /// A call, by its parts.
    package init(id: UInt64, thread: Int32, descriptor: Int32, address: UInt64, length: UInt64) {
        (self.id, self.thread, self.descriptor) = (id, thread, descriptor)
        (self.address, self.length) = (address, length)
    }
}

/// What bind(2) of a worker's processes is told by, and answered (seccomp_unotify(2)).
///
/// Once the last descriptor of it is closed, their bind(2) fails (ENOSYS) for as long as they live. It hangs up when none of them is left.
package struct BindListener: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// One that a launch has brought.
    package init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

    /// The number, borrowed.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Another one of the same.
    package borrowing func duplicate() throws(LinuxError) -> BindListener {
        BindListener(try descriptor.duplicate())
    }

    /// The next call; nil where none waits, which is never waited for.
    ///
    /// EPIPE once no process is left.
    package borrowing func next() throws(LinuxError) -> BindCall? {
        var call = torpor_bind()
        let result = unsafe torpor_bind_next(rawValue, &call)
        if result == -EAGAIN { return nil }
        guard result == 0 else { throw LinuxError(errno: -result, call: "SECCOMP_IOCTL_NOTIF_RECV") }
        return BindCall(
            id: call.id, thread: call.thread, descriptor: call.descriptor, address: call.address,
            length: call.length)
    }

    /// Whether the call waits still: what was looked at in between belongs to its thread.
    package borrowing func isWaiting(_ call: BindCall) -> Bool {
        torpor_bind_waits(rawValue, call.id) != 0
    }

    /// Has the kernel carry the call out.
    package borrowing func goOn(_ call: BindCall) {
        // Ignoring the result: where it waits no more there is nothing to be answered.
        _ = torpor_bind_answer(rawValue, call.id, 1)
    }

    /// Whether a thread of one of these processes is within bind(2) (proc_pid_syscall(5)).
    package static func isCalled(by processes: [Int32]) -> Bool {
        let number = "\(TORPOR_BIND_CALL) "
        return processes.contains { process in
            Directory.entries(of: "/proc/\(process)/task").contains { thread in
                // Ignoring why it cannot be read: it has ended, or may not be traced.
                (try? KernelFile.text("/proc/\(process)/task/\(thread)/syscall"))?.hasPrefix(number) ?? false
            }
        }
    }

    /// Tells the caller of success; false where it waits no more.
    package borrowing func succeed(_ call: BindCall) -> Bool {
        torpor_bind_answer(rawValue, call.id, 0) == 0
    }

    /// Puts `source` in the place of the caller's own socket: waits until its thread has run for that.
    package borrowing func replace(
        _ call: BindCall, by source: Int32, closesOnExec: Bool
    ) throws(LinuxError) {
        let result = torpor_bind_replace(
            rawValue, call.id, source, call.descriptor, closesOnExec ? 1 : 0)
        guard result == 0 else { throw LinuxError(errno: -result, call: "SECCOMP_IOCTL_NOTIF_ADDFD") }
    }
}
