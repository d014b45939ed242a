internal import ConfigurationSyntax

extension WorkerDefinition {
    static let foregroundDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Foreground")
        return [
            section.lines("ListenStream", \.foreground.listenStreams, "A socket that the supervisor holds."),
            section.one(
                "FileDescriptorName", \.foreground.descriptorName, "The sockets' name in LISTEN_FDNAMES."),
            section.one("SocketMode", \.foreground.socketMode, "The mode of sockets in the file system."),
            section.one("SocketUser", \.foreground.socketUser, "The owner of sockets in the file system."),
            section.one("SocketGroup", \.foreground.socketGroup, "The group of sockets in the file system."),
            section.one(
                "IdleSec", \.foreground.idle, "How long nothing must happen before the worker goes to sleep."),
            section.one(
                "IdleMaxSec", \.foreground.idleMaximum, "The longest that false idles stretch IdleSec= to."),
            section.one(
                "ForegroundGroup", \.foreground.group, "The group of workers of which one is active at most."),
            section.one(
                "CPUWeight", \.foreground.cpuWeight, "The share of the CPU in the foreground; 100 by default."
            ),
            section.number(
                "IOWeight", \.foreground.ioWeight, 1...10_000, "The share of the disks; 100 by default."),
        ]
    }()

    static let backgroundDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Background")
        return [
            section.set("Modes", \.background.modes, "What may run the worker in the background."),
            section.one(
                "TaskLimitSec", \.background.taskLimit, "How long all background tasks together may last."),
            section.one(
                "TaskWarningSec", \.background.taskWarning, "How long before that their expiry is told."),
            section.one(
                "QuietSec", \.background.quiet,
                "How long a worker that cannot say that it is done must use no CPU before it sleeps; 500ms."),
            section.one("FetchIntervalSec", \.background.fetchInterval, "The time between two fetches."),
            section.one(
                "ResumeTimeoutSec", \.timeouts.resume, "How long a resumed worker may take for its queue."),
            section.one(
                "CPUWeight", \.background.cpuWeight, "The share of the CPU in the background; 10 by default."),
            section.number(
                "IOWeight", \.background.ioWeight, 1...10_000, "The share of the disks; 10 by default."),
            section.one(
                "CPULimit", \.background.cpuLimit, "How much of one CPU the worker may take; no by default."),
            section.one(
                "CPULimitWindowSec", \.background.cpuLimitWindow, "The span over which CPULimit= counts."),
            section.many(
                "ReleaseInBackground", \.background.release,
                "Devices that must not be open in the background."),
            section.one(
                "HeldLocks", \.background.heldLocks, "What happens to a worker that would sleep on a lock."),
            section.one(
                "EnterOnLaunch", \.background.entersOnLaunch,
                "Calls didEnterBackground after a launch or wake into the background, too."),
        ]
    }()

    static let memoryDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Memory")
        return [
            section.one("MemoryMax", \.memory.max, "The most memory the worker may have."),
            section.one("MemoryHigh", \.memory.high, "The memory above which it is throttled."),
            section.one(
                "BackgroundMemoryHigh", \.memory.backgroundHigh, "The same while it is in the background."),
            section.one("Evictable", \.memory.evictable, "How it may be evicted."),
            section.number(
                "Priority", \.memory.priority, -1_000_000...1_000_000,
                "Its rank in its band; lower ones go first."),
            section.one(
                "ReclaimOnSuspend", \.memory.reclaimsOnSuspend, "Gives its memory back while it sleeps."),
            section.one(
                "MemoryPressureWatch", \.memory.pressureWatch,
                "Whether it is told of memory pressure by MEMORY_PRESSURE_WATCH; auto by default."),
            section.one(
                "MemoryPressureThresholdSec", \.memory.pressureThreshold,
                "The time lost to memory pressure within 2 s from which on it is told; 200ms by default."),
        ]
    }()
}
