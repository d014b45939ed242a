import ControlAPI
import Varlink

/// One value of every type, once with all that may be there and once with as little as possible.
enum Sample {
    typealias API = SupervisorInterface

    static let caller = API.Caller(uid: 0, pid: 7)
    static let summary = API.WorkerSummary(
        name: "web@42", description: "A server", state: .notRunning, since: 1, goal: .active,
        reason: .backingOff, pid: 3, memoryBytes: 4, held: true, adopted: true, launching: true,
        fileProblem: "p")
    static let bareSummary = API.WorkerSummary(
        name: "web", state: .active, since: 1, goal: .active, held: false)
    static let deadline = API.Deadline(name: "stop", at: 9, remainingUsec: 5, then: "SIGKILL")
    static let termination = API.Termination(
        at: 1, pid: 2, cause: "watchdog", code: "0x8badf00d", exitStatus: 1, signal: "SIGKILL",
        sentence: "It hung.", state: .background, goal: .suspended, launchReason: .url, requestedBy: caller,
        runUsec: 1, backgroundUsec: 2, suspendedUsec: 3, peakMemoryBytes: 4, pressureSome: 1.5,
        pressureFull: 0, freedBytes: 5, givenBackBytes: 6, callback: "didEnterBackground",
        callbackUsec: 5_000_000, queueLength: 2,
        lastOutput: ["secret"])
    static let bareTermination = API.Termination(
        at: 1, pid: 2, cause: "exit", sentence: "It ended.", state: .active, goal: .active, runUsec: 1,
        backgroundUsec: 2, suspendedUsec: 3, queueLength: 0)
    static let status = API.WorkerStatus(
        name: "web", description: "A server", state: .background, since: 1, goal: .suspended, goalBy: caller,
        reason: .exited, type: "app", readyWhen: "port:80", user: "web", pid: 2, processCount: 3,
        memory: API.Memory(currentBytes: 1, peakBytes: 2, limitBytes: 3, givenBackBytes: 4, throttleCount: 5),
        cpuUsec: 4,
        callback: "willTerminate", deadlines: [deadline], backgroundTimeRemainingUsec: 600_000_000,
        tasks: [API.BackgroundTask(name: "upload", since: 1, by: caller)], queueLength: 5, held: true,
        runningOthers: 2, adopted: true,
        because: "secret", wouldChange: ["secret"], freezeMethod: .cgroup, freezeFailure: "secret",
        launchReason: .silentNotification, restored: true,
        lastWake: API.WakeEvent(
            at: 1, reason: .path, detail: "/secret", by: caller, program: "/bin/secret"),
        hookFailures: [
            API.HookFailure(
                callback: "didEnterBackground", topic: "secret", action: "exec:/secret", why: "secret", at: 1)
        ],
        launchOptions: ["url": "secret:"],
        statusText: "Busy", lastTermination: termination, restartCount: 1,
        files: ["/etc/torpor/workers/web.worker"],
        commandLine: ["/bin/web", "--password=secret"], environment: ["TOKEN=secret"], lastOutput: ["secret"],
        outputTo: "/var/log/secret", launching: "l", fileProblem: "p", definedAt: 5)
    static let bareStatus = API.WorkerStatus(
        name: "web", state: .notRunning, since: 1, goal: .notRunning, type: "simple", deadlines: [],
        tasks: [],
        queueLength: 0, held: false, restartCount: 0, files: [])
    static let result = API.GoalResult(
        name: "web", state: .active, goal: .suspended, wanted: .active, reached: false,
        error: "io.torpor.Supervisor.Refused",
        message: "It holds a task.", lastOutput: ["\"a\"", "b"])
    static let bareResult = API.GoalResult(name: "web", state: .active, goal: .active, reached: true)
    static let change = API.Change(
        worker: "web", from: .active, to: .inactive, goal: .background, reason: "operator", at: 1,
        monotonic: 2,
        uid: 0, pid: 7, notTold: ["willResignActive"])
    static let bareChange = API.Change(
        worker: "web", goal: .notRunning, reason: "reload", at: 1, monotonic: 2, notTold: [])
    static let report = API.TerminationReport(id: 4, worker: "web", bootId: "b", termination: termination)
    static let bareReport = API.TerminationReport(
        id: 4, worker: "web", bootId: "b", termination: bareTermination)
    static let entry = API.HistoryEntry(
        id: 3, worker: "web", bootId: "b", at: 1, kind: .changed, from: .active, to: .inactive,
        reason: "operator", requestedBy: caller, suspendedForUsec: 5, notTold: ["willResignActive"],
        message: "m")
    static let bareEntry = API.HistoryEntry(
        id: 3, bootId: "b", at: 1, kind: .lost, reason: "lost", notTold: [])
    static let diagnostic = API.Diagnostic(
        worker: "web", file: "/f", line: 1, key: "Restart", message: "expected on-failure")
    static let goal = API.GoalParameters(names: ["web*"], wait: true, timeoutMs: 1)
    static let bareGoal = API.GoalParameters(names: [])
    static let goalReply = API.GoalReply(results: [result, bareResult])
    static let bareGoalReply = API.GoalReply(results: [])
}

