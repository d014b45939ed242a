import Testing

@testable import Lifecycle

/// An end that wakes a sleeper waits for the thaw only so long: it may fail for as long as the machine lives (1.2, 1.4).
@Suite struct `A thaw for an end` {
    struct Row: Sendable, CustomStringConvertible {
        let description: String
        let policy: Policy
        var cues: [Cue] = .asleep
        let limit: TimeSpan?
    }

    private static let graceful = policy(.app)
    private static let sleepingDaemon: [Cue] = [
        .wants(.active), .event(.launched(pid: 7)), .idles(), .event(.frozen),
    ]

    private static func policy(_ policy: Policy, wakesToStop: Bool = false) -> Policy {
        var policy = policy
        policy.evictable = wakesToStop ? .silent : .graceful
        policy.wakesToStop = wakesToStop
        return policy
    }

    private static func evicted(grace: TimeSpan?) -> Cue {
        .event(.evictionRequested(Eviction(by: .memoryPressure, grace: grace)))
    }

    static let rows: [Row] = [
        Row(
            description: "an app that is told of its end", policy: graceful,
            cues: .asleep + [.wants(.notRunning)],
            limit: .seconds(5)),
        Row(
            description: "one that is being thawed already", policy: graceful,
            cues: .asleep + [.wants(.active), .passes(.seconds(60)), .wants(.notRunning)], limit: .seconds(5)),
        Row(
            description: "one that may die silently, and may run already", policy: .app,
            cues: .asleep + [.wants(.active), .wants(.notRunning)], limit: .seconds(5)),
        Row(
            description: "one that another program has stopped", policy: graceful,
            cues: .active + [.event(.stoppedOutside), .wants(.notRunning)], limit: .seconds(5)),
        Row(
            description: "one that is awake when it is stopped, in a callback", policy: graceful,
            cues: .entering + [.wants(.notRunning), .event(.stoppedOutside)], limit: .seconds(5)),
        Row(
            description: "one that is to freeze, and sleeps then", policy: graceful,
            cues: .background + [.idles(), .wants(.notRunning), .event(.frozen)], limit: .seconds(5)),
        Row(
            description: "a daemon with a pending stop signal", policy: policy(Policy()),
            cues: sleepingDaemon + [.wants(.notRunning)], limit: .seconds(90)),
        Row(
            description: "the shorter time of an eviction", policy: graceful,
            cues: .asleep + [evicted(grace: .seconds(2))], limit: .seconds(2)),
        Row(
            description: "an eviction without one", policy: graceful, cues: .asleep + [evicted(grace: nil)],
            limit: .seconds(5)),
        Row(
            description: "torpor run, which has no limit", policy: policy(.run, wakesToStop: true),
            cues: sleepingDaemon + [.wants(.notRunning)], limit: nil),
    ]

    @Test(arguments: rows) func `has the time of the stage that it is for`(_ row: Row) {
        let life = Life(row.policy, row.cues)
        #expect(life.worker.state == .suspended && life.worker.isEnding)
        #expect(life.effects.last { $0 == .thaw } != nil)
        #expect(life.remaining(.ending) == row.limit)
    }

    @Test(arguments: rows.filter { $0.limit != nil })
    func `is given up at its limit, and the worker is killed`(
        _ row: Row
    ) {
        var life = Life(row.policy, row.cues)
        let isEvicted = row.description.contains("eviction")
        let effects = life.play(.expires(.ending))
        #expect(effects.contains(.warn(.thawFailed)) && effects.contains(.kill), "\(effects)")
        // It is not its fault.
        life.play(.exits(.killed(signal: 9, coreDumped: false)))
        #expect(life.records.last?.cause == (isEvicted ? .evicted : .stopped))
        #expect(life.worker.state == .notRunning)
    }

    @Test(arguments: rows) func `is over when it comes, and the stage has its whole time`(_ row: Row) {
        var life = Life(row.policy, row.cues)
        life.play(.passes(.seconds(1)), .event(.thawed))
        #expect(life.worker.state == .background)
        #expect(!life.effects.contains(.warn(.thawFailed)))
        // A callback that was in flight has its own time, and the end waits for it.
        if life.worker.process?.ending?.stage == .waking { return }
        #expect(life.remaining(.ending) == row.limit)
    }

    @Test func `that comes after SIGKILL is nothing`() {
        var life = Life(Self.graceful, .asleep + [.wants(.notRunning), .expires(.ending)])
        #expect(life.play(.event(.thawed)).isEmpty)
        #expect(life.worker.state == .suspended)
    }

    @Test func `has a limit where a predecessor that knew none was killed`() {
        var life = Life(Self.graceful, .asleep + [.wants(.notRunning)])
        var discarded: [Effect] = []
        life.worker.timers.disarmAll(&discarded)
        #expect(
            life.worker.recover(at: life.now).contains {
                if case .arm(.ending, _, _) = $0 { true } else { false }
            })
        #expect(life.remaining(.ending) == .seconds(5))
    }

    @Test func `without an end has none: a worker that is only to wake waits`() {
        let life = Life(Self.graceful, .asleep + [.wants(.active)])
        #expect(life.worker.timers.armed.isEmpty)
    }
}
