import ControlAPI
import Testing
import Varlink

@testable import Operator

private typealias API = SupervisorInterface
private let clock = WallClock(now: 1_000_000_000)

@Suite
struct `The list` {
    private let reply = API.List.Reply(
        workers: [
            .init(
                name: "cache", description: "Evil \u{1b}[31m", state: .suspended, since: 100_000_000,
                goal: .suspended, pid: 42, memoryBytes: 3 << 30, held: false, wakesBy: "tcp 6379"),
            .init(
                name: "web@1", description: "Shop window", state: .notRunning, since: 400_000_000,
                goal: .notRunning, reason: .failed, held: false),
            .init(name: "x", state: .background, since: 1_000_000_000, goal: .active, pid: 7, held: true),
        ], asleepCount: 1, givenBackBytes: 1 << 30)

    @Test func `is a table with header and footer`() {
        #expect(
            ListView(reply, at: clock).rendered(Style()) == """
                NAME  STATE      SINCE     GOAL/REASON  PID MEMORY WAKES BY DESCRIPTION
                cache suspended  15min ago suspended     42   3.0G tcp 6379 Evil \\x1b[31m
                web@1 notRunning 10min ago failed         -      - -        Shop window
                x     background now       active, held   7      - -       \u{20}

                1 asleep, 1.0 GB reclaimed

                """)
    }

    @Test func `is rows alone without a legend`() {
        #expect(
            ListView(reply, at: clock).rendered(Style(hasLegend: false)).split(separator: "\n").count == 3)
        let nobody = API.List.Reply(workers: [], asleepCount: 0, givenBackBytes: 0)
        #expect(ListView(nobody, at: clock).rendered(Style(hasLegend: false)) == "")
        #expect(ListView(nobody, at: clock).rendered(Style()).hasSuffix("\n\n0 asleep\n"))
        // A user sees which supervisor's list is empty.
        let view = ListView(nobody, at: clock, from: "the system's supervisor at /run/x")
        #expect(view.rendered(Style()) == "No workers: the system's supervisor at /run/x has none.\n")
        #expect(view.rendered(Style(hasLegend: false)) == "")
    }

    @Test func `has the columns and the order that were asked for`() throws {
        let columns = try #require(ListColumn.columns("memory,name"))
        #expect(
            ListView(reply, at: clock, columns: columns, sortedBy: .state).rendered(Style(hasLegend: false))
                == """
                   - x
                3.0G cache
                   - web@1

                """)
        #expect(ListColumn.columns("name,colour") == nil && ListColumn.columns("") == nil)
        #expect(ListColumn.memory.sorted(reply.workers).map(\.name) == ["cache", "web@1", "x"])
        #expect(ListColumn.since.sorted(reply.workers).map(\.name) == ["x", "web@1", "cache"])
        for column in ListColumn.allCases { #expect(column.sorted(reply.workers).count == 3) }
    }

    @Test func `is a tree of templates`() {
        func worker(_ name: String, _ state: API.State, _ memory: Int64?) -> API.WorkerSummary {
            .init(
                name: name, state: state, since: 0, goal: .active, memoryBytes: memory, held: false)
        }
        let reply = API.List.Reply(
            workers: [
                worker("a@1", .active, 1 << 20), worker("b@10", .suspended, .max),
                worker("b@2", .active, nil), worker("b@3", .suspended, 1 << 20),
            ], asleepCount: 0, givenBackBytes: 0)
        let text = ListView(reply, at: clock, columns: [.name, .state], asTree: true).rendered(Style())
        #expect(
            text == """
                NAME   STATE
                a@1    active
                b@     1 active, 2 suspended
                ├─b@2  active
                ├─b@3  suspended
                └─b@10 suspended

                0 asleep

                """)
        #expect(ListView(reply, at: clock, asTree: true).rendered(Style(isUnicode: false)).contains("`-b@10"))
    }

    @Test func `cuts descriptions where the terminal ends`() {
        let lines = ListView(reply, at: clock).rendered(Style(width: 71)).split(separator: "\n")
        #expect(lines[1].hasSuffix("3.0G tcp 6379 Evil \\x1b[…"))
        #expect(lines.dropLast().allSatisfy { String($0).columns <= 71 })
    }

    @Test func `has colours where they are wanted`() {
        let text = ListView(reply, at: clock).rendered(Style(isColoured: true))
        #expect(text.contains("\u{1b}[0;1;31mfailed\u{1b}[0m"))
        #expect(!text.contains("Evil \u{1b}"))
    }
}

