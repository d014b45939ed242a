package import ConfigurationSyntax
internal import Lifecycle

/// The table of everything that may stand in a worker file.
extension WorkerDefinition: DirectiveTable {
    /// All directives, section by section.
    package static let directives =
        workerDirectives + executionDirectives + foregroundDirectives + backgroundDirectives
        + memoryDirectives
        + callbackDirectives + notificationDirectives

    /// The same by section and key.
    package static let index = indexed(directives)

    /// The names of all sections.
    static let sectionNames = Set(sections)

    private static let workerDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Worker")
        return [
            section.one("Description", \.description, "A short description of the worker."),
            section.lines(
                "ExecStart", \.startCommands,
                "The command line; required, and allowed only once unless the type is oneshot."),
            section.lines(
                "ExecStartPre", \.startPreCommands, "A command that runs before the worker is launched."),
            section.lines(
                "ExecStartPost", \.startPostCommands, "A command that runs when the worker is ready."),
            section.lines(
                "ExecReload", \.reloadCommands, "A command that makes the worker reload its configuration."),
            section.many(
                "After", \.after, "Workers that must be ready before this one is launched or woken with them."
            ),
            section.many("Requires", \.requires, "Workers that this one depends on."),
            section.many(
                "Wants", \.wants, "Workers that are launched and woken with this one; or firstUnlock."),
            section.many("OnFailure", \.onFailure, "Workers that are launched when this one has failed."),
            section.one(
                "Type", \.type, "How the worker signals that it is ready, and which time limits apply to it."),
            section.one(
                "ReadyWhen", \.readyWhen, "When a worker that does not signal readiness itself is ready."),
            section.one("NotifyAccess", \.notifyAccess, "Which processes may send notifications."),
            section.one("Launch", \.launch, "When the worker is launched."),
            section.one(
                "ExitsOnSuspend", \.exitsOnSuspend,
                "Terminate the worker instead of moving it to the background."),
            section.many("URLSchemes", \.urlSchemes, "The schemes of the URLs that the worker opens."),
            section.many(
                "ActivityTypes", \.activityTypes, "The types of the activities that the worker continues."),
            section.one(
                "StateVersion", \.stateVersion,
                "The version of saved state; the build id of the program by default."),
            section.one("Snapshot", \.snapshot, "Keep the last lines of output."),
            section.lines("SnapshotRedact", \.snapshotRedact, "Patterns blanked out in the kept output."),
            section.one("Restart", \.restart.policy, "When the worker is restarted after it has ended."),
            section.one("RestartSec", \.restart.delay, "The delay before a restart."),
            section.number("RestartSteps", \.restart.steps, 0...10_000, "In how many steps the delay grows."),
            section.one("RestartMaxDelaySec", \.restart.maximumDelay, "The longest delay before a restart."),
            section.one(
                "StartLimitIntervalSec", \.restart.startLimitInterval, "The interval of StartLimitBurst=."),
            section.number(
                "StartLimitBurst", \.restart.startLimitBurst, 0...1_000_000,
                "How many launches are allowed within the interval."),
            statuses("SuccessExitStatus", \.restart.successStatus, "Exit statuses that count as clean."),
            statuses(
                "RestartPreventExitStatus", \.restart.preventStatus,
                "Exit statuses that never cause a restart."),
            statuses(
                "RestartForceExitStatus", \.restart.forceStatus, "Exit statuses that always cause a restart."
            ),
            section.one("KillSignal", \.restart.stopSignal, "The stop signal."),
            section.timeout(
                "TimeoutStartSec", \.timeouts.start, "How long the launch may take; 0 means infinity."),
            section.timeout(
                "TimeoutStopSec", \.timeouts.stop,
                "How long the stop may take; 0 means infinity."),
            section.custom(
                "TimeoutSec", \.timeouts, expectation: TimeLimit.expectation, isClosed: true,
                "Sets TimeoutStartSec= and TimeoutStopSec=."
            ) { timeouts, text, _ throws(ValueError) in
                let limit = try TimeLimit(parsing: text).withZeroAsInfinity
                timeouts.start = limit
                timeouts.stop = limit
            },
            section.one("WatchdogSec", \.timeouts.watchdog, "The watchdog timeout; 0 disables it."),
        ]
    }()

    private static func statuses(
        _ key: String, _ path: any WritableKeyPath<Self, ConfigurationSyntax.ExitStatusSet> & Sendable,
        _ summary: String
    ) -> Directive<Self> {
        DirectiveSection(name: "Worker").custom(
            key, path, expectation: ConfigurationSyntax.ExitStatusSet.expectation, isList: true,
            isClosed: true, summary
        ) { set, text, _ throws(ValueError) in try set.insert(parsing: text) }
    }

    /// The keys of [Notifications] that begin with a lowercase letter are topics.
    package mutating func assignOpen(
        _ assignment: Assignment, in context: SpecifierContext
    ) throws(ValueError) -> Bool {
        guard assignment.section.isExactly("Notifications"), assignment.key.utf8.first?.isLowercase ?? false
        else {
            return false
        }
        let topic = try TopicName(parsing: assignment.key).text
        notifications.actions[topic] =
            assignment.value.isEmpty ? nil : try CallbackAction(parsing: assignment.value, in: context)
        return true
    }

    /// The topics whose hooks differ.
    package func changedOpenKeys(from old: Self) -> [String] {
        let (before, now) = (old.notifications.actions, notifications.actions)
        return Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }.sorted().map {
            "Notifications.\($0)"
        }
    }

    /// What is missing, or says different things.
    package var contradictions: [Contradiction] {
        var found: [Contradiction] = []
        if startCommands.isEmpty {
            found.append(
                Contradiction(key: "ExecStart", problem: "missing", expected: Command.expectation))
        } else if startCommands.count > 1, type != .oneshot {
            found.append(
                Contradiction(
                    key: "ExecStart", problem: "more than one command",
                    expected: "one (an empty ExecStart= resets the list), or Type=oneshot"))
        }
        if type == .oneshot, [.always, .onSuccess].contains(restart.policy) {
            found.append(
                Contradiction(
                    key: "Restart", problem: "a oneshot worker that succeeded cannot be restarted",
                    expected: "no, on-failure, on-abnormal, on-watchdog or on-abort for Type=oneshot"))
        }
        if readyWhen != nil, type != .simple, type != .exec {
            found.append(
                Contradiction(
                    key: "ReadyWhen", problem: "the type already defines readiness",
                    expected: "Type=simple or Type=exec"))
        }
        found += Callback.allCases.compactMap(contradiction)
        switch callbacks.userActivity {
        case .exec, nil: break
        case .signal, .stdin:
            found.append(
                Contradiction(
                    key: "UserActivity", problem: "only a command can print a state",
                    expected: "exec:PATH ARGS"))
        }
        if let input = execution.standardInput, input != .pipe, hasInputHook {
            found.append(
                Contradiction(
                    key: "StandardInput", problem: "a “stdin:” hook has nothing to write to",
                    expected: "pipe, or no StandardInput="))
        }
        if restart.steps > 0, restart.maximumDelay == .infinity {
            found.append(
                Contradiction(
                    .warning, key: "RestartSteps", problem: "ignoring steps without a maximum delay",
                    expected: "RestartMaxDelaySec= as well"))
        }
        return found + wakeContradictions + socketContradictions + relayContradictions + unfired
    }

    private func contradiction(at callback: Callback) -> Contradiction? {
        guard let completion = callbacks.completions[callback] else { return nil }
        let key = callback.key + "Completes"
        switch callbacks.actions[callback] {
        case .exec: return nil
        case nil:
            return Contradiction(
                key: key, problem: "no hook to complete", expected: callback.key + "= as well")
        case .signal, .stdin:
            guard completion == .exit else { return nil }
            return Contradiction(
                key: key, problem: "only a command can exit",
                expected: "immediately, notify or output:REGEX for “signal:” and “stdin:”")
        }
    }
}
