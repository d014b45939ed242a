package import ConfigurationSyntax
package import Lifecycle
internal import Processing

extension Policy {
    /// What the model decides by for a worker that its files define, with the daemon's defaults where they say nothing.
    package init(_ definition: WorkerDefinition, daemon: DaemonDefinition = .init()) {
        self.init(
            // What shows it counts as READY=1.
            readiness: definition.readyWhen == nil ? Readiness(definition.type) : .notify,
            hooks: CallbackSet(definition.hookedCallbacks),
            immediateHooks: CallbackSet(definition.immediateCallbacks),
            quiet: definition.background.quiet > .zero
                ? QuietPolicy(window: definition.background.quiet) : nil,
            limits: Limits(definition),
            killsOverrun: definition.overrunKills,
            killsOverrunInBackground: definition.overrunKills,
            restart: Lifecycle.RestartPolicy(definition, daemon: daemon),
            evictable: definition.memory.evictable.map(Evictable.init),
            exitsOnSuspend: definition.exitsOnSuspend,
            runsContinuously: definition.background.modes.contains(.continuous),
            tellsBackgroundAfterWake: definition.background.entersOnLaunch,
            heldResources: HeldResources(definition.background.heldLocks),
            releasesDevices: !definition.background.release.isEmpty,
            idle: IdlePolicy(definition.foreground))
        releasesDevicesInBackground = definition.background.release.contains(where: \.isAlways)
        // The one topic of the system that is a callback besides.
        let topic = Callback.significantTimeChange
        if definition.notifications.untilForeground.contains(where: { $0.text == topic.rawValue }) {
            foregroundAnnouncements = CallbackSet([topic])
        }
    }
}

extension WorkerDefinition {
    /// The callbacks that have a hook: their own, or for notifications those of topics.
    fileprivate var hookedCallbacks: [Callback] {
        var own = Array(callbacks.actions.keys)
        // They run before it is told: the launch waits for them.
        if !StartSequence(self).after.isEmpty { own.append(.didFinishLaunching) }
        return notifications.actions.isEmpty ? own : own + [.didReceiveNotifications]
    }

    /// Those of them whose completion proves nothing: of topics it is enough that one is a signal or a line.
    fileprivate var immediateCallbacks: [Callback] {
        let own = callbacks.actions.keys.filter { completion(of: $0) == .immediately }
        let isOneSent = notifications.actions.values.contains {
            Self.defaultCompletion(of: $0) == .immediately
        }
        return isOneSent ? own + [.didReceiveNotifications] : own
    }
}

extension Limits {
    /// The deadlines: those of its type, and over them what the files say; `infinity` is none.
    package init(_ definition: WorkerDefinition) {
        self = definition.livesByContract ? .app : .daemon
        launch = definition.startTimeout.span
        resume = definition.resumeTimeout.span
        enterBackground = definition.timeout(for: .didEnterBackground).span
        terminate = definition.timeout(for: .willTerminate).span
        // An app that has not ended when willTerminate is over gets SIGKILL at once; a daemon the stop signal first.
        if !definition.livesByContract { stop = definition.stopTimeout.span }
        backgroundTasks = definition.background.taskLimit.span
        processing = definition.background.processing.limit.span
        watchdog = definition.watchdog
        taskWarning = definition.background.taskWarning
        // That of willTerminate is a stage of the end, and that of didEnterBackground is saving state's too.
        for (callback, timeout) in definition.callbacks.timeouts where callback != .willTerminate {
            own[callback] = .some(timeout.span)
        }
    }
}

extension Policy.Readiness {
    fileprivate init(_ type: WorkerType) {
        switch type {
        case .simple, .exec: self = .exec
        case .oneshot: self = .exit
        case .notify: self = .notify
        case .app: self = .app
        }
    }
}

extension Policy.Evictable {
    fileprivate init(_ evictability: Evictability) {
        switch evictability {
        case .silent: self = .silent
        case .graceful: self = .graceful
        case .no: self = .no
        }
    }
}

extension Policy.HeldResources {
    fileprivate init(_ locks: HeldLocks) {
        switch locks {
        case .ignore: self = .ignore
        case .warn: self = .warn
        case .kill: self = .kill
        }
    }
}

extension IdlePolicy {
    /// Nil where nothing is ever idle.
    fileprivate init?(_ foreground: WorkerDefinition.Foreground) {
        guard let delay = foreground.idleDelay else { return nil }
        let longest = foreground.idleMaximum.span ?? TimeSpan(microseconds: .max)
        self.init(
            delay: delay, longest: max(delay, longest), isJudged: true, linger: foreground.wakeLinger)
    }
}

extension Lifecycle.RestartPolicy {
    fileprivate init(_ definition: WorkerDefinition, daemon: DaemonDefinition) {
        let restart = definition.restart
        let delay = restart.delay ?? daemon.restartDelay
        let grows = restart.steps > 0 && restart.maximumDelay != .infinity
        let interval = restart.startLimitInterval ?? daemon.startLimitInterval
        self.init(
            condition: Condition(restart.policy), delay: delay,
            longestDelay: grows ? restart.maximumDelay.span : delay, steps: grows ? restart.steps : 0,
            limitBurst: restart.startLimitBurst ?? daemon.startLimitBurst,
            limitInterval: interval.span ?? TimeSpan(microseconds: .max),
            // `-` before the program: no end of it is a failure (systemd.service(5), "Command lines").
            success: definition.command?.ignoresFailure ?? false ? .everything : .init(restart.successStatus),
            prevent: .init(restart.preventStatus), force: .init(restart.forceStatus))
    }
}

extension Lifecycle.RestartPolicy.Condition {
    fileprivate init(_ policy: WorkerFile.RestartPolicy) {
        switch policy {
        case .no: self = .no
        case .always: self = .always
        case .onSuccess: self = .onSuccess
        case .onFailure: self = .onFailure
        case .onAbnormal: self = .onAbnormal
        case .onWatchdog: self = .onWatchdog
        case .onAbort: self = .onAbort
        }
    }
}

extension Lifecycle.ExitStatusSet {
    /// Every way to end; one copy for all.
    fileprivate static let everything = Lifecycle.ExitStatusSet(
        codes: Array(0...255), signals: Array(1...64))

    /// The codes and signals of `set`, in their order.
    package init(_ set: ConfigurationSyntax.ExitStatusSet) {
        self.init(codes: set.codes.sorted().map(Int32.init), signals: set.signals.sorted().map(\.number))
    }
}
