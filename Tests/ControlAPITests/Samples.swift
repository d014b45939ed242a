import ControlAPI
import Varlink

/// Values with every field, for the tests of what other callers do not see.
enum Sample {
    typealias API = SupervisorInterface

    static let caller = API.Caller(uid: 0, pid: 7)
    static let deadline = API.Deadline(name: "stop", at: 9, remainingUsec: 5, then: "SIGKILL")
    static let termination = API.Termination(
        at: 1, pid: 2, cause: "watchdog", code: "0x8badf00d", exitStatus: 1, signal: "SIGKILL",
        sentence: "It hung.", state: .background, goal: .suspended, launchReason: .url, requestedBy: caller,
        runUsec: 1, backgroundUsec: 2, suspendedUsec: 3, peakMemoryBytes: 4, pressureSome: 1.5,
        pressureFull: 0, freedBytes: 5, givenBackBytes: 6, callback: "didEnterBackground",
        callbackUsec: 5_000_000, queueLength: 2,
        lastOutput: ["secret"])
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
    static let result = API.GoalResult(
        name: "web", state: .active, goal: .suspended, wanted: .active, reached: false,
        error: "io.torpor.Supervisor.Refused",
        message: "It holds a task.", lastOutput: ["\"a\"", "b"])
    static let bareResult = API.GoalResult(name: "web", state: .active, goal: .active, reached: true)
    static let change = API.Change(
        worker: "web", from: .active, to: .inactive, goal: .background, reason: "operator", at: 1,
        monotonic: 2,
        uid: 0, pid: 7, notTold: ["willResignActive"])
    static let report = API.TerminationReport(id: 4, worker: "web", bootId: "b", termination: termination)
    static let entry = API.HistoryEntry(
        id: 3, worker: "web", bootId: "b", at: 1, kind: .changed, from: .active, to: .inactive,
        reason: "operator", requestedBy: caller, suspendedForUsec: 5, notTold: ["willResignActive"],
        message: "m")
    static let goalReply = API.GoalReply(results: [result, bareResult])
}
