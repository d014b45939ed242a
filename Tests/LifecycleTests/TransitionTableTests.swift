import Testing

@testable import Lifecycle

/// The table of 1.2, row by row: for a worker with every receiver, and for one that knows nothing of us.
@Suite struct `Transition table` {
    struct Row: CustomTestStringConvertible, Sendable {
        let change: String
        /// The way to where the row begins.
        let from: [Cue]
        let cues: [Cue]
        let expected: [Seen]
        var policy = Policy.app
        var testDescription: String { change }
    }

    /// A daemon without any receiver, where the same rows are silent.
    private static let plain = Policy()
    private static let running: [Cue] = [.wants(.active), .event(.launched(pid: 7))]
    private static let sleeping = running + [.idles(), .event(.frozen)]

    static let told: [Row] = [
        Row(
            change: "notRunning → inactive → active: foreground launch", from: [],
            cues: .attached + [.completes(), .completes(), .completes()],
            expected: [
                .moved(.notRunning, .inactive), .told(.willFinishLaunching), .told(.didFinishLaunching),
                .moved(.inactive, .active), .told(.didBecomeActive),
            ]),
        Row(
            change: "notRunning → background: the event comes after the launch", from: [],
            cues: [
                .brings(.fetch), .event(.launched(pid: 7)), .event(.attached(.all)), .completes(),
                .completes(),
            ],
            expected: [
                .moved(.notRunning, .background), .told(.willFinishLaunching), .told(.didFinishLaunching),
                .told(.performFetch),
            ]),
        Row(
            change: "active → inactive: interruption", from: .active,
            cues: [.event(.interrupted), .completes()],
            expected: [.told(.willResignActive), .moved(.active, .inactive)]),
        Row(
            change: "inactive → active: interruption over",
            from: .active + [.event(.interrupted), .completes()], cues: [.event(.interruptionEnded)],
            expected: [.moved(.inactive, .active), .told(.didBecomeActive)]),
        Row(
            change: "active → inactive: reload, a past fact", from: .active, cues: [.event(.reloading)],
            expected: [.moved(.active, .inactive)]),
        Row(
            change: "inactive → active: reload over", from: .active + [.event(.reloading)],
            cues: [.event(.ready)],
            expected: [.moved(.inactive, .active), .told(.didBecomeActive)]),
        Row(
            change: "active → inactive: an operator's resign", from: .active,
            cues: [.wants(.inactive), .completes()],
            expected: [.told(.willResignActive), .moved(.active, .inactive)]),
        Row(
            change: "active → inactive → background: leaving", from: .active,
            cues: [.wants(.background), .completes(), .completes(), .completes(), .completes()],
            expected: [
                .told(.willResignActive), .moved(.active, .inactive), .moved(.inactive, .background),
                .told(.didEnterBackground), .told(.shouldSaveState), .told(.saveState),
            ]),
        Row(
            change: "background → inactive → active, with a URL", from: .background,
            cues: [.brings(.url), .completes(), .completes(), .completes()],
            expected: [
                .told(.willEnterForeground), .moved(.background, .inactive), .told(.openURL),
                .moved(.inactive, .active), .told(.didBecomeActive),
            ]),
        Row(
            change: "background → suspended: silent", from: .background, cues: [.idles(), .event(.frozen)],
            expected: [.moved(.background, .suspended)]),
        Row(
            change: "suspended → background: the queue, then the event that woke it", from: .asleep,
            cues: [.event(.notificationsQueued), .brings(.fetch), .event(.thawed), .completes()],
            expected: [
                .moved(.suspended, .background), .told(.didReceiveNotifications), .told(.performFetch),
            ]),
        Row(
            change: "background → notRunning: graceful stop", from: .background,
            cues: [.wants(.notRunning), .exits()],
            expected: [.told(.willTerminate), .moved(.background, .notRunning)]),
        Row(
            change: "background → notRunning: eviction while it runs", from: .background,
            cues: [.event(.evictionRequested(Eviction(by: .memoryPressure))), .exits()],
            expected: [.told(.willTerminate), .moved(.background, .notRunning)]),
        Row(
            change: "suspended → notRunning: force-quit, silent", from: .asleep,
            cues: [.event(.forceQuit(Vocabulary.human)), .exits(.killed(signal: 9, coreDumped: false))],
            expected: [.moved(.suspended, .notRunning)]),
        Row(
            change: "suspended → notRunning: silent eviction", from: .asleep,
            cues: [
                .event(.evictionRequested(Eviction(by: .memoryPressure))),
                .exits(.killed(signal: 9, coreDumped: false)),
            ],
            expected: [.moved(.suspended, .notRunning)]),
        Row(
            change: "suspended → background → notRunning: graceful eviction", from: .asleep,
            cues: [
                .event(.evictionRequested(Eviction(by: .memoryPressure))), .event(.thawed), .exits(),
            ],
            expected: [
                .moved(.suspended, .background), .told(.willTerminate), .moved(.background, .notRunning),
            ], policy: graceful),
        Row(
            change: "active → inactive → notRunning: graceful stop", from: .active,
            cues: [.wants(.notRunning), .completes(), .exits()],
            expected: [
                .told(.willResignActive), .moved(.active, .inactive), .told(.willTerminate),
                .moved(.inactive, .notRunning),
            ]),
        Row(
            change: "active → notRunning: a crash is not told", from: .active,
            cues: [.exits(.killed(signal: 11, coreDumped: true))], expected: [.moved(.active, .notRunning)]),
        Row(
            change: "inactive → notRunning: instead of the background, without multitasking", from: .active,
            cues: [.wants(.background), .completes(), .exits()],
            expected: [
                .told(.willResignActive), .moved(.active, .inactive), .told(.willTerminate),
                .moved(.inactive, .notRunning),
            ], policy: singleTasking),
    ]

