internal import Glibc
package import Lifecycle

/// Moments of the monotonic clock as people's time.
package enum WallClock {
    /// `moment` in microseconds since 1970, as the clocks stand now.
    package static func microseconds(of moment: Instant, now: Instant) -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let wall = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        return wall - (now - moment).microseconds
    }
}
