internal import Simulation

/// The seeded generator of simulated worlds, for walks: a failing one can be run again from its seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var base: Simulation.SplitMix64

    /// A generator that yields the same sequence for the same `seed`.
    public init(seed: UInt64) {
        base = Simulation.SplitMix64(seed: seed)
    }

    /// The next number of the sequence.
    public mutating func next() -> UInt64 { base.next() }
}
