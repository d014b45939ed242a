internal import CLinux
internal import Glibc

/// Descriptors by which a launch takes as long however many others are open.
package enum LaunchSlots {
    /// How many a process may have open where it is worth to keep some twenty for this.
    private static let enough = 4096

    /// Reserves them, before there are other threads; where the kernel does not allow it, or few descriptors may be open, launches copy
    /// the whole table, as they would without.
    ///
    /// The table has room for as many then. It grows by itself, but where threads share it the one that needs more waits until the kernel
    /// knows that none looks at the old one: 10 ms and more each time that it doubles.
    package static func reserve(limit: Int) {
        guard limit >= enough else { return }
        let last = fcntl(0, F_DUPFD_CLOEXEC, Int32(enough - 1))
        // Ignoring a failure: it was for speed.
        if last >= 0 { close(last) }
        // Ignoring a failure: launches take longer, and do the same.
        _ = torpor_reserve_slots()
    }
}
