internal import ControlAPI
internal import Lifecycle
internal import Linux
internal import Pressure
internal import WorkerFile

/// Memory pressure: what is decided about it is logged, kept and told.
extension Daemon {
    /// Begins to act on memory pressure; before any worker is defined.
    func listenToMemory() {
        memorySources.report = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        memory.observe = { [unowned self] effect in
            guard let news = MemoryNews(effect) else { return }
            log.log(news.entry)
            recorder.record(news, at: host.now)
        }
        memory.start()
    }

    /// How the memory of the machine stands, and what was done about it.
    func pressure() -> API.Pressure.Reply {
        let sample = memory.look()
        let (model, tally, support) = (memory.model, memory.tally, memory.machine.support)
        return API.Pressure.Reply(
            level: .init(model.gauge(fed: sample, at: host.now)), support: support.kind.rawValue,
            detail: support.sentence, observesOnly: model.settings.observes,
            totalBytes: sample?.memory.total, availableBytes: sample?.memory.available,
            swapTotalBytes: sample?.memory.swapTotal, swapFreeBytes: sample?.memory.swapFree,
            someStallPercent: sample?.stall?.some.average10, fullStallPercent: sample?.stall?.full.average10,
            warningCount: tally.warnings, evictionCount: tally.evictions,
            freedByKillBytes: tally.freedByKill, freedByReclaimBytes: tally.freedByReclaim,
            kernelKillCount: tally.kernelKills, victim: model.victim?.victim.name,
            helpless: model.helpless?.words)
    }
}

extension MemoryPressure {
    /// The level now; while nobody looks it is what one look tells.
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
