internal import Lifecycle

/// A small seeded generator, so that a failing random walk can be run again from its seed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator that yields the same sequence for the same `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next number of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

extension SplitMix64 {
    /// A generator of its own for the part of a world that has this number, so that one part's chance is not another's.
    init(seed: UInt64, part: UInt64) {
        var parent = SplitMix64(seed: seed ^ (part &* 0xd6e8_feb8_6659_fd93))
        self.init(seed: parent.next())
    }

    /// Whether something happens that does so `percent` times in a hundred.
    mutating func chance(_ percent: Int) -> Bool {
        percent > 0 && Int.random(in: 0..<100, using: &self) < percent
    }

    /// A length up to `longest`.
    mutating func span(upTo longest: TimeSpan) -> TimeSpan {
        guard longest > .zero else { return .zero }
        return TimeSpan(microseconds: Int64.random(in: 0...longest.microseconds, using: &self))
    }

    /// The time until the next of things that come by chance, every `mean` on average (an exponential distribution).
    ///
    /// Von Neumann's way, which only compares: a pure module has no log(3).
    mutating func wait(mean: TimeSpan) -> TimeSpan {
        var whole = 0.0
        while true {
            let first = Double.random(in: 0..<1, using: &self)
            var (last, run) = (first, 1)
            while true {
                let next = Double.random(in: 0..<1, using: &self)
                if next > last { break }
                (last, run) = (next, run + 1)
            }
            if !run.isMultiple(of: 2) {
                let wait = (whole + first) * Double(mean.microseconds)
                return TimeSpan(microseconds: max(1, Int64(exactly: wait.rounded()) ?? .max))
            }
            whole += 1
        }
    }
}
