import Glibc

/// How much more processor time a body takes for a larger input: by this a test tells linear work from quadratic, on a machine of any speed.
package struct WorkRatio {
    /// The time for the larger input by the time for the smaller one.
    package let value: Double

    /// Measures `body` with inputs of `small` and of `large` size: the least of `rounds` runs each, in processor time of this thread,
    /// so that what else runs on the machine counts little.
    package init(
        from small: Int, to large: Int, rounds: Int = 3, _ body: (_ size: Int) throws -> Void
    ) rethrows {
        let few = try Self.least(rounds) { try body(small) }
        let many = try Self.least(rounds) { try body(large) }
        value = Double(many) / Double(max(few, 1))
    }

    private static func least(_ rounds: Int, _ body: () throws -> Void) rethrows -> Int {
        var least = Int.max
        for _ in 0..<rounds {
            let start = now
            try body()
            least = min(least, now - start)
        }
        return least
    }

    /// The processor time of this thread in nanoseconds.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
