@testable import Lifecycle

/// Everything that can be said to the model.
enum Vocabulary {
    static let human = Requester.operator(uid: 0, pid: 7)

    /// Requests about where the worker is to be.
    static let goals: [Event] =
        Goal.allCases.map { .requested(Request($0, by: human)) } + [
            .resumeRequested(human), .restartRequested(human), .forceQuit(human),
            .requested(Request(.suspended, by: .idle)),
            .requested(Request(.suspended, by: .supervisor, reason: .prelaunch)),
            .evictionRequested(Eviction(by: .memoryPressure, grace: .seconds(1))),
            .evictionRequested(Eviction(by: .memoryLimit)),
        ]

    /// Answers and other facts of the process and the kernel.
    static let facts: [Event] = [
        .launched(pid: 1), .launchFailed(errno: 2), .launchAbandoned, .frozen, .freezeFailed, .freezeRefused,
        .thawed,
        .stoppedOutside,
        .continuedOutside, .inspected(.lock), .inspected(nil), .cpuRead(nil),
        .cpuRead(CPUReading(used: .seconds(1))), .cpuRead(CPUReading(used: .seconds(2), isRunnable: true)),
        .exited(.exited(0), oomKilled: false), .exited(.exited(1), oomKilled: false),
        .exited(.killed(signal: 9, coreDumped: false), oomKilled: false),
        .exited(.killed(signal: 9, coreDumped: false), oomKilled: true), .exited(.unknown, oomKilled: false),
    ]

    /// What a worker says.
    static let words: [Event] = [
        .startFailed, .ready, .reloading, .stopping, .extendTimeout(.seconds(7)), .watchdogPinged,
        .watchdogTriggered,
        .watchdogChanged(.seconds(3)), .watchdogChanged(nil), .mainProcessChanged(pid: 1), .attached(.all),
        .attached([]), .detached, .taskBegan(token: 1), .taskEnded(token: 1), .cpuLimitExceeded,
        .taskBegan(token: 2, by: .other(limit: nil)), .taskBegan(token: 3, by: .other(limit: .seconds(60))),
        .taskEnded(token: 2), .taskEnded(token: 3), .saidInUse(true), .saidInUse(false),
    ]

    /// What else comes from outside.
    static let news: [Event] = [
        .interrupted, .interruptionEnded, .notificationsQueued, .used(true), .used(false),
        .usedLast(LastUse(at: nil)), .usedLast(LastUse(at: .zero, isExchange: true)), .savedState(true),
        .foregroundTaken(true), .foregroundTaken(false), .inspected(.device), .inspected(.backgroundDevice),
        .stalled(.seconds(2)), .announced(.didReceiveMemoryWarning), .announced(.significantTimeChange),
        .announced(.didBecomeActive), .processingRevoked,
    ]

    /// Wake sources, with and without something in hand.
    static let wakes: [Event] =
        [.woken(Wake(.socket, intoForeground: true)), .woken(Wake(.path, intoForeground: false))]
        + Inbound.Kind.allCases.map {
            .woken(Wake(.url, intoForeground: $0.needsForeground, bringing: Inbound(id: 1, $0)))
        }

    /// Every kind of event, whatever the lifecycle state.
    static let everything = goals + facts + words + news + wakes

    /// The completions and expiries that mean something in this lifecycle state, and some that do not.
    static func answers(to life: WorkerLifecycle) -> [Event] {
        var events: [Event] = [
            .completed(id: 999, .done), .expired(.callback, generation: 999, traced: false),
        ]
        for id in [life.process?.facts.slot?.id].compactMap(\.self)
            + (life.process?.facts.activities.map(\.id) ?? [])
        {
            events += Completion.allCases.map { .completed(id: id, $0) }
        }
        for armed in life.timers.armed {
            events += [false, true].map { .expired(armed.timer, generation: armed.generation, traced: $0) }
        }
        return events
    }
}

/// Policies that take different paths through the model.
enum Policies {
    static let all: [(name: String, policy: Policy)] = [
        ("run", Policy(limits: .run, restart: once)),
        ("daemon", Policy(restart: restarting)),
        (
            "quiet daemon",
            Policy(
                hooks: CallbackSet([.didEnterBackground, .didReceiveNotifications, .performFetch]),
                immediateHooks: CallbackSet([.didEnterBackground, .didReceiveNotifications]),
                quiet: QuietPolicy(),
                restart: once)
        ),
        (
            "notify",
            Policy(
                readiness: .notify, restart: restarting, idle: IdlePolicy(delay: .seconds(60), isJudged: true)
            )
        ),
        (
            "hooks",
            Policy(
                readiness: .notify, hooks: .all, restart: once, heldResources: .warn, releasesDevices: true)
        ),
        ("app", app { _ in }),
        ("app without multitasking", app { $0.exitsOnSuspend = true }),
        ("continuous app", app { $0.runsContinuously = true }),
        (
            "strict app",
            app {
                $0.heldResources = .kill
                $0.evictable = .graceful
                $0.tellsBackgroundAfterWake = true
            }
        ),
        (
            "daemon without devices in the background",
            {
                var policy = Policy(restart: once, heldResources: .warn)
                policy.releasesDevicesInBackground = true
                return policy
            }()
        ),
    ]

    static let restarting = RestartPolicy(condition: .onFailure, limitBurst: 1)

    static let once = RestartPolicy(limitBurst: 1)

    private static func app(_ change: (inout Policy) -> Void) -> Policy {
        var policy = Policy.app
        policy.restart = once
        change(&policy)
        return policy
    }
}
