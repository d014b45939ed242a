package import Cgroups
internal import ConfigurationSyntax
internal import Linux
package import Processes
package import WorkerFile

/// A worker's share of the machine by state where no controller sees to it: nice levels and I/O priorities.
///
/// Pure: they stand for the weights of its file as far as the scheduler's own scale goes, where a nice level is a factor of 1.25.
package struct StatePriorities: Hashable, Sendable {
    /// The nice level and the I/O priority of one state; nil where a controller sees to it.
    package struct Level: Hashable, Sendable {
        package var nice: Int32?
        package var io: IOPriority?
    }

    /// As it is launched.
    package let launched: Level
    /// While it is in the foreground, inactive included.
    package let foreground: Level
    /// While it is in the background.
    package let background: Level

    /// What stands for the weights of `definition` where these are the controllers that there are; nil where nothing is to be done.
    ///
    /// `nice` is the nice level of a worker that does not say. Where nice levels cannot be lowered again they are left alone: a worker
    /// would keep that of the background for ever.
    package init?(
        _ definition: WorkerDefinition, controllers: Set<Cgroup.Controller>, nice own: Int32,
        mayLowerNice: Bool
    ) {
        let base = definition.execution.nice.map { Int32(clamping: $0) } ?? own
        let usesNice = !controllers.contains(.cpu) && mayLowerNice
        let usesIO = !controllers.contains(.io)
        guard usesNice || usesIO else { return nil }
        func level(inForeground: Bool) -> Level {
            let weights = definition.weights(inForeground: inForeground)
            return Level(
                nice: usesNice ? Self.nice(weights.cpu, from: base) : nil,
                io: usesIO ? Self.io(weights.io) : nil)
        }
        launched = Level(nice: usesNice ? base : nil, io: usesIO ? IOPriority.none : nil)
        foreground = level(inForeground: true)
        background = level(inForeground: false)
        guard foreground != launched || background != launched else { return nil }
    }

    private static func nice(_ weight: CPUWeight, from base: Int32) -> Int32 {
        switch weight {
        case .idle: 19
        case .weight(let weight): Int32(min(max(Int(base) + steps(weight), -20), 19))
        }
    }

    private static func io(_ weight: Int) -> IOPriority {
        let steps = steps(weight)
        // 4 is what a thread without a priority of its own has at nice level 0.
        return steps == 0 ? .none : IOPriority(bestEffort: 4 + (steps > 0 ? steps + 2 : steps - 2) / 3)
    }

    /// How many factors of 1.25 a weight is below the usual one of 100.
    private static func steps(_ weight: Int) -> Int {
        var steps = 0
        var share = Double(max(weight, 1))
        while share * 1.118 < 100 { (share, steps) = (share * 1.25, steps + 1) }
        while share > 100 * 1.118 { (share, steps) = (share / 1.25, steps - 1) }
        return steps
    }
}
