import Testing

@testable import Lifecycle

/// `Restart=` against the table of systemd.service(5), its delay, and the start limit.
@Suite struct `Restart policy` {
    /// One row of the table: an end, and the settings that follow it.
    struct Row: CustomTestStringConvertible, Sendable {
        let end: String
        let status: Lifecycle.ExitStatus
        let cause: TerminationRecord.Cause
        let follows: Set<RestartPolicy.Condition>
        var testDescription: String { end }
    }

    private static let killed = Lifecycle.ExitStatus.killed(signal: 9, coreDumped: false)
    private static let abnormal: Set<RestartPolicy.Condition> = [.always, .onFailure, .onAbnormal]

    static let table: [Row] = [
        Row(end: "clean exit", status: .exited(0), cause: .exited, follows: [.always, .onSuccess]),
        Row(
            end: "clean signal", status: .killed(signal: 15, coreDumped: false), cause: .exited,
            follows: [.always, .onSuccess]),
        Row(end: "unclean exit code", status: .exited(1), cause: .failed, follows: [.always, .onFailure]),
        Row(end: "status unknown", status: .unknown, cause: .failed, follows: [.always, .onFailure]),
        Row(
            end: "launch failed", status: .unknown, cause: .launchFailed, follows: [.always, .onFailure]),
        Row(
            end: "unclean signal", status: .killed(signal: 11, coreDumped: true), cause: .crashed,
            follows: abnormal.union([.onAbort])),
        // A missed deadline and a missed watchdog are the same cause to us, 0x8badf00d.
        Row(end: "watchdog", status: killed, cause: .watchdog, follows: abnormal.union([.onWatchdog])),
        Row(end: "OOM", status: killed, cause: .kernelOOM, follows: abnormal),
        Row(end: "background task", status: killed, cause: .backgroundTask, follows: abnormal),
        Row(end: "fetch", status: killed, cause: .fetch, follows: abnormal),
        Row(end: "transfer", status: killed, cause: .transfer, follows: abnormal),
        Row(end: "background CPU", status: killed, cause: .backgroundCPU, follows: abnormal),
        Row(end: "held resource", status: killed, cause: .heldResource, follows: abnormal),
    ]

