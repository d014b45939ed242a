package import Lifecycle
internal import Linux

/// Moments of the monotonic clock as people's time.
package enum WallClock {
    /// `moment` in microseconds since 1970, as the clocks stand now.
    package static func microseconds(of moment: Instant, now: Instant) -> Int64 {
        KernelClock.wall - (now - moment).microseconds
    }
}
