internal import CLinux

/// Descriptors by which a launch takes as long however many others are open.
package enum LaunchSlots {
    /// How many a process may have open where it is worth to keep some twenty for this.
    private static let enough = 4096

    /// Reserves them, before there are other threads; where the kernel does not allow it, or few descriptors may be open, launches copy
    /// the whole table, as they would without.
    package static func reserve(limit: Int) {
        guard limit >= enough else { return }
        // Ignoring a failure: launches take longer, and do the same.
        _ = torpor_reserve_slots()
    }
}
