import Testing

@testable import Lifecycle

/// Every kind of lifecycle state, by the way that leads there, and every kind of event: the two sides of the golden table.
enum StateEventPairs {
    struct Standing: Sendable {
        let name: String
        let cues: [Cue]
        var policy = Self.app

        /// One worker has everything that can be had.
        static let app = with { _ in }

        static func with(_ change: (inout Policy) -> Void) -> Policy {
            var policy = Policy.app
            policy.restart = RestartPolicy(condition: .onFailure)
            policy.releasesDevices = true
            policy.idle = IdlePolicy(delay: .seconds(60))
            change(&policy)
            return policy
        }
    }

    struct Group: CustomTestStringConvertible, Sendable {
        let name: String
        let standings: [Standing]
        let golden: String
        var testDescription: String { name }
    }

    private static let kill = Lifecycle.ExitStatus.killed(signal: 9, coreDumped: false)
    private static let spawning: [Cue] = [.wants(.active)]
    private static let forced = Cue.event(.forceQuit(Vocabulary.human))
    private static let evicted = Cue.event(.evictionRequested(Eviction(by: .memoryPressure)))
    private static let restoring = Cue.event(.savedState(true))
    /// A daemon that has hooks which prove nothing.
    private static let quiet = Policy(
        hooks: CallbackSet([.didEnterBackground, .didReceiveNotifications]),
        immediateHooks: CallbackSet([.didEnterBackground]),
        quiet: QuietPolicy(), limits: .daemon, restart: RestartPolicy(condition: .onFailure))
    private static let notify = Standing.with {
        $0.readiness = .notify
        $0.limits = .daemon
    }
    /// Sleep without a look at what it holds.
    private static let asleep: [Cue] =
        .background + [.idles(), .event(.inspected(nil)), .event(.frozen)]

    static let groups: [Group] = [
        Group(
            name: "at rest",
            standings: [
                Standing(name: "never launched", cues: []),
                Standing(name: "failed", cues: .active + [.idles(), .exits(kill)]),
                Standing(name: "evicted", cues: asleep + [evicted, .exits(kill)]),
                Standing(name: "force-quit", cues: .active + [forced, .exits(kill)]),
                Standing(name: "backing off", cues: .active + [.exits(.exited(1))]),
            ], golden: GoldenPairs.atRest),
        Group(
            name: "launching",
            standings: [
                Standing(name: "spawning", cues: spawning),
                Standing(name: "doomed", cues: spawning + [forced]),
                Standing(name: "attaching", cues: spawning + [.event(.launched(pid: 7))]),
                Standing(name: "finishing", cues: .attached + [.brings(.url)]),
                Standing(name: "restoring", cues: [restoring] + .attached + [.completes()]),
                Standing(
                    name: "not ready", cues: spawning + [.event(.launched(pid: 7))], policy: notify),
            ], golden: GoldenPairs.launching),
        Group(
            name: "foreground",
            standings: [
                Standing(name: "inactive", cues: .active + [.wants(.inactive), .completes()]),
                Standing(name: "interrupted", cues: .active + [.event(.interrupted), .completes()]),
                Standing(name: "reloading", cues: .active + [.event(.reloading)]),
                Standing(name: "active", cues: .active),
                Standing(name: "becoming active", cues: .attached + [.completes(), .completes()]),
                Standing(name: "resigning", cues: .active + [.idles()]),
            ], golden: GoldenPairs.foreground),
        Group(
            name: "background",
            standings: [
                Standing(name: "entering", cues: .active + [.idles(), .completes()]),
                Standing(name: "held there", cues: .background),
                Standing(
                    name: "working", cues: .background + [.event(.taskBegan(token: 1)), .idles()]),
                Standing(name: "fetching", cues: asleep + [.brings(.fetch), .event(.thawed)]),
                Standing(name: "processing", cues: asleep + [.brings(.processing), .event(.thawed)]),
                Standing(name: "returning", cues: .background + [.wants(.active)]),
            ], golden: GoldenPairs.background),
        Group(
            name: "falling asleep",
            standings: [
                Standing(name: "inspecting", cues: .background + [.idles()]),
                Standing(
                    name: "freezing",
                    cues: .background + [.idles(), .event(.inspected(nil))]),
                Standing(
                    name: "stuck",
                    cues: .background + [
                        .idles(), .event(.inspected(nil)), .event(.freezeFailed),
                    ]),
            ], golden: GoldenPairs.fallingAsleep),
        Group(
            name: "not done",
            standings: [
                Standing(
                    name: "reading", cues: [.wakes, .event(.launched(pid: 7))], policy: quiet),
                Standing(name: "waiting", cues: .restless, policy: quiet),
                Standing(
                    name: "told",
                    cues: [.wants(.active), .event(.launched(pid: 7)), .idles(), .completes(), Cue.read],
                    policy: quiet),
                Standing(
                    name: "held",
                    cues: .restless + [.event(.taskBegan(token: 4, by: .other(limit: .seconds(9))))],
                    policy: quiet),
                Standing(
                    name: "flushing", cues: .restless + [.event(.notificationsQueued)], policy: quiet),
            ], golden: GoldenPairs.notDone),
        Group(
            name: "suspended",
            standings: [
                Standing(name: "asleep", cues: asleep),
                Standing(name: "held outside", cues: .active + [.event(.stoppedOutside)]),
                Standing(
                    name: "held in a callback", cues: .active + [.idles(), .event(.stoppedOutside)]),
                Standing(name: "thawing", cues: asleep + [.wants(.active)]),
            ], golden: GoldenPairs.suspended),
        Group(
            name: "ending",
            standings: [
                Standing(name: "waiting for a callback", cues: .active + [.idles(), evicted]),
                Standing(name: "telling", cues: .background + [.wants(.notRunning)]),
                Standing(
                    name: "stopping", cues: .background + [.wants(.notRunning), .completes(.failed)]),
                Standing(name: "stopping itself", cues: .active + [.event(.stopping)]),
                Standing(name: "killed", cues: .active + [forced]),
            ], golden: GoldenPairs.ending),
    ]

