internal import CLinux
internal import Glibc

/// What a child did, as waitid(2) tells it.
package struct ChildEvent: Hashable, Sendable {
    /// What can happen to a child.
    package enum Change: Hashable, Sendable {
        /// It ended by exit(3) with `code`, 0 to 255.
        case exited(code: Int32)
        /// A signal ended it.
        case killed(by: Signal, coreDumped: Bool)
        /// A signal stopped it; it can be continued.
        case stopped(by: Signal)
        /// SIGCONT continued it.
        case continued
    }

    /// The child's process id, which another process may get once the child is reaped.
    package let pid: Int32
    package let change: Change
    /// The most memory it had in bytes, or one of the children that it has reaped had; nil where that is not known.
    package let peakResident: Int64?

    /// An event of child `pid`.
    package init(pid: Int32, change: Change, peakResident: Int64? = nil) {
        self.pid = pid
        self.change = change
        self.peakResident = peakResident
    }

    /// Whether the child is gone for good.
    package var isEnd: Bool {
        switch change {
        case .exited, .killed: true
        case .stopped, .continued: false
        }
    }

    /// Reads what waitid(2) filled in; nil when there was no child to tell of.
    init?(_ child: torpor_child) {
        guard child.pid > 0 else { return nil }
        switch child.code {
        case Int32(CLD_EXITED): change = .exited(code: child.status)
        case Int32(CLD_KILLED): change = .killed(by: Self.signal(child.status), coreDumped: false)
        case Int32(CLD_DUMPED): change = .killed(by: Self.signal(child.status), coreDumped: true)
        case Int32(CLD_CONTINUED): change = .continued
        // CLD_STOPPED, and CLD_TRAPPED of a child that is traced.
        default: change = .stopped(by: Self.signal(child.status & 0x7f))
        }
        pid = child.pid
        // Until its execve(2) a child has its parent's memory, which counts: a peak that is no more than that says nothing of its own.
        let peak = Int64(child.peak) * 1024
        peakResident = peak > ThisProcess.peakResident ? peak : nil
    }

    private static func signal(_ number: Int32) -> Signal { Signal(rawValue: number) ?? .stop }
}

extension ChildEvent.Change {
    /// Reads a final status as wait(2) packs it: the code in bits 8 to 15, else the signal and the core dump's flag.
    init(endStatus status: Int32) {
        if let signal = Signal(rawValue: status & 0x7f) {
            self = .killed(by: signal, coreDumped: status & 0x80 != 0)
        } else {
            self = .exited(code: (status >> 8) & 0xff)
        }
    }
}
