package import Lifecycle

/// A past fact for the model of memory pressure, or an answer that it asked for.
package enum PressureEvent: Hashable, Sendable {
    /// Something that a source tells.
    case fact(PressureFact)
    /// The answer to ``PressureEffect/look``.
    case looked(PressureSnapshot)
    /// The answer to ``PressureEffect/lookAtLimits``: all that have a process.
    case lookedAtLimits([LimitedWorker])
    /// Whether workers run now whose limits only the supervisor enforces.
    case limitsChanged(areOurs: Bool)
    /// Whether there is anything now that could be evicted, and anything that could be warned.
    case workersChanged(canEvict: Bool, canWarn: Bool)
    /// Whether pressure wakes the supervisor from now on wherever it matters; where it does not, only figures tell of it.
    case listening(isWoken: Bool)
    /// The eviction was refused, or the worker had gone before: nothing comes of it.
    case refused(worker: String)
    /// torpord.conf says something else.
    case settingsChanged(PressureSettings)
    /// A timer ran out.
    case expired(PressureTimer, generation: UInt32)
}

/// What can come due, at most one of each at a time.
package enum PressureTimer: String, Hashable, Sendable, CaseIterable {
    /// The machine's figures are to be looked at.
    case sample
    /// Workers are to be looked at whose limits only the supervisor enforces.
    case limits
    /// The next warning.
    case warning
    /// A victim's memory should have been back by now.
    case victim
}

/// What must now be done, in this order.
package enum PressureEffect: Hashable, Sendable {
    /// Look at the machine's figures; answered by ``PressureFact/sampled(_:)``.
    case sample
    /// Take a snapshot of the machine and all workers; answered by ``PressureEvent/looked(_:)``.
    case look
    /// Look at the workers whose limits only the supervisor enforces; answered by ``PressureEvent/lookedAtLimits(_:)``.
    case lookAtLimits
    /// Tell a running worker how short memory is, or that it is no longer.
    case warn(MemoryWarning)
    /// End a worker; answered by ``PressureFact/released(worker:)`` or ``PressureEvent/refused(worker:)``.
    case evict(PressureVictim)
    /// Call back with `expired` at this moment, or a little later; replaces the timer of the same name.
    case arm(PressureTimer, at: Instant, slack: TimeSpan, generation: UInt32)
    /// Forget the timer.
    case disarm(PressureTimer)
    /// The level changed.
    case levelChanged(from: PressureLevel, to: PressureLevel, MachineMemory?)
    /// Tell the operator.
    case report(PressureReport)
}

/// A worker that has been chosen.
package struct PressureVictim: Hashable, Sendable {
    /// Why.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The machine, or all workers together, is short of memory.
        case pressure
        /// It is over its own `MemoryMax=`.
        case limit
        /// There has been a warning for too long, and it has slept longest.
        case lastingWarning
    }

    package let name: String
    /// Why it.
    package let reason: Reason
    /// Where it stood.
    package let band: PressureBand
    /// What its end brings, in bytes.
    package let benefit: Int64
    /// What willTerminate may take; nil where it dies without being told.
    package let grace: TimeSpan?
}

/// What an operator should know.
package enum PressureReport: Hashable, Sendable {
    /// Why no worker is ended although memory is critical.
    package enum NoVictim: String, Hashable, Sendable, CaseIterable {
        /// There is no worker that may be evicted.
        case nobodyLeft
        /// All workers together hold less than is missing: other programs have taken the memory.
        case holdsTooLittle
        /// All workers together hold what is missing, and less than will be: other programs go on taking memory.
        case keepsFalling
        /// What was freed was gone again at once.
        case broughtNothing
        /// Only workers that run are left, and it may be over by itself.
        case mayBeOver
    }

    /// `Policy=observe`: this one would be ended.
    case wouldEvict(PressureVictim)
    /// `Policy=observe`: this one would be told.
    case wouldWarn(worker: String)
    /// A victim's memory is back, so long after it was chosen.
    case broughtBack(PressureVictim, after: TimeSpan)
    /// A victim's memory is not back in time, and the next one may be taken.
    case cannotBeFreed(PressureVictim, after: TimeSpan)
    /// Ending workers would not help.
    case nothingHelps(NoVictim, Shortfall)
    /// The kernel's OOM killer ended processes of a worker.
    case killedByKernel(worker: String, processes: Int64)
    /// A source has gone.
    case sourceLost(PressurePlace)
}

/// The figures on which it rests whether ending workers helps, in bytes.
package struct Shortfall: Hashable, Sendable {
    /// What is missing until memory is no longer critical, without what `Policy=observe` only pretends to have freed.
    package let missing: Int64
    /// What will be missing besides, ``within`` this time, where memory goes on falling as fast as it does; 0 where it does not fall.
    package let falling: Int64
    /// How far ahead it is looked for that.
    package let within: TimeSpan
    /// What all workers use together, those included that must not be evicted.
    package let used: Int64
    /// What those of them use that may be evicted.
    package let evictable: Int64

    /// The figures, one by one.
    package init(missing: Int64, falling: Int64, within: TimeSpan, used: Int64, evictable: Int64) {
        self.missing = missing
        self.falling = falling
        self.within = within
        self.used = used
        self.evictable = evictable
    }

    /// Why the end of running workers would not help; nil where they hold what is missing and what will be.
    var noVictim: PressureReport.NoVictim? {
        if used < missing { return .holdsTooLittle }
        let (needed, overflow) = missing.addingReportingOverflow(falling)
        return overflow || used < needed ? .keepsFalling : nil
    }
}