    struct Row: Sendable {
        let name: String
        let cue: Cue
    }

    private static let human = Vocabulary.human

    static let rows: [Row] =
        Goal.allCases.map { Row(name: "wanted \($0)", cue: .wants($0)) } + [
            Row(name: "idles", cue: .idles()),
            Row(
                name: "prelaunch",
                cue: .event(.requested(Request(.suspended, by: .supervisor, reason: .prelaunch)))),
            Row(
                name: "boot",
                cue: .event(.requested(Request(.active, by: .supervisor, reason: .boot)))),
            Row(name: "resume", cue: .event(.resumeRequested(human))),
            Row(name: "restart", cue: .event(.restartRequested(human))),
            Row(name: "force-quit", cue: .event(.forceQuit(human))),
            Row(name: "evicted", cue: .event(.evictionRequested(Eviction(by: .memoryPressure)))),
            Row(name: "woken, foreground", cue: .event(.woken(Wake(.socket, intoForeground: true)))),
            Row(name: "woken, background", cue: .event(.woken(Wake(.path, intoForeground: false)))),
        ]
        + Inbound.Kind.allCases.map { Row(name: "\($0)", cue: .brings($0, id: 2)) } + [
            Row(name: "interrupted", cue: .event(.interrupted)),
            Row(name: "interruption ended", cue: .event(.interruptionEnded)),
            Row(name: "memory warning", cue: .event(.announced(.didReceiveMemoryWarning))),
            Row(name: "time change", cue: .event(.announced(.significantTimeChange))),
            Row(name: "no announcement", cue: .event(.announced(.didBecomeActive))),
            Row(name: "queue", cue: .event(.notificationsQueued)),
            Row(name: "foreground's queue", cue: .event(.foregroundNotificationsQueued)),
            Row(name: "work revoked", cue: .event(.processingRevoked)),
            Row(name: "in use", cue: .event(.used(true))),
            Row(name: "not in use", cue: .event(.used(false))),
            Row(name: "policy changed", cue: .event(.policyChanged(SharedPolicy(Standing.app)))),
            Row(name: "state saved", cue: .event(.savedState(true))),
            Row(name: "launched", cue: .event(.launched(pid: 9))),
            Row(name: "launch failed", cue: .event(.launchFailed(errno: 2))),
            Row(name: "launch abandoned", cue: .event(.launchAbandoned)),
            Row(name: "exit 0", cue: .exits()),
            Row(name: "exit 1", cue: .exits(.exited(1))),
            Row(name: "SIGKILL", cue: .exits(kill)),
            Row(name: "SIGKILL, OOM", cue: .event(.exited(kill, oomKilled: true))),
            Row(name: "SIGSEGV", cue: .exits(.killed(signal: 11, coreDumped: true))),
            Row(name: "exit unknown", cue: .exits(.unknown)),
            Row(name: "frozen", cue: .event(.frozen)),
            Row(name: "freeze failed", cue: .event(.freezeFailed)),
            Row(name: "freeze refused", cue: .event(.freezeRefused)),
            Row(name: "thawed", cue: .event(.thawed)),
            Row(name: "stopped outside", cue: .event(.stoppedOutside)),
            Row(name: "continued outside", cue: .event(.continuedOutside)),
            Row(name: "holds nothing", cue: .event(.inspected(nil))),
            Row(name: "holds a lock", cue: .event(.inspected(.lock))),
            Row(name: "holds a device", cue: .event(.inspected(.device))),
            Row(name: "too much CPU", cue: .event(.cpuLimitExceeded)),
            Row(name: "CPU time", cue: .event(.cpuRead(CPUReading(used: .seconds(1))))),
            Row(name: "used", cue: .event(.usedLast(LastUse(at: .zero)))),
            Row(name: "start failed", cue: .event(.startFailed)),
            Row(name: "READY", cue: .event(.ready)),
            Row(name: "RELOADING", cue: .event(.reloading)),
            Row(name: "STOPPING", cue: .event(.stopping)),
            Row(name: "EXTEND_TIMEOUT", cue: .event(.extendTimeout(.seconds(7)))),
            Row(name: "WATCHDOG=1", cue: .event(.watchdogPinged)),
            Row(name: "WATCHDOG=trigger", cue: .event(.watchdogTriggered)),
            Row(name: "WATCHDOG_USEC", cue: .event(.watchdogChanged(.seconds(3)))),
            Row(name: "IN_USE=1", cue: .event(.saidInUse(true))),
            Row(name: "IN_USE=0", cue: .event(.saidInUse(false))),
            Row(name: "MAINPID", cue: .event(.mainProcessChanged(pid: 8))),
            Row(name: "attached", cue: .event(.attached(.all))),
            Row(name: "detached", cue: .event(.detached)),
            Row(name: "done", cue: .completes()),
            Row(name: "refused", cue: .completes(.refused)),
            Row(name: "hook failed", cue: .completes(.failed)),
            Row(name: "activity over", cue: .finishes),
            Row(name: "stale completion", cue: .event(.completed(id: 999, .done))),
            Row(name: "task begun", cue: .event(.taskBegan(token: 2))),
            Row(name: "held", cue: .event(.taskBegan(token: 3, by: .other(limit: .seconds(9))))),
            Row(name: "task ended", cue: .event(.taskEnded(token: 1))),
            Row(name: "foreground taken", cue: .event(.foregroundTaken(true))),
            Row(name: "foreground free", cue: .event(.foregroundTaken(false))),
            Row(name: "stalled", cue: .event(.stalled(.seconds(2)))),
            Row(name: "launch overdue", cue: .expires(.launch)),
            Row(name: "callback overdue", cue: .expires(.callback)),
            Row(name: "tasks overdue", cue: .expires(.backgroundTasks)),
            Row(name: "fetch overdue", cue: .expires(.activity(7))),
            Row(name: "hold overdue", cue: .expires(.hold(4))),
            Row(name: "looked again", cue: .expires(.quiet)),
            Row(name: "idle over", cue: .expires(.idle)),
            Row(name: "end overdue", cue: .expires(.ending)),
            Row(name: "backoff over", cue: .expires(.backoff)),
            Row(name: "freeze due", cue: .expires(.freeze)),
            Row(name: "stale timer", cue: .event(.expired(.grace, generation: 999, traced: false))),
        ]

    /// The outcomes of a group, one row an event, one column a state.
    static func table(_ group: Group) -> [[String]] {
        [["event"] + group.standings.map(\.name)]
            + rows.map { row in
                [row.name]
                    + group.standings.map { standing in
                        var life = Life(standing.policy, standing.cues)
                        let before = life.worker
                        return Shorthand.cell(life.play(row.cue), from: before, to: life.worker)
                    }
            }
    }

    static func parse(_ golden: String) -> [[String]] {
        golden.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    static func render(_ table: [[String]]) -> String {
        let widths = (table.first ?? []).indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        return table.map { row in
            var line = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }.joined(separator: " | ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