    static let untold: [Row] = [
        Row(
            change: "foreground launch", from: [], cues: running,
            expected: [.moved(.notRunning, .inactive), .moved(.inactive, .active)], policy: plain),
        Row(
            change: "background launch, and asleep", from: [],
            cues: [.brings(.fetch), .event(.launched(pid: 7)), .event(.frozen)],
            expected: [.moved(.notRunning, .background), .moved(.background, .suspended)], policy: plain),
        Row(
            change: "interruption", from: running, cues: [.event(.interrupted), .event(.interruptionEnded)],
            expected: [.moved(.active, .inactive), .moved(.inactive, .active)], policy: plain),
        Row(
            change: "reload", from: running, cues: [.event(.reloading), .event(.ready)],
            expected: [.moved(.active, .inactive), .moved(.inactive, .active)], policy: plain),
        Row(
            change: "resign", from: running, cues: [.wants(.inactive)],
            expected: [.moved(.active, .inactive)],
            policy: plain),
        Row(
            change: "to sleep, one step at a time", from: running, cues: [.idles(), .event(.frozen)],
            expected: [
                .moved(.active, .inactive), .moved(.inactive, .background), .moved(.background, .suspended),
            ], policy: plain),
        Row(
            change: "awake again, one step at a time", from: sleeping,
            cues: [.event(.resumeRequested(Vocabulary.human)), .event(.thawed)],
            expected: [
                .moved(.suspended, .background), .moved(.background, .inactive), .moved(.inactive, .active),
            ], policy: plain),
        Row(
            change: "graceful stop", from: running, cues: [.wants(.notRunning), .exits()],
            expected: [.moved(.active, .notRunning)], policy: plain),
        Row(
            change: "graceful stop out of sleep", from: sleeping,
            cues: [.wants(.notRunning), .event(.thawed), .exits(.killed(signal: 15, coreDumped: false))],
            expected: [.moved(.suspended, .background), .moved(.background, .notRunning)], policy: plain),
        Row(
            change: "force-quit", from: sleeping,
            cues: [.event(.forceQuit(Vocabulary.human)), .exits(.killed(signal: 9, coreDumped: false))],
            expected: [.moved(.suspended, .notRunning)], policy: plain),
    ]

    private static var graceful: Policy {
        var policy = Policy.app
        policy.evictable = .graceful
        return policy
    }

    private static var singleTasking: Policy {
        var policy = Policy.app
        policy.exitsOnSuspend = true
        return policy
    }

    @Test(arguments: told) func `a worker with every receiver is told in order`(_ row: Row) {
        var life = Life(row.policy, row.from)
        #expect(life.play(row.cues).seen == row.expected)
    }

    @Test(arguments: untold) func `a worker without receivers walks the same steps`(_ row: Row) {
        var life = Life(row.policy, row.from)
        #expect(life.play(row.cues).seen == row.expected)
    }

    /// Rows are where from, columns where to, both in the order of `State.allCases`.
    static let legal: [(State, [Bool])] = [
        //             notRunning inactive active background suspended
        (.notRunning, [false, true, false, true, false]),
        (.inactive, [true, false, true, true, false]),
        (.active, [true, true, false, false, false]),
        (.background, [true, true, false, false, true]),
        (.suspended, [true, false, false, true, false]),
    ]

    @Test func `these changes are legal, and no others`() {
        for (from, row) in Self.legal {
            #expect(State.allCases.map { Transition.isLegal(from: from, to: $0) } == row, "from \(from)")
        }
        #expect(Self.legal.map(\.0) == State.allCases)
    }

    @Test
    func `willResignActive is told while the state is still active, didEnterBackground after it changed`() {
        var life = Life(.app, .active)
        life.play(.wants(.background))
        #expect(life.worker.state == .active)
        #expect(life.worker.callbackInFlight?.callback == .willResignActive)
        life.play(.completes())
        #expect(life.worker.state == .background)
        #expect(life.worker.callbackInFlight?.callback == .didEnterBackground)
    }
}
