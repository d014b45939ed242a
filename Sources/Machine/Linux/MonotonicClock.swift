internal import Glibc

/// The clock that only moves forward, for waits bounded within this module.
package enum MonotonicClock {
    /// Microseconds since some moment, as CLOCK_MONOTONIC of clock_gettime(2).
    package static var now: Int {
        var time = timespec()
        unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }
}
