import Testing

@testable import Lifecycle

/// Every (state, event) pair, against a table that reviewers have agreed to (1.1 to 1.8).
@Suite struct `State and event pairs` {
    @Test(arguments: StateEventPairs.groups)
    func `mean what the table says`(_ group: StateEventPairs.Group) {
        let actual = StateEventPairs.table(group)
        let golden = StateEventPairs.parse(group.golden)
        var changes: [String] = []
        for (row, cells) in actual.enumerated() {
            let expected = row < golden.count ? golden[row] : []
            for (column, cell) in cells.enumerated() {
                let before = column < expected.count ? expected[column] : "missing"
                guard cell != before else { continue }
                changes.append("\(cells[0]), \(actual[0][column]): was `\(before)`, is `\(cell)`")
            }
        }
        if golden.count > actual.count { changes.append("\(golden.count - actual.count) rows too many") }
        guard !changes.isEmpty else { return }
        Issue.record(
            "\(changes.joined(separator: "\n"))\nThe table as it is now:\n\(StateEventPairs.render(actual))")
    }

    /// A kind of event that the rows lack stops the compiler here.
    @Test func `have a row for every kind of event`() {
        let kinds = Set(
            StateEventPairs.rows.map { row in
                switch row.cue {
                case .event(let event): Self.kind(event)
                case .completes, .finishes: Self.kind(.completed(id: 0, .done))
                case .expires(let timer, let traced):
                    Self.kind(.expired(timer, generation: 0, traced: traced))
                case .passes: -1
                }
            })
        #expect(kinds == Set(0...46))
    }

    private static func kind(_ event: Event) -> Int {
        switch event {
        case .requested: 0
        case .resumeRequested: 1
        case .restartRequested: 42
        case .forceQuit: 2
        case .processingRevoked: 45
        case .woken: 3
        case .evictionRequested: 4
        case .interrupted: 5
        case .interruptionEnded: 6
        case .announced: 7
        case .notificationsQueued: 8
        case .foregroundNotificationsQueued: 46
        case .used: 9
        case .policyChanged: 10
        case .savedState: 11
        case .launched: 12
        case .launchFailed: 13
        case .exited: 14
        case .frozen: 15
        case .freezeFailed: 16
        case .thawed: 17
        case .stoppedOutside: 18
        case .continuedOutside: 19
        case .inspected: 20
        case .cpuLimitExceeded: 21
        case .ready: 22
        case .reloading: 23
        case .stopping: 24
        case .extendTimeout: 25
        case .watchdogPinged: 26
        case .watchdogTriggered: 27
        case .watchdogChanged: 28
        case .mainProcessChanged: 29
        case .attached: 30
        case .detached: 31
        case .completed: 32
        case .taskBegan: 33
        case .taskEnded: 34
        case .expired: 35
        case .stalled: 36
        case .foregroundTaken: 37
        case .cpuRead: 38
        case .startFailed: 39
        case .launchAbandoned: 40
        case .freezeRefused: 41
        case .usedLast: 43
        case .saidInUse: 44
        }
    }
}
