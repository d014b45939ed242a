import ConfigurationSyntax
import Lifecycle
import WorkerFile

@testable import Simulation

/// One long life that passes through everything, for each kind of worker.
enum ReferenceLife {
    /// The workers that lead it.
    static let workers: [(name: String, lines: String)] = [
        (
            "app",
            """
            [Worker w]
            Type=app
            Restart=on-failure
            WatchdogSec=30s
            [Background w]
            TaskLimitSec=60s
            """
        ),
        (
            "daemon with hooks",
            """
            [Worker w]
            Type=notify
            Restart=on-failure
            [Memory w]
            Evictable=graceful
            [Callbacks w]
            DidEnterBackground=exec:/bin/save
            WillEnterForeground=exec:/bin/load
            WillTerminate=stdin:stop
            DidReceiveMemoryWarning=signal:USR1
            """
        ),
        ("daemon", "[Worker w]\nType=simple\nRestart=always\n[Foreground w]\nIdleSec=2min\n"),
    ]

    static let events = """
        [Scenario]
        DurationSec=3h
        [Program w]
        LaunchSec=10ms
        ReadySec=200ms
        CallbackSec=20ms
        PerformFetchSec=1s
        TaskSec=5s
        [Events]
        At=0 w launch
        At=1s w url
        At=2s w interrupt 3s
        At=6s w reload 1s
        At=10s w post
        At=11s w suspend
        At=30s w post
        At=40s w fetch
        At=60s w silent-notification
        At=90s w activate
        At=95s w announce didReceiveMemoryWarning
        At=100s w background
        At=110s w suspend
        At=120s w resume
        At=150s w stop
        At=160s w continue
        At=170s w suspend
        At=200s w evict 2s
        At=300s w url
        At=400s w terminate
        At=500s w launch
        At=510s w kill
        At=520s w fetch
        At=530s w launch
        At=540s w crash
        At=560s w suspend
        At=600s w device
        """

    static func scenario(_ worker: Int) throws -> Scenario {
        try Scenario.reading(workers[worker].lines + "\n" + events)
    }
}

/// Something that goes wrong at one step of a life: actions at once, and actions some time later.
struct Failure: Sendable {
    let name: String
    var now: [ScenarioAction] = []
    var later: [(after: TimeSpan, action: ScenarioAction)] = []
    /// Whether a worker is left that nothing can end.
    var isImmortal = false

    static let all: [Failure] = [
        Failure(name: "crash", now: [.ends(.crash)]),
        Failure(name: "clean exit", now: [.ends(.clean)]),
        Failure(name: "kernel OOM", now: [.oomKilled]),
        Failure(name: "hang", now: [behave("CallbackSec", "infinity")]),
        Failure(
            name: "hang for a while", now: [behave("CallbackSec", "infinity")],
            later: [(.seconds(100), behave("CallbackSec", "20ms"))]),
        Failure(
            name: "ignores every wish to end",
            now: [behave("StopSec", "infinity"), behave("WillTerminateSec", "infinity")]),
        Failure(
            name: "cannot be killed", now: [behave("KillSec", "infinity"), .forceQuits], isImmortal: true),
        Failure(
            name: "launches fail", now: [behave("FailingLaunches", "100")],
            later: [(.seconds(200), behave("FailingLaunches", "0"))]),
        Failure(name: "freezes fail", now: [behave("FailingFreezes", "100")]),
        Failure(name: "never ready", now: [behave("ReadySec", "infinity"), .ends(.crash)]),
        Failure(name: "late answers", now: [behave("LatenessSec", "3s")]),
        Failure(
            name: "late and doubled answers", now: [behave("LatenessSec", "3s"), behave("Doubled", "60")]),
        Failure(
            name: "refuses its launch",
            now: [behave("DidFinishLaunchingAnswer", "refused"), .ends(.crash), .brings(.url, .url)]),
        Failure(name: "failing hooks", now: failingAnswers),
        Failure(name: "stopped by somebody", now: [.stopsOutside]),
        Failure(
            name: "stopped and continued by somebody", now: [.stopsOutside],
            later: [(.seconds(10), .continuesOutside)]),
        Failure(name: "continued by somebody", now: [.continuesOutside]),
        Failure(name: "connection lost", now: [.detaches]),
        Failure(name: "stall", now: [.stalls(.seconds(300))]),
        Failure(name: "holds a resource", now: [behave("HoldsResource", "yes")]),
        Failure(name: "a task without end", now: [.beginsTask(nil), behave("TaskSec", "infinity")]),
        Failure(name: "debugger", now: [.debugs(nil), behave("CallbackSec", "infinity")], isImmortal: true),
        Failure(name: "evicted", now: [.evicts(.seconds(1))]),
        Failure(name: "force-quit", now: [.forceQuits]),
        Failure(name: "watchdog triggered", now: [.triggersWatchdog]),
        Failure(name: "no more pings", now: [behave("PingSec", "infinity")]),
        Failure(name: "stopping by itself", now: [.stopping]),
        Failure(name: "too much CPU", now: [.exceedsCPU, .exceedsCPU]),
    ]

    private static let failingAnswers = Callback.allCases.map { behave($0.key + "Answer", "failed") }

    private static func behave(_ key: String, _ value: String) -> ScenarioAction {
        .behaves(Assignment(section: "Program", key: key, value: value, file: "", line: 0))
    }
}
