import Testing

@testable import Lifecycle

/// Devices that must be closed when a worker sleeps, and those that must be closed in the background too (2.5).
@Suite struct `Released devices` {
    private static let always: Policy = {
        var policy = Policy.app
        policy.releasesDevicesInBackground = true
        return policy
    }()
    private static let asleep: Policy = {
        var policy = Policy.app
        policy.releasesDevices = true
        return policy
    }()
    private static let background: Cue = .wants(.background)

    struct Row: Sendable, CustomStringConvertible {
        let description: String
        var policy = always
        let cues: [Cue]
        /// What is decided at its last cue, besides what is seen and timers.
        let decides: [Effect]
    }

    static let rows: [Row] = [
        Row(
            description:
                "looked for when didEnterBackground has completed, though an operator keeps it there",
            cues: .background, decides: [.inspectResources]),
        Row(
            description: "looked for at sleep only, without the mark",
            policy: asleep, cues: .background, decides: []),
        Row(
            description: "open in the background: killed",
            cues: .background + [.event(.inspected(.backgroundDevice))], decides: [.kill]),
        Row(
            description: "open in the background while a task runs: killed",
            cues: .active + [
                .event(.taskBegan(token: 1)), background, .completes(), .completes(), .completes(.refused),
                .event(.inspected(.backgroundDevice)),
            ],
            decides: [.kill]),
        Row(
            description: "another device is open: it stays in the background",
            cues: .background + [.event(.inspected(.device))], decides: []),
        Row(
            description: "another device is open when it is to sleep: killed",
            cues: .background + [.event(.inspected(nil)), .idles(), .event(.inspected(.device))],
            decides: [.kill]),
        Row(
            description: "wanted in the foreground meanwhile: it may keep the device",
            cues: .background + [.wants(.active), .event(.inspected(.backgroundDevice))], decides: []),
        Row(
            description: "closed, and it may sleep: it is looked for once",
            cues: .active + [
                .idles(), .completes(), .completes(), .completes(.refused), .event(.inspected(nil)),
            ],
            decides: [.freeze]),
        Row(
            description: "opened in the background while a task runs: killed",
            cues: .background + [
                .event(.inspected(nil)), .event(.taskBegan(token: 1)), .event(.inspected(.backgroundDevice)),
            ],
            decides: [.kill]),
        Row(
            description: "opened on the way to the foreground: it may keep the device",
            cues: .background + [
                .event(.inspected(nil)), .wants(.active), .event(.inspected(.backgroundDevice)),
            ],
            decides: []),
        Row(
            description: "opened in the foreground: it may",
            cues: .active + [.event(.inspected(.backgroundDevice))], decides: []),
        Row(
            description: "looked for when work in the background is over",
            cues: .background + [
                .event(.inspected(nil)), .event(.taskBegan(token: 1)), .brings(.fetch), .finishes,
            ],
            decides: [.inspectResources]),
        Row(
            description: "looked for when a launch into the background is complete",
            cues: [
                .wants(.background), .event(.launched(pid: 7)), .event(.attached(.all)), .completes(),
                .completes(),
            ],
            decides: [.inspectResources]),
    ]

    @Test(arguments: rows) func `are looked for, and cost a worker its life, in time`(_ row: Row) throws {
        var life = Life(row.policy, Array(row.cues.dropLast()))
        let last = try #require(row.cues.last)
        let decided = life.play([last]).filter {
            switch $0 {
            case .inspectResources, .kill, .freeze, .warn: true
            default: false
            }
        }
        #expect(decided == row.decides)
    }

    @Test func `an app without multitasking ends where it would sleep, devices or not`() {
        var policy = Self.always
        policy.exitsOnSuspend = true
        var life = Life(
            policy,
            [
                .wakes, .event(.launched(pid: 7)), .event(.attached(.all)), .completes(), .completes(),
            ])
        let effects = life.play(.event(.inspected(nil)))
        #expect(!effects.contains(.freeze))
        #expect(effects.seen == [.told(.willTerminate)])
    }

    @Test func `a device that is open in the background is recorded as that`() throws {
        var life = Life(Self.always, .background)
        life.play(
            .event(.inspected(.backgroundDevice)), .exits(.killed(signal: 9, coreDumped: false)))
        let record = try #require(life.records.last)
        #expect(record.cause == .heldResource && record.state == .background)
        #expect(record.cause.code == 0xdead_10cc)
    }
}
