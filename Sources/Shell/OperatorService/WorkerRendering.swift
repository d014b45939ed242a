internal import Cgroups
internal import ConfigurationSyntax
internal import ControlAPI
internal import History
internal import Interrupting
internal import Lifecycle
internal import Linux
internal import Notifications
internal import Records
internal import Supervisor
internal import SupervisorPorts
internal import Varlink
internal import WorkerFile

/// A worker as the control interface tells of it.
struct WorkerRendering {
    let view: WorkerView
    let entry: RegisteredWorker
    let now: Instant
    let usage: WorkerUsage?
    /// How many processes of it run on although another program has stopped its main process.
    var runningOthers = 0

    typealias API = SupervisorInterface

    var state: API.State { .init(view.life.state) }
    var goal: API.Goal { .init(view.life.goal) }

    func wall(_ moment: Instant) -> Int64 { WallClock.microseconds(of: moment, now: now) }

    /// When it entered its state; of one that is being launched, when that was begun.
    private var since: Int64 { wall(view.launching?.since ?? view.since) }

    private var activities: [API.ActivityOffer] {
        API.ActivityOffer.all(of: view, named: entry.name, now: now)
    }

    /// Everything.
    func status(freezing: FreezeMethod) -> API.WorkerStatus {
        let life = view.life
        let definition = entry.loaded?.definition
        return API.WorkerStatus(
            name: entry.name, description: entry.description, state: state,
            since: since,
            goal: goal, goalBy: API.Caller(life.goalRequester), reason: reason,
            type: definition?.type.rawValue ?? life.policy.readiness.typeName,
            readyWhen: definition?.readyWhen?.description, user: definition?.execution.user?.spelling,
            pid: life.pid.map(Int64.init), processCount: usage.map { Int64($0.processes) },
            memory: usage?.memory.map {
                API.Memory(
                    currentBytes: $0, peakBytes: usage?.peakMemory, limitBytes: usage?.memoryLimit,
                    givenBackBytes: view.reclaim?.givenBack, throttleCount: usage?.throttles)
            },
            cpuUsec: usage?.cpu,
            callback: life.callbackInFlight.map { view.launchCommand?.key ?? $0.callback.rawValue },
            deadlines: deadlines,
            backgroundTimeRemainingUsec: life.backgroundTimeRemaining(at: now)?.microseconds, tasks: tasks,
            queueLength: Int64(view.queueLength), held: life.isHeld,
            runningOthers: runningOthers > 0 ? Int64(runningOthers) : nil,
            adopted: view.isAdopted ? true : nil,
            freezeMethod: life.pid == nil ? nil : .init(freezing), freezeFailure: view.freezeFailure,
            launchReason: life.currentLaunch.map { .init($0.reason) },
            restored: life.currentLaunch?.isRestored ?? false ? true : nil, lastWake: lastWake,
            hookFailures: hookFailures,
            launchOptions: view.launchOptions == [:] ? nil : .object(view.launchOptions),
            statusText: view.statusText,
            lastTermination: entry.lastEnd?.termination ?? view.lastRecord.map(termination),
            restartCount: Int64(life.failuresInARow), files: entry.loaded?.files ?? [],
            commandLine: definition?.command.map { [$0.program] + $0.arguments.map(\.spelling) },
            environment: definition.map { $0.execution.environment.map(\.description) },
            lastOutput: view.snapshot.isEmpty ? nil : view.snapshot, launching: view.launching?.words,
            fileProblem: entry.fileProblem, definedAt: entry.fileProblem == nil ? nil : wall(entry.definedAt),
            wakesBy: wakesBy, wakeLimits: wakeLimits, lastUse: lastUse, sleepGain: observedGain,
            sockets: sockets,
            interruptions: view.interruptions.isEmpty
                ? nil : view.interruptions.map { API.Interruption($0, now: now) },
            wakeBudget: wakeBudget, fetch: fetch,
            activities: activities.isEmpty ? nil : activities, processing: processing)
    }

    private var lastWake: API.WakeEvent? {
        view.lastWake.map { origin, moment in
            API.WakeEvent(
                at: wall(moment), reason: .init(origin.reason), detail: origin.detail,
                by: origin.caller.map { .init(uid: Int64($0.uid), pid: Int64($0.pid)) },
                program: origin.caller?.program)
        }
    }

    private var hookFailures: [API.HookFailure]? {
        let failures = view.hookFailures.map {
            API.HookFailure(
                callback: $0.callback.rawValue, topic: $0.topic, action: $0.action, why: $0.problem,
                at: wall($0.at))
        }
        return failures.isEmpty ? nil : failures
    }

    private var tasks: [API.BackgroundTask] {
        view.tasks.map {
            API.BackgroundTask(name: $0.name, since: wall($0.since), by: API.Caller($0.requester))
        }
    }

    private var reason: API.NotRunningReason? {
        view.life.restReason.map { .init($0) }
    }

    var deadlines: [API.Deadline] {
        view.life.deadlines.map { timer, due in
            API.Deadline(
                name: timer.name(in: view.life), at: due.microseconds,
                remainingUsec: max(0, (due - now).microseconds),
                then: observedConsequence(of: timer) ?? timer.consequence(in: view.life))
        }
    }

    private func termination(_ record: TerminationRecord) -> API.Termination {
        API.Termination(TerminationEntry(record, of: entry.name, exitDetails: nil, now: now))
    }
}

extension SupervisorInterface.Caller {
    /// The person or program behind a request; nil where it was a rule.
    init?(_ requester: Requester) {
        guard case .operator(let uid, let pid) = requester else { return nil }
        self.init(uid: Int64(uid), pid: Int64(pid))
    }
}

extension SupervisorInterface.FreezeMethod {
    init(_ method: Cgroups.FreezeMethod) {
        self =
            switch method {
            case .cgroup: .cgroup
            case .signals: .signal
            }
    }
}

extension Policy.Readiness {
    /// The value of `Type=`.
    var typeName: String {
        switch self {
        case .exec: "simple"
        case .exit: "oneshot"
        case .notify: "notify"
        case .app: "app"
        }
    }
}

extension Lifecycle.Timer {
    /// What must be done by then.
    func name(in life: WorkerLifecycle) -> String {
        switch self {
        case .launch: "launch"
        case .callback: life.callbackInFlight?.callback.rawValue ?? "callback"
        case .backgroundTasks: "backgroundTasks"
        case .grace: "extension"
        case .activity: "activity"
        case .watchdog: "watchdog"
        case .idle: "idle"
        case .quiet: "quiet"
        case .hold: "hold"
        case .ending: "stop"
        case .backoff: "restart"
        case .freeze: "sleep"
        }
    }

    /// What happens past it, in words.
    func consequence(in life: WorkerLifecycle) -> String {
        switch self {
        case .launch, .watchdog: "it is killed"
        case .callback:
            switch life.callbackInFlight?.callback {
            case .didEnterBackground, .shouldSaveState, .saveState:
                life.policy.killsOverrunInBackground ? "it is killed" : "the callback is abandoned"
            default: life.policy.killsOverrun ? "it is killed" : "the callback is abandoned"
            }
        case .activity: life.policy.killsOverrun ? "it is killed" : "the callback is abandoned"
        case .backgroundTasks: "it is warned, then killed"
        case .grace: "it is suspended"
        case .idle: "it is suspended if it was not used"
        case .quiet: "it is suspended if it has used no CPU time"
        case .hold: "it is no longer held"
        case .ending: "the next stage of the stop: the stop signal, then SIGKILL"
        case .backoff: "it is restarted"
        case .freeze: "the suspend is retried"
        }
    }
}
