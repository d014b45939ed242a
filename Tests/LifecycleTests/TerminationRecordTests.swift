import Testing

@testable import Lifecycle

/// What every end of a process leaves behind: the whole record, for each cause (1.5).
@Suite struct `Termination records` {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let cues: [Cue]
        let cause: TerminationRecord.Cause
        let code: UInt32?
        let state: State
        var goal = Goal.active
        var status = kill
        var requester: Requester?
        var unfinished: Callback?
        var reason = LaunchReason.operator
        var policy = Policy.app
        var testDescription: String { name }
    }

    private static let kill = Lifecycle.ExitStatus.killed(signal: 9, coreDumped: false)
    private static let term = Lifecycle.ExitStatus.killed(signal: 15, coreDumped: false)
    private static let segv = Lifecycle.ExitStatus.killed(signal: 11, coreDumped: true)
    private static let human = Vocabulary.human
    private static let forced = Cue.event(.forceQuit(human))

    private static func evicted(_ requester: Requester) -> Cue {
        .event(.evictionRequested(Eviction(by: requester)))
    }

    static let rows: [Row] = [
        Row(
            name: "a clean exit", cues: .active + [.exits()], cause: .exited, code: nil, state: .active,
            status: .exited(0)),
        Row(
            name: "a failure", cues: .active + [.exits(.exited(3))], cause: .failed, code: nil,
            state: .active,
            status: .exited(3)),
        Row(
            name: "a status that nobody knows", cues: .active + [.exits(.unknown)], cause: .failed, code: nil,
            state: .active, status: .unknown),
        Row(
            name: "a crash in a callback", cues: .entering + [.exits(segv)], cause: .crashed, code: nil,
            state: .background, goal: .background, status: segv, unfinished: .didEnterBackground),
        Row(
            name: "a stop", cues: .background + [.wants(.notRunning), .exits()], cause: .stopped, code: nil,
            state: .background, goal: .notRunning, status: .exited(0), requester: human,
            unfinished: .willTerminate),
        Row(
            name: "a stop that is overdue",
            cues: .background + [.wants(.notRunning), .expires(.ending), .exits(kill)], cause: .watchdog,
            code: 0x8bad_f00d, state: .background, goal: .notRunning, requester: human,
            unfinished: .willTerminate),
        Row(
            name: "a stop of which only what the main process had left is overdue",
            cues: .background + [.wants(.notRunning), .expires(.ending), .exits(term)], cause: .stopped,
            code: nil, state: .background, goal: .notRunning, status: term, requester: human,
            unfinished: .willTerminate),
        Row(
            name: "a launch that is overdue", cues: .attached + [.expires(.launch), .exits(kill)],
            cause: .watchdog, code: 0x8bad_f00d, state: .inactive, unfinished: .willFinishLaunching),
        Row(
            name: "a background task",
            cues: .background + [
                .event(.taskBegan(token: 1)), .idles(), .expires(.backgroundTasks), .completes(),
                .expires(.backgroundTasks), .exits(kill),
            ], cause: .backgroundTask, code: 0x2182_bad2, state: .background, goal: .suspended),
        Row(
            name: "a transfer",
            cues: .background + [.brings(.transfer), .expires(.activity(7)), .exits(kill)],
            cause: .transfer, code: 0x2182_bad3, state: .background, goal: .background),
        Row(
            name: "a fetch", cues: .background + [.brings(.fetch), .expires(.activity(7)), .exits(kill)],
            cause: .fetch, code: 0x2182_bad4, state: .background, goal: .background),
        Row(
            name: "background CPU",
            cues: .background + [.event(.cpuLimitExceeded), .event(.cpuLimitExceeded), .exits(kill)],
            cause: .backgroundCPU, code: 0xd00d_2bad, state: .background, goal: .background),
        Row(
            name: "a resource held asleep",
            cues: .background + [.idles(), .event(.inspected(.lock)), .exits(kill)],
            cause: .heldResource, code: 0xdead_10cc, state: .background, goal: .suspended, policy: strict),
        Row(
            name: "a force-quit", cues: .asleep + [forced, .exits(kill)], cause: .forceQuit,
            code: 0xdead_fa11,
            state: .suspended, goal: .notRunning, requester: human),
        Row(
            name: "an eviction", cues: .asleep + [evicted(.memoryPressure), .exits(kill)], cause: .evicted,
            code: nil, state: .suspended, goal: .notRunning, requester: .memoryPressure),
        Row(
            name: "its own limit", cues: .asleep + [evicted(.memoryLimit), .exits(kill)], cause: .memoryLimit,
            code: nil, state: .suspended, goal: .notRunning, requester: .memoryLimit),
        Row(
            name: "the kernel's OOM killer", cues: .active + [.event(.exited(kill, oomKilled: true))],
            cause: .kernelOOM, code: nil, state: .active),
        Row(
            name: "STOPPING=1", cues: .active + [.event(.stopping), .exits()], cause: .exited, code: nil,
            state: .active, status: .exited(0), requester: .worker),
        Row(
            name: "an exit that came before our SIGKILL", cues: .active + [forced, .exits(.exited(0))],
            cause: .exited, code: nil, state: .active, goal: .notRunning, status: .exited(0),
            requester: human),
        Row(
            name: "a launch by a wake source",
            cues: [.brings(.fetch), .event(.launched(pid: 7)), .exits(.exited(1))], cause: .failed, code: nil,
            state: .background, goal: .suspended, status: .exited(1), reason: .url),
    ]

    private static var strict: Policy {
        var policy = Policy.app
        policy.heldResources = .kill
        return policy
    }

    @Test(arguments: rows) func `are whole`(_ row: Row) throws {
        var life = Life(row.policy, Array(row.cues.dropLast()) + [.passes(.seconds(3))])
        let process = try #require(life.worker.process)
        let since = life.worker.callbackInFlight?.since
        let effects = life.play([try #require(row.cues.last)])
        var times = process.times
        times.leave(process.state, at: life.now)
        let expected = TerminationRecord(
            incarnation: 1, pid: 7, launchReason: row.reason, state: row.state, goal: row.goal,
            cause: row.cause, status: row.status, launchErrno: nil, requester: row.requester,
            ran: life.now - times.started, inBackground: times.inBackground, suspended: times.suspended,
            unfinished: row.unfinished.flatMap { callback in
                since.map { .init(callback: callback, age: life.now - $0) }
            }, at: life.now, restartsAt: nil)
        #expect(life.records == [expected])
        #expect(row.cause.code == row.code)
        // The record comes before any observer hears of the end.
        #expect(effects.contains(.record(expected)))
        #expect(effects.seen == [.moved(row.state, .notRunning)])
    }

    @Test func `cover every cause`() {
        let causes = Set(Self.rows.map(\.cause) + [.launchFailed])
        #expect(causes == Set(TerminationRecord.Cause.allCases))
    }

    @Test func `tell the errno of a launch that failed, and when it is tried again`() {
        let life = Life(
            Policy(restart: RestartPolicy(condition: .onFailure, delay: .seconds(2))),
            [.wants(.active), .event(.launchFailed(errno: 2))])
        #expect(
            life.records == [
                TerminationRecord(
                    incarnation: 1, pid: 0, launchReason: .operator, state: .notRunning, goal: .active,
                    cause: .launchFailed, status: .unknown, launchErrno: 2, requester: nil, ran: .zero,
                    inBackground: .zero, suspended: .zero, unfinished: nil, at: life.now,
                    restartsAt: life.now + .seconds(2))
            ])
    }

    @Test func `of a launch that is called off before there is a process tells of a stop`() {
        let policy = Policy(restart: RestartPolicy(condition: .always, delay: .seconds(2)))
        let life = Life(policy, [.wants(.active), .wants(.notRunning), .event(.launchAbandoned)])
        #expect(
            life.records == [
                TerminationRecord(
                    incarnation: 1, pid: 0, launchReason: .operator, state: .notRunning, goal: .notRunning,
                    cause: .stopped, status: .unknown, launchErrno: nil, requester: Vocabulary.human,
                    ran: .zero, inBackground: .zero, suspended: .zero, unfinished: nil, at: life.now,
                    restartsAt: nil)
            ])
        #expect(life.worker.restReason == .exited && life.worker.failuresInARow == 0)
    }

    @Test func `of a launch that is called off and wanted again has another launch after it`() {
        let life = Life(
            Policy(), [.wants(.active), .wants(.notRunning), .wants(.active), .event(.launchAbandoned)])
        #expect(life.records.map(\.cause) == [.stopped] && life.records.first?.requester == nil)
        #expect(life.worker.currentLaunch?.incarnation == 2 && life.worker.failuresInARow == 0)
    }

    @Test func `sum up the time in the background and asleep`() throws {
        let life = Life(
            Policy(),
            [
                .wants(.background), .event(.launched(pid: 7)), .passes(.seconds(10)), .idles(),
                .passes(.seconds(1)), .event(.frozen), .passes(.seconds(100)), .wants(.active),
                .event(.thawed), .passes(.seconds(5)), .wants(.background), .passes(.seconds(20)), .exits(),
            ])
        let record = try #require(life.records.last)
        #expect(record.ran == .seconds(136))
        #expect(record.inBackground == .seconds(31))
        #expect(record.suspended == .seconds(100))
    }

    @Test func `count the processes of a worker`() {
        let again: [Cue] = [.wants(.active), .event(.launched(pid: 8)), .exits()]
        #expect(Life(Policy(), again + again + again).records.map(\.incarnation) == [1, 2, 3])
    }
}
