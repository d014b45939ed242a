internal import Glibc

/// The clocks of the kernel as they stand at the call, in microseconds (clock_gettime(2)).
package enum KernelClock {
    /// CLOCK_MONOTONIC: never set, and stands still while the machine sleeps.
    package static var monotonic: Int64 { now(of: CLOCK_MONOTONIC) }
    /// CLOCK_BOOTTIME: since boot, with the machine's sleep.
    package static var boot: Int64 { now(of: CLOCK_BOOTTIME) }
    /// CLOCK_REALTIME: since 1970, as it is set.
    package static var wall: Int64 { now(of: CLOCK_REALTIME) }
    /// CLOCK_REALTIME_COARSE: as it stood at the last tick, by which file systems say when something was written.
    package static var coarseWall: Int64 { now(of: CLOCK_REALTIME_COARSE) }

    private static func now(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe _ = clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