/// A method with a value of everything that goes in and comes out, whole and bare.
struct MethodSample: Sendable {
    let member: String
    let parameters: [JSON], replies: [JSON]
    let survives: Bool

    init<M: SupervisorInterface.Method>(
        _ method: M.Type, _ parameters: [M.Parameters], _ replies: [M.Reply]
    ) throws {
        try self.init(M.member, parameters, replies)
    }

    init<M: WorkerInterface.Method>(
        _ method: M.Type, _ parameters: [M.Parameters], _ replies: [M.Reply]
    ) throws {
        try self.init(M.member, parameters, replies)
    }

    private init<Parameters: Codable & Equatable, Reply: Codable & Equatable>(
        _ member: String, _ parameters: [Parameters], _ replies: [Reply]
    ) throws {
        self.member = member
        self.parameters = try parameters.map { try JSON(encoding: $0) }
        self.replies = try replies.map { try JSON(encoding: $0) }
        survives =
            try self.parameters.map { try $0.decode(Parameters.self) } == parameters
            && self.replies.map { try $0.decode(Reply.self) } == replies
    }

    typealias API = SupervisorInterface
    static func all() throws -> [MethodSample] {
        try queries() + verbs() + daemon()
    }

    private static func queries() throws -> [MethodSample] {
        [
            try MethodSample(
                API.List.self, [.init(names: ["a"]), .init()],
                [.init(workers: [Sample.summary, Sample.bareSummary], asleepCount: 1, givenBackBytes: 2)]),
            try MethodSample(
                API.Describe.self, [.init(name: "a")],
                [.init(worker: Sample.status), .init(worker: Sample.bareStatus)]),
            try MethodSample(
                API.Why.self, [.init(name: "a")],
                [
                    .init(
                        sentence: "s", state: .active, goal: .active, cause: "operator",
                        requestedBy: Sample.caller, wouldChange: ["idle"], deadline: Sample.deadline,
                        lastOutput: ["l"]),
                    .init(sentence: "s", state: .active, goal: .active, cause: "boot", wouldChange: []),
                ]),
            try MethodSample(API.Open.self, [.init(url: "game:42")], [.init(worker: "game")]),
            try MethodSample(
                API.Hold.self, [.init(name: "a", purpose: "backup", limitUsec: 7), .init(name: "a")],
                [
                    .init(remainingUsec: 5), .init(), .init(over: .limit),
                    .init(over: .workerEnded, reason: "it ended"),
                ]),
            try MethodSample(
                API.Post.self,
                [
                    .init(
                        names: ["a*"], topic: "t", payload: ["p": 1], rule: .set, added: ["x"],
                        removed: ["y"],
                        wake: true, foreground: false, at: 1, everyUsec: 2, transient: true),
                    .init(names: ["a"], topic: "t"),
                ],
                [
                    .init(results: [
                        .init(
                            name: "a", sequence: 1, schedule: 2, obstacle: .notWanted, message: "no hook"),
                        .init(name: "b"),
                    ])
                ]),
            try MethodSample(
                API.Notifications.self, [.init(name: "a")],
                [
                    .init(
                        notifications: [
                            .init(
                                topic: "t", sequence: 1, rule: .each, count: 2, first: 3, last: 4,
                                payload: ["p": 1], added: ["x"], removed: ["y"], dropped: 5, inFlight: true,
                                survives: false, deaths: 2, setAside: true),
                            .init(
                                topic: "t", sequence: 1, rule: .net, count: 1, first: 3, last: 4,
                                inFlight: false, survives: true),
                        ],
                        scheduled: [
                            .init(
                                id: 1, topic: "t", rule: .count, payload: ["p": 1], at: 5, everyUsec: 6,
                                wake: true, by: .init(uid: 1, pid: 2), program: "cron"),
                            .init(id: 2, topic: "t", rule: .latest, at: 5, wake: false),
                        ], bytes: 7, problem: "hook", retryUsec: 8),
                    .init(notifications: [], scheduled: [], bytes: 0),
                ]),
            try MethodSample(API.RetryNotification.self, [.init(name: "a", sequence: 1)], [.init()]),
            try MethodSample(API.DropNotification.self, [.init(name: "a", sequence: 1)], [.init()]),
            try MethodSample(API.Cancel.self, [.init(name: "a", id: 1)], [.init()]),
            try MethodSample(
                API.Cat.self, [.init(name: "a")], [.init(files: [.init(path: "/f", content: "[Worker]\n")])]),
            try MethodSample(
                API.Logs.self, [.init(name: "a", lines: 5), .init(name: "a")],
                [
                    .init(lines: ["l"], outputTo: "journal:a", hasInput: true), .init(lines: []),
                    .init(lines: [], ended: "ended: exited"),
                ]),
            try MethodSample(API.Send.self, [.init(name: "a", text: "t")], [.init()]),
            try MethodSample(
                API.Watch.self, [.init(names: ["a"]), .init()],
                [
                    .init(present: [Sample.summary]), .init(change: Sample.change),
                    .init(change: Sample.bareChange),
                ]),
            try MethodSample(
                API.Report.self, [.init(names: ["a"], before: 5, limit: 6), .init()],
                [
                    .init(
                        reports: [Sample.report, Sample.bareReport], hasOlder: true, incomplete: "no disk"),
                    .init(reports: [], hasOlder: false),
                ]),
            try MethodSample(
                API.History.self, [.init(names: ["a"], since: 1, before: 5, limit: 6), .init()],
                [
                    .init(entries: [Sample.entry, Sample.bareEntry], hasOlder: true, incomplete: "no disk"),
                    .init(entries: [], hasOlder: false),
                ]),
        ]
    }

