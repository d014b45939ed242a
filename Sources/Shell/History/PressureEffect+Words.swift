internal import ConfigurationSyntax
package import ControlAPI
internal import Lifecycle
package import Pressure
package import Records
internal import SupervisorPorts
internal import WorkerFile

/// What was decided about memory, for the log and the history.
package struct MemoryNews {
    /// The worker that it is about; nil for the machine.
    package let worker: String?
    /// In a word, for programs.
    package let reason: String
    /// In a sentence, without the worker's name.
    package let message: String
    package let level: SupervisorInterface.LogLevel
    /// Whether the history keeps it.
    package let isStored: Bool

    /// Nil for what is not logged.
    package init?(_ effect: PressureEffect) {
        switch effect {
        case .levelChanged(let from, let to, let memory):
            let left = memory.map { ", \($0.available.inWords) of \($0.total.inWords) available" } ?? ""
            self.init(
                to == .critical ? .warning : .notice, to.rawValue,
                "memory: \(from.rawValue) → \(to.rawValue)\(left)")
        case .warn(let warning): self.init(warning)
        case .evict(let victim):
            // Its end is kept, and what that brought; that it was no emergency is told by nothing else.
            self.init(
                .notice, victim.reason.word, of: victim.name,
                "\(victim.reason.words): evicting it, \(victim.band.words), \(victim.benefit.inWords)",
                isStored: victim.reason == .lastingWarning)
        case .report(let report): self.init(report)
        case .sample, .look, .lookAtLimits, .arm, .disarm: return nil
        }
    }

    private init(_ warning: MemoryWarning) {
        let left = "it may allocate \(warning.available.inWords) more"
        switch warning.level {
        case .normal:
            self.init(
                .info, "memoryWarningOver", of: warning.worker,
                "notified that memory is no longer short; \(left)"
            )
        case .warning:
            self.init(.info, "memoryWarning", of: warning.worker, "warned that memory is short; \(left)")
        case .critical:
            self.init(.info, "memoryWarning", of: warning.worker, "warned that memory is critical; \(left)")
        }
    }

    private init(_ report: PressureReport) {
        switch report {
        case .wouldEvict(let victim):
            self.init(
                .notice, "wouldEvict", of: victim.name,
                "Policy=observe: \(victim.reason.words): it would be evicted, \(victim.band.words), and free \(victim.benefit.inWords)"
            )
        case .wouldWarn(let name):
            self.init(
                .info, "wouldWarn", of: name, "Policy=observe: it would be warned that memory is short")
        case .broughtBack(let victim, let after):
            self.init(
                .notice, "broughtBack", of: victim.name,
                "its eviction freed \(victim.benefit.inWords), \(after.inWords) after it was chosen")
        case .cannotBeFreed(let victim, let after):
            self.init(
                .err, "cannotBeFreed", of: victim.name,
                "it has not ended \(after.inWords) after it was chosen: it may be blocked in the kernel; the next worker may be evicted"
            )
        case .nothingHelps(let why, let shortfall):
            self.init(
                .warning, "nothingHelps",
                "memory is critical, but evicting workers would not help: \(why.words); \(shortfall.words(why))"
            )
        case .killedByKernel(let name, let processes):
            let what = processes == 1 ? "a process" : "\(processes) processes"
            self.init(.warning, "killedByKernel", of: name, "the kernel's OOM killer killed \(what) of it")
        case .sourceLost(let place):
            self.init(
                .notice, "sourceLost", "pressure of \(place.words) is no longer monitored", isStored: false)
        }
    }

    private init(
        _ level: SupervisorInterface.LogLevel, _ reason: String, of worker: String? = nil, _ message: String,
        isStored: Bool = true
    ) {
        self.level = level
        self.reason = reason
        self.worker = worker
        self.message = message
        self.isStored = isStored
    }

    package var entry: LogEntry { LogEntry(.memory, level, worker: worker, message) }

    package func historyEntry(at microseconds: Int64) -> HistoryEntry? {
        guard isStored else { return nil }
        return HistoryEntry(
            worker: worker ?? "", kind: .memory, at: microseconds, reason: reason, message: message)
    }
}

extension PressureVictim.Reason {
    /// The same in a word, for programs.
    fileprivate var word: String {
        switch self {
        case .pressure: "memoryPressure"
        case .limit: "memoryLimit"
        case .lastingWarning: "lastingWarning"
        }
    }
}

extension Shortfall {
    /// The figures that the reason rests on, in a clause.
    fileprivate func words(_ why: PressureReport.NoVictim) -> String {
        let users = "\(used.inWords) used by all workers, \(evictable.inWords) of it by evictable ones"
        let rate = Int64(Double(falling) * 1e6 / Double(max(1, within.microseconds)))
        return switch why {
        case .nobodyLeft:
            "\(missing.inWords) missing, \(used.inWords) used by workers that may not be evicted"
        case .holdsTooLittle: "\(missing.inWords) missing, \(users)"
        case .keepsFalling:
            "\(missing.inWords) missing, and \(rate.inWords) more per second, reckoned for \(within.inWords); \(users)"
        case .broughtNothing, .mayBeOver:
            "\(missing.inWords) missing, \(evictable.inWords) used by evictable workers"
        }
    }
}

extension TimeSpan {
    fileprivate var inWords: String { legible }
}

extension Int64 {
    /// A size as systemd writes it: `24.5M`.
    fileprivate var inWords: String { ByteSize(bytes: UInt64(Swift.max(self, 0))).written }
}