@Suite
struct `The status` {
    private var status: API.WorkerStatus {
        .init(
            name: "web", description: "Shop", state: .background, since: 400_000_000, goal: .background,
            goalBy: .init(uid: 0, pid: 9), type: "notify", user: "www", pid: 42, processCount: 3,
            memory: .init(currentBytes: 1 << 20, peakBytes: 2 << 20), cpuUsec: 1_500_000,
            callback: "didEnterBackground",
            deadlines: [
                .init(name: "didEnterBackground", at: 0, remainingUsec: 4_500_000, then: "it is killed")
            ],
            backgroundTimeRemainingUsec: 61_000_000, tasks: [.init(name: "up\u{7}load", since: 999_000_000)],
            queueLength: 2, held: false, freezeMethod: .signal, launchReason: .url,
            hookFailures: [
                .init(
                    callback: "didEnterBackground", action: "exec:/bin/save a\u{7}b", why: "exit status 3",
                    at: 990_000_000)
            ], launchOptions: ["url": "x:y"], statusText: "\u{1b}]0;title\u{7}", restartCount: 2,
            files: ["/etc/torpor/workers/web.worker", "/etc/torpor/workers/web.worker.d/a.conf"],
            commandLine: ["/bin/web", "a b"])
    }

    @Test func `says why a worker could not be put to sleep, and when that is tried again`() {
        var status = status
        status.deadlines = [
            .init(
                name: "sleep", at: 0, remainingUsec: 4_000_000, then: "the suspend is retried")
        ]
        status.freezeFailure = "cannot stop all\u{7}"
        let text = StatusView(status, at: clock).rendered(Style())
        #expect(
            text.contains(
                "Not asleep: it could not be suspended: cannot stop all\\x07; next attempt at "
                    + "Thu 1970-01-01 00:16:44 UTC, in 4s"), "\(text)")
    }

    @Test func `says how many processes run on of a worker whose main process is stopped`() {
        var status = status
        status.held = true
        let all = "Held: stopped by another program; no event wakes it"
        #expect(StatusView(status, at: clock).rendered(Style()).contains(all))
        status.runningOthers = 1
        let one =
            "Held: stopped by another program (its main process only); 1 other process still runs; no event"
        #expect(StatusView(status, at: clock).rendered(Style()).contains(one))
    }

    @Test func `is everything about a worker`() {
        #expect(
            StatusView(status, at: clock).rendered(Style()) == """
                ● web - Shop
                      Loaded: /etc/torpor/workers/web.worker
                              /etc/torpor/workers/web.worker.d/a.conf
                       State: background since Thu 1970-01-01 00:06:40 UTC; 10min ago
                        Goal: background, set by root, pid 9
                        Type: notify, as user www
                Launched for: url {"url":"x:y"}
                    Callback: didEnterBackground in flight
                 Failed hook: didEnterBackground (exec:/bin/save a\\x07b): exit status 3; 10s ago
                    Deadline: didEnterBackground in 4.500s, then it is killed
                  Background: 1min 1s left
                  Kept awake: by up\\x07load, started 1s ago
                       Queue: 2 notifications
                      Status: "\\x1b]0;title\\x07"
                    Main PID: 42 (3 processes)
                      Memory: 1.0M (peak: 2.0M)
                         CPU: 1.500s
                     Freezer: SIGSTOP to each process
                     Command: /bin/web 'a b'
                    Restarts: 2 in a row

                """)
    }

    @Test func `says what wakes it, what it was used for, and what sleep would have brought`() {
        var status = status
        status.wakesBy = "tcp 6379, 41 connections (its epoll)"
        status.lastUse = .init(at: 988_000_000, what: "10.0.0.7:51422 spoke 12s ago")
        status.sleepGain = .init(
            observed: true, watchedUsec: 18_000_000_000, asleepUsec: 16_740_000_000, wakeCount: 14,
            peers: [.init(peer: "10.0.0.5", count: 13), .init(peer: "evil\u{7}", count: 1)])
        let text = StatusView(status, at: clock).rendered(Style())
        #expect(text.contains("Wakes by: tcp 6379, 41 connections (its epoll)\n"))
        #expect(text.contains("Last use: 10.0.0.7:51422 spoke 12s ago\n"))
        #expect(
            text.contains("Would sleep: 93 % of 5h, woken 14 times by 10.0.0.5 and evil\\x07\n"), "\(text)")
    }

    @Test(arguments: API.State.allCases)
    func `answers 3 for notRunning only`(state: SupervisorInterface.State) {
        var status = status
        status.state = state
        #expect(StatusView(status, at: clock).exitStatus == (state == .notRunning ? .notRunning : .success))
    }

    @Test func `tells of the last end and the last output`() {
        var status = status
        status.state = .notRunning
        status.reason = .failed
        status.lastTermination = .init(
            at: 940_000_000, pid: 42, cause: "watchdog", code: "0x8badf00d",
            sentence: "killed: launch took too long",
            state: .inactive, goal: .active, requestedBy: .init(uid: 5, pid: 6), runUsec: 20_000_000,
            backgroundUsec: 0, suspendedUsec: 0, queueLength: 0, lastOutput: ["hello", "\u{1b}c"])
        let text = StatusView(status, at: clock).rendered(Style())
        #expect(text.contains("State: notRunning (failed) since"))
        #expect(
            text.hasSuffix(
                """
                    Last end: killed: launch took too long, Thu 1970-01-01 00:15:40 UTC; 1min 0s ago
                              pid 42, ran 20s, 0x8badf00d, requested by uid 5, pid 6

                hello
                \\x1bc

                """))
    }
}

