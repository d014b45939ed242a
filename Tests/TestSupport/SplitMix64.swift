public import Simulation

/// The seeded generator of simulated worlds, for seeded walks too.
public typealias SplitMix64 = Simulation.SplitMix64
