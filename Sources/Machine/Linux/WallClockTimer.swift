internal import CLinux
internal import Glibc

/// A timer on the clock of the day that also tells when that is set, and when the machine has slept (timerfd_create(2),
/// `TFD_TIMER_CANCEL_ON_SET`).
package struct WallClockTimer: ~Copyable, Sendable {
    /// What happened.
    package enum News: Hashable, Sendable {
        /// The moment has come.
        case due
        /// The clock was set.
        case clockSet
        /// Nothing yet.
        case none
    }

    private let descriptor: OwnedDescriptor

    /// A timer that is not armed.
    package init() throws(LinuxError) {
        let result = torpor_clock_create()
        guard result >= 0 else { throw LinuxError(errno: -result, call: "timerfd_create") }
        descriptor = OwnedDescriptor(adopting: result)
    }

    /// The descriptor, borrowed: it has input when there is news.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Has it tell of `seconds` since 1970, and of every setting of the clock until then; false when the clock has been set
    /// since it was armed last, which is told by that alone.
    package borrowing func arm(at seconds: Int64) throws(LinuxError) -> Bool {
        let result = torpor_clock_arm(descriptor.rawValue, seconds)
        guard result >= 0 || -result == ECANCELED else {
            throw LinuxError(errno: -result, call: "timerfd_settime")
        }
        return result >= 0
    }

    /// Takes the news.
    package borrowing func read() -> News {
        switch torpor_clock_read(descriptor.rawValue) {
        case 1: .due
        case -ECANCELED: .clockSet
        default: .none
        }
    }
}
