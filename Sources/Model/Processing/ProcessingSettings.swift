package import Budgeting
package import ConfigurationSyntax
package import Lifecycle

/// What the file of a worker says of its long work (`Modes=processing`).
package struct ProcessingSettings: Hashable, Sendable {
    /// From the end of one to the next at the earliest (`ProcessingIntervalSec=`).
    package var interval = TimeSpan.seconds(86_400)
    /// How long it may take at most (`ProcessingLimitSec=`).
    package var limit = TimeLimit.after(.seconds(1800))
    /// By what the machine must be powered (`ConditionACPower=`).
    package var power = PowerCondition.mains
    /// How long no session may have been used (`ProcessingIdleSec=`).
    package var idle = TimeSpan.seconds(600)
    package var cpu = PressureCondition.atMost(hundredths: 2000, over: .fiveMinutes)
    package var memory = PressureCondition.atMost(hundredths: 1000, over: .fiveMinutes)
    package var io = PressureCondition.atMost(hundredths: 2000, over: .fiveMinutes)

    /// A good time: on mains, unused for ten minutes, no pressure; once a day, for half an hour at most.
    package init() {}

    /// The condition for the pressure on a resource.
    package func condition(for resource: PressedResource) -> PressureCondition {
        switch resource {
        case .cpu: cpu
        case .memory: memory
        case .io: io
        }
    }

    /// What makes it a bad time to begin, or to go on where work `isUnderWay`; nil where it is a good one.
    ///
    /// Work that is under way presses on processors and disks itself: these count for its beginning alone. So does how long the machine
    /// has been unused: while it stays so, the work goes on.
    package func obstacle(_ machine: MachineReading, isUnderWay: Bool, at now: Instant) -> ProcessingObstacle?
    {
        switch power {
        case .mains where machine.power.isOnBattery: return .onBattery
        case .battery where !machine.power.isOnBattery: return .onMains
        case .mains, .battery, .any: break
        }
        if idle > .zero {
            switch machine.use {
            case .unknown: break
            case .used: return .used
            case .unusedSince(let since):
                if !isUnderWay, since + idle > now { return .unusedSince(since, until: since + idle) }
            }
        }
        for resource in PressedResource.allCases where !isUnderWay || resource == .memory {
            let averages = machine.pressure[resource]
            let condition = condition(for: resource)
            guard !condition.isMet(by: averages), let averages, case .atMost(let most, let window) = condition
            else { continue }
            return .pressure(resource, hundredths: averages[window], most: most, over: window)
        }
        return nil
    }
}

/// A condition for the power of the machine, as systemd's `ConditionACPower=` has it.
package enum PowerCondition: Hashable, Sendable {
    /// On mains, or without batteries.
    case mains
    /// On its batteries.
    case battery
    /// Whatever powers it.
    case any
}

/// What the machine is like, as far as it matters for long work.
package struct MachineReading: Hashable, Sendable {
    /// Whether its sessions are used.
    package enum Use: Hashable, Sendable {
        /// No program here knows: it counts as unused.
        case unknown
        /// A person uses one of them.
        case used
        /// None has been used since then.
        case unusedSince(Instant)
    }

    /// By what it is powered.
    package var power: PowerReading
    package var use: Use
    /// The pressure on its resources, of those of which it is known.
    package var pressure: [PressedResource: PressureAverages]

    /// A machine, by its parts.
    package init(
        power: PowerReading = .mains, use: Use = .unknown,
        pressure: [PressedResource: PressureAverages] = [:]
    ) {
        (self.power, self.use, self.pressure) = (power, use, pressure)
    }
}

/// What makes it a bad time for long work.
package enum ProcessingObstacle: Hashable, Sendable {
    /// The machine lives on its batteries.
    case onBattery
    /// The machine is on mains, and the work is for batteries.
    case onMains
    /// A session is used.
    case used
    /// No session has been used since then, which is long enough at `until`.
    case unusedSince(Instant, until: Instant)
    /// So much pressure on a resource, where at most so much is allowed.
    case pressure(PressedResource, hundredths: Int, most: Int, over: PressureCondition.Window)
    /// Low-power mode is on.
    case lowPower
    /// Another worker does long work: one at a time does.
    case anotherWorker
    /// The worker cannot be launched, woken or told now.
    case worker
    /// The time for it was over before it was done; it is tried again later.
    case cutShort

    /// The obstacle, in a clause.
    package var words: String {
        switch self {
        case .onBattery: "the machine is on battery (ConditionACPower=)"
        case .onMains: "the machine is on mains (ConditionACPower=)"
        case .used: "a session of the machine is in use (ProcessingIdleSec=)"
        case .unusedSince: "the machine has not been unused for long enough (ProcessingIdleSec=)"
        case .pressure(let resource, let hundredths, let most, let window):
            "the \(resource == .io ? "I/O" : resource == .cpu ? "CPU" : "memory") pressure is \(Self.percent(hundredths)) % over \(window.rawValue), above \(Self.percent(most)) % (\(resource.directive)=)"
        case .lowPower: "low-power mode is on"
        case .anotherWorker: "another worker does its long work"
        case .worker: "the worker cannot be given it now"
        case .cutShort: "it was cut short, and is tried again"
        }
    }

    private static func percent(_ hundredths: Int) -> String {
        let rest = hundredths % 100
        return rest == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
