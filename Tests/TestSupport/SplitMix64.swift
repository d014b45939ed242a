internal import Simulation

/// The seeded generator of simulated worlds, for walks: a failing one can be run again from its seed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var base: Simulation.SplitMix64

    /// A generator that yields the same sequence for the same `seed`.
    package init(seed: UInt64) {
        base = Simulation.SplitMix64(seed: seed)
    }

    /// The next number of the sequence.
    package mutating func next() -> UInt64 { base.next() }
}
