/// How long the machine itself has slept: what CLOCK_BOOTTIME counts and CLOCK_MONOTONIC does not (clock_gettime(2)).
package enum MachineSleep {
    /// All of it since boot, in microseconds, to a millisecond.
    package static var total: Int64 {
        var shortest = Int64.max
        var asleep: Int64 = 0
        // The clocks are read one after the other: where the process was kept from that for long, they are read again.
        for _ in 0..<8 {
            let before = KernelClock.monotonic
            let boot = KernelClock.boot
            let span = KernelClock.monotonic - before
            if span < shortest { (shortest, asleep) = (span, boot - before) }
            if shortest < 1000 { break }
        }
        return max(0, asleep)
    }
}