    private static func verbs() throws -> [MethodSample] {
        let goals = [Sample.goal, Sample.bareGoal]
        let replies = [Sample.goalReply, Sample.bareGoalReply]
        return [
            try MethodSample(
                API.Launch.self,
                [.init(names: ["a"], background: true, wait: false, timeoutMs: 5), .init(names: ["a"])],
                replies),
            try MethodSample(
                API.LaunchTransient.self,
                [
                    .init(
                        name: "t", arguments: ["sleep", "1"],
                        properties: [.init(section: "Worker", key: "MemoryMax", value: "6G")],
                        environment: ["A=B"], workingDirectory: "/", background: false, wait: true,
                        timeoutMs: 1),
                    .init(arguments: ["true"]),
                ], [.init(result: Sample.result), .init(result: Sample.bareResult)]),
            try MethodSample(API.Activate.self, goals, replies),
            try MethodSample(API.Resign.self, goals, replies),
            try MethodSample(API.Background.self, goals, replies),
            try MethodSample(API.Suspend.self, goals, replies),
            try MethodSample(API.ReloadWorker.self, goals, replies),
            try MethodSample(API.Resume.self, goals, replies),
            try MethodSample(API.Restart.self, goals, replies),
            try MethodSample(API.Terminate.self, goals, replies),
            try MethodSample(API.Kill.self, goals, replies),
            try MethodSample(API.Shutdown.self, [.init(wait: true, timeoutMs: 1), .init()], replies),
        ]
    }

    private static func daemon() throws -> [MethodSample] {
        [
            try MethodSample(
                API.Pressure.self, [.init()],
                [
                    .init(
                        level: .critical, support: "unified", detail: "d", observesOnly: true, totalBytes: 1,
                        availableBytes: 2, swapTotalBytes: 3, swapFreeBytes: 4, someStallPercent: 5.5,
                        fullStallPercent: 6.5, warningCount: 7, evictionCount: 8, freedByKillBytes: 9,
                        freedByReclaimBytes: 10, kernelKillCount: 11, victim: "v", helpless: "h"),
                    .init(
                        level: .normal, support: "none", detail: "d", observesOnly: false, warningCount: 0,
                        evictionCount: 0, freedByKillBytes: 0, freedByReclaimBytes: 0, kernelKillCount: 0),
                ]),
            try MethodSample(
                API.Doctor.self, [.init()],
                [
                    .init(findings: [
                        .init(capability: "freezer", available: false, detail: "d", remedy: "r"),
                        .init(capability: "journal", available: true, detail: "d"),
                    ])
                ]),
            try MethodSample(
                API.Reexec.self, [.init()], [.init(pid: 1, version: "1.0", interruptedUsec: 2)]),
            try MethodSample(
                API.Reload.self, [.init()],
                [
                    .init(
                        changed: ["a"], added: ["b"], removed: ["c"], failed: [Sample.diagnostic],
                        warnings: [.init(file: "/f", message: "m")])
                ]),
            try MethodSample(API.SetLogLevel.self, [.init(level: .debug)], [.init()]),
            try MethodSample(API.GetLogLevel.self, [.init()], [.init(level: .emerg)]),
            try MethodSample(API.Ping.self, [.init()], [.init(pid: 1, version: "1.0")]),
        ]
    }
}