@Suite
struct `Other views` {
    @Test func `show findings and what mends them`() {
        let findings: [API.Finding] = [
            .init(capability: "freezer", available: true, detail: "cgroup.freeze works"),
            .init(capability: "pressure", available: false, detail: "no PSI", remedy: "boot with psi=1"),
        ]
        #expect(
            DoctorView(findings).rendered(Style()) == """
                ✓ freezer   cgroup.freeze works
                ✗ pressure  no PSI
                            → boot with psi=1

                1 gap.

                """)
    }

    @Test func `show changes as they happen`() {
        var view = WatchView(at: clock)
        let present = API.Watch.Reply(present: [
            .init(name: "web", state: .active, since: 1_000_000, goal: .active, held: false)
        ])
        #expect(view.rendered(present, Style()) == "00:00:01.000 web  active (active)\n")
        let change = API.Watch.Reply(
            change: .init(
                worker: "web", from: .active, to: .inactive, goal: .suspended, reason: "operator",
                at: 2_000_001,
                monotonic: 0, uid: 0, pid: 5, notTold: ["willResignActive"]))
        #expect(
            view.rendered(change, Style(isUnicode: false))
                == "00:00:02.000 web  active -> inactive (operator, goal suspended, root, pid 5, "
                + "not delivered: willResignActive)\n")
    }

    @Test func `show what a reload did`() {
        let view = ReloadView(
            .init(
                changed: ["a"], added: [], removed: ["b", "c"],
                failed: [
                    .init(worker: "d", file: "/d.worker", line: 2, key: "User", message: "no such user")
                ],
                warnings: [.init(file: "/e", message: "odd\u{1b}")]))
        #expect(
            view.rendered(Style()) == """
                changed: a
                removed: b c
                A running worker takes a changed command, environment or hook with its next launch: 'torpor restart NAME'.
                A removed worker that runs is kept until it ends.

                """)
        #expect(view.rendered(Style(hasLegend: false)) == "changed: a\nremoved: b c\n")
        #expect(view.failures == [Failure(.configuration, "/d.worker:2: User=: no such user")])
        #expect(view.warnings == ["warning: /e: odd\\x1b"])
        let nothing = ReloadView(.init(changed: [], added: [], removed: [], failed: [], warnings: []))
        #expect(nothing.rendered(Style()) == "Nothing changed.\n")
        let settings = ReloadView(
            .init(
                changed: [], added: [], removed: [], failed: [], warnings: [], settingsChanged: true))
        #expect(settings.rendered(Style()) == "changed: settings of torpord.conf\n")
    }
}