    @Test(arguments: table) func `follows the ends that systemd follows`(_ row: Row) {
        for condition in RestartPolicy.Condition.allCases {
            let policy = RestartPolicy(condition: condition)
            #expect(
                policy.restarts(row.status, row.cause) == row.follows.contains(condition),
                "Restart=\(condition.rawValue)")
        }
    }

    @Test(arguments: RestartPolicy.Condition.allCases)
    func `never follows an end that somebody asked for`(_ condition: RestartPolicy.Condition) {
        let asked: [[Cue]] = [
            [.wants(.notRunning), .completes(), .exits()],
            [.wants(.notRunning), .completes(), .expires(.ending), .exits(Self.killed)],
            [.event(.forceQuit(Vocabulary.human)), .exits(Self.killed)],
            [.event(.evictionRequested(Eviction(by: .memoryLimit))), .exits()],
        ]
        for cues in asked {
            var policy = Policy.app
            policy.restart = RestartPolicy(condition: condition)
            let life = Life(policy, .active + cues)
            #expect(life.worker.restReason != .backingOff)
            #expect(life.worker.timers.armed.isEmpty)
        }
    }

    @Test func `prevent and force go before the condition, prevent first`() {
        let set = ExitStatusSet(codes: [3], signals: [9])
        let always = RestartPolicy(condition: .always, prevent: set, force: set)
        #expect(!always.restarts(.exited(3), .failed))
        #expect(!always.restarts(Self.killed, .watchdog))
        let never = RestartPolicy(condition: .no, force: set)
        #expect(never.restarts(.exited(3), .failed))
        #expect(!never.restarts(.exited(4), .failed))
    }

    @Test func `clean are 0, HUP, INT, TERM, PIPE, and what the list adds`() {
        let policy = RestartPolicy(success: ExitStatusSet(codes: [42], signals: [10]))
        let clean = (1...31).filter { policy.isClean(.killed(signal: Int32($0), coreDumped: false)) }
        #expect(clean == [1, 2, 10, 13, 15])
        #expect((0...255).filter { policy.isClean(.exited(Int32($0))) } == [0, 42])
        #expect(!policy.isClean(.killed(signal: 15, coreDumped: true)))
        #expect(!policy.isClean(.unknown))
    }

    @Test func `the delay doubles with each failure in a row, up to the longest`() {
        let policy = RestartPolicy(delay: .seconds(1), longestDelay: .seconds(10))
        #expect((0..<6).map { policy.delay(after: $0) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        #expect(policy.delay(after: 5000) == .seconds(10))
        #expect(RestartPolicy(delay: .seconds(1)).delay(after: 3) == .seconds(1))
    }

    private static let doubling = Policy(
        restart: RestartPolicy(
            condition: .onFailure, delay: .seconds(1), longestDelay: .seconds(60), limitBurst: 0))

    @Test func `failures in a row wait longer, and a long run is forgiven`() {
        var life = Life(Self.doubling, [.wants(.active), .event(.launched(pid: 7)), .exits(.exited(1))])
        #expect(life.worker.restReason == .backingOff)
        #expect(life.remaining(.backoff) == .seconds(1))
        life.play(.expires(.backoff), .event(.launched(pid: 8)), .exits(.exited(1)))
        #expect(life.remaining(.backoff) == .seconds(2))
        life.play(.expires(.backoff), .event(.launchFailed(errno: 2)))
        #expect(life.remaining(.backoff) == .seconds(4))
        life.play(.expires(.backoff), .event(.launched(pid: 9)), .passes(.seconds(10)), .exits(.exited(1)))
        #expect(life.remaining(.backoff) == .seconds(1))
    }

    @Test func `an operator does not wait for the delay, and begins it anew`() {
        var life = Life(Self.doubling, [.wants(.active), .event(.launched(pid: 7)), .exits(.exited(1))])
        life.play(.expires(.backoff), .event(.launched(pid: 8)), .exits(.exited(1)))
        let effects = life.play(.wants(.active))
        #expect(effects.first == .disarm(.backoff))
        #expect(life.worker.currentLaunch?.reason == .operator)
        life.play(.event(.launched(pid: 9)), .exits(.exited(1)))
        #expect(life.remaining(.backoff) == .seconds(1))
    }

    @Test func `a stop during the delay ends it`() {
        var life = Life(Self.doubling, [.wants(.active), .event(.launched(pid: 7)), .exits(.exited(1))])
        #expect(life.play(.wants(.notRunning)) == [.disarm(.backoff)])
        #expect(life.worker.restReason == .failed)
    }

    @Test func `the delay grows without a start limit, too, and begins anew after a long run`() {
        let policy = Policy(
            restart: RestartPolicy(
                condition: .always, delay: .seconds(1), longestDelay: .seconds(60), limitInterval: .zero))
        var life = Life(policy, [.wants(.active), .event(.launched(pid: 7)), .exits(.exited(1))])
        #expect(life.remaining(.backoff) == .seconds(1))
        life.play(.expires(.backoff), .event(.launched(pid: 8)), .passes(.seconds(59)), .exits(.exited(1)))
        #expect(life.remaining(.backoff) == .seconds(2))
        life.play(.expires(.backoff), .event(.launched(pid: 9)), .passes(.seconds(61)), .exits(.exited(1)))
        #expect(life.remaining(.backoff) == .seconds(1))
    }

    private static let limited = Policy(
        restart: RestartPolicy(
            condition: .always, delay: .seconds(1), limitBurst: 2, limitInterval: .seconds(10)))

    @Test func `the start limit gives up, and says so`() {
        var life = Life(Self.limited, [.wants(.active), .event(.launched(pid: 7)), .exits()])
        life.play(.expires(.backoff), .event(.launched(pid: 8)), .exits())
        let effects = life.play(.expires(.backoff))
        #expect(effects == [.warn(.startLimitHit), .refuse(.startLimit, .supervisor)])
        #expect(life.worker.restReason == .failed)
        #expect(
            life.play(.event(.woken(Wake(.socket, intoForeground: true)))).contains(.warn(.startLimitHit)))
    }

    @Test func `the start limit counts within its interval, and an operator resets it`() {
        var life = Life(Self.limited, [.wants(.active), .event(.launched(pid: 7)), .exits()])
        life.play(.expires(.backoff), .event(.launched(pid: 8)), .passes(.seconds(9)), .exits())
        #expect(!life.play(.expires(.backoff)).contains(.warn(.startLimitHit)))
        life.play(.event(.launched(pid: 9)), .exits(), .expires(.backoff), .wants(.active))
        #expect(life.worker.isLaunching)
    }

    @Test func `a status that nobody knows counts as a failure`() throws {
        let life = Life(Self.doubling, [.wants(.active), .event(.launched(pid: 7)), .exits(.unknown)])
        #expect(try #require(life.records.last).cause == .failed)
        #expect(life.worker.restReason == .backingOff)
    }

    @Test func `asleep nobody needed it: it comes back when somebody does`() {
        var life = Life(
            Self.doubling,
            [.wants(.active), .event(.launched(pid: 7)), .idles(), .event(.frozen), .exits(Self.killed)])
        #expect(life.worker.restReason == .failed)
        life.play(.event(.woken(Wake(.socket, intoForeground: true))))
        #expect(life.worker.isLaunching)
    }
}
