package import ControlAPI
internal import Lifecycle
internal import Pressure

/// What operators are told of memory.
extension PressureCoordinator {
    /// How the memory of the machine stands, and what was done about it.
    package func reply() -> SupervisorInterface.Pressure.Reply {
        let sample = look()
        let support = machine.support
        return SupervisorInterface.Pressure.Reply(
            level: .init(model.gauge(fed: sample, at: machine.now)), support: support.kind.rawValue,
            detail: support.sentence, observesOnly: model.settings.observes,
            totalBytes: sample?.memory.total, availableBytes: sample?.memory.available,
            swapTotalBytes: sample?.memory.swapTotal, swapFreeBytes: sample?.memory.swapFree,
            someStallPercent: sample?.stall?.some.average10, fullStallPercent: sample?.stall?.full.average10,
            warningCount: tally.warnings, evictionCount: tally.evictions,
            freedByKillBytes: tally.freedByKill, freedByReclaimBytes: tally.freedByReclaim,
            kernelKillCount: tally.kernelKills, victim: model.victim?.victim.name,
            helpless: model.noVictim?.words)
    }
}

extension MemoryPressure {
    /// The level now; while memory is not watched, it is what one look tells.
    fileprivate func gauge(fed sample: MemorySample?, at now: Instant) -> PressureLevel {
        guard !hasWork, let sample else { return level }
        var gauge = PressureGauge()
        gauge.take(sample, settings, at: now)
        return gauge.level
    }
}

extension SupervisorInterface.PressureLevel {
    fileprivate init(_ level: Pressure.PressureLevel) {
        self =
            switch level {
            case .normal: .normal
            case .warning: .warning
            case .critical: .critical
            }
    }
}
