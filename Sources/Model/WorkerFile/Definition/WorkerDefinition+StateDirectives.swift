internal import ConfigurationSyntax
internal import Processing

extension WorkerDefinition {
    static let foregroundDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Foreground")
        return socketDirectives + relayDirectives + [
            section.one(
                "IdleSec", \.foreground.idle, "How long the worker must be idle before it is suspended."),
            section.one("IdleMaxSec", \.foreground.idleMaximum, "The limit for extending IdleSec=."),
            section.one(
                "IdleWhen", \.foreground.idleWhen,
                "Which connections keep the worker awake; quiet by default."
            ),
            section.one(
                "IdleCPU", \.foreground.idleCPU,
                "The CPU usage from which on the worker counts as used; 10% by default."),
            section.one(
                "IdlePendingSec", \.foreground.idlePending,
                "How long an unanswered request counts as use; 5min by default."),
            section.one(
                "Idle", \.foreground.idleAction,
                "Whether an idle worker is suspended or only reported; act by default."),
            section.one(
                "Wake", \.foreground.wake, "What is watched while the worker sleeps; auto by default."),
            section.set(
                "WakeOn", \.foreground.wakeOn,
                "What wakes the worker; connection, data, datagram and input by default."),
            section.many(
                "WakeFrom", \.foreground.wakeFrom, "The peers that wake the worker; all by default."),
            section.many("WakeNotFrom", \.foreground.wakeNotFrom, "The peers that do not wake the worker."),
            section.one(
                "WakeLingerSec", \.foreground.wakeLinger,
                "How long the worker stays awake after a single exchange; 2s by default."),
            section.one(
                "ForegroundGroup", \.foreground.group, "The group of workers of which at most one is active."),
            section.one(
                "CPUWeight", \.foreground.cpuWeight, "The CPU weight in the foreground; 100 by default."),
            section.number("IOWeight", \.foreground.ioWeight, 1...10_000, "The I/O weight; 100 by default."),
        ]
    }()

    static let backgroundDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Background")
        return [
            section.set("Modes", \.background.modes, "What allows the worker to run in the background."),
            section.one(
                "TaskLimitSec", \.background.taskLimit, "How long all background tasks together may last."),
            section.one(
                "TaskWarningSec", \.background.taskWarning, "How long before that limit the worker is warned."
            ),
            section.one(
                "QuietSec", \.background.quiet,
                "How long a worker that cannot report completion must be quiet; 500ms by default."),
            section.one("FetchIntervalSec", \.background.fetchInterval, "The time between two fetches."),
            section.one(
                "ProcessingIntervalSec", \.background.processing.interval,
                "The least time between two runs of long work; 1d by default."),
            section.one(
                "ProcessingLimitSec", \.background.processing.limit,
                "How long one may take; 30min by default."),
            section.one(
                "ProcessingIdleSec", \.background.processing.idle,
                "How long no session may have been used before one; 10min by default."),
            section.one(
                "ConditionACPower", \.background.processing.power,
                "Whether the system must be on mains for one; yes by default."),
            section.one(
                "ConditionCPUPressure", \.background.processing.cpu,
                "The highest CPU pressure at which one begins; 20%/5min by default."),
            section.one(
                "ConditionMemoryPressure", \.background.processing.memory,
                "The highest memory pressure for one; 10%/5min by default."),
            section.one(
                "ConditionIOPressure", \.background.processing.io,
                "The highest I/O pressure at which one begins; 20%/5min by default."),
            section.number(
                "TransfersMax", \.background.transfersMax, 0...64,
                "How many transfers may run at one time; 8 by default."),
            section.one(
                "TransferLimitSec", \.background.transferLimit,
                "How long a transfer may take; a week by default."),
            section.one(
                "TransferMemoryMax", \.background.transferMemoryMax, "The most memory a transfer may use."),
            section.one(
                "TransferFileSizeMax", \.background.transferFileSizeMax,
                "The largest file a transfer may write."),
            section.one(
                "WakeBudget", \.background.wakeBudget,
                "How often per hour silent posts, fetches, paths and devices may wake the worker, and for how long."
            ),
            section.one(
                "ResumeTimeoutSec", \.timeouts.resume, "How long a resumed worker may take for its queue."),
            section.one(
                "CPUWeight", \.background.cpuWeight, "The CPU weight in the background; 10 by default."),
            section.number("IOWeight", \.background.ioWeight, 1...10_000, "The I/O weight; 10 by default."),
            section.one(
                "CPULimit", \.background.cpuLimit, "How much of one CPU the worker may use; no by default."),
            section.one("CPULimitWindowSec", \.background.cpuLimitWindow, "The period of CPULimit=."),
            section.many(
                "ReleaseInBackground", \.background.release,
                "Devices that must be closed when the worker is suspended, or in the background (:always)."),
            section.one(
                "HeldLocks", \.background.heldLocks,
                "What happens when the worker is suspended with a lock."),
            section.one(
                "EnterOnLaunch", \.background.entersOnLaunch,
                "Also call didEnterBackground after a launch or wake into the background."),
        ]
    }()

    static let memoryDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Memory")
        return [
            section.one("MemoryMax", \.memory.max, "The most memory the worker may use."),
            section.one("MemoryHigh", \.memory.high, "The memory use above which it is throttled."),
            section.one(
                "BackgroundMemoryHigh", \.memory.backgroundHigh, "The same while it is in the background."),
            section.one("Evictable", \.memory.evictable, "How it may be evicted."),
            section.number(
                "Priority", \.memory.priority, -1_000_000...1_000_000,
                "Its rank in its band; lower ones are evicted first."),
            section.one(
                "HoldSockets", \.memory.holdsSockets,
                "Keep its listening sockets open when it is evicted; yes by default."),
            section.one(
                "HandOver", \.memory.handOver,
                "How these change hands when it is launched again; auto by default."),
            section.one(
                "ReclaimOnSuspend", \.memory.reclaimsOnSuspend, "Reclaim its memory while it sleeps."),
            section.one(
                "MemoryPressureWatch", \.memory.pressureWatch,
                "Whether it is notified of memory pressure by MEMORY_PRESSURE_WATCH; auto by default."),
            section.one(
                "MemoryPressureThresholdSec", \.memory.pressureThreshold,
                "The time lost to memory pressure within 2 s at which it is notified; 200ms by default."),
        ]
    }()
}
