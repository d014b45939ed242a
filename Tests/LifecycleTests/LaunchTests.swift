import Testing

@testable import Lifecycle

/// The launch and its answer: what a worker that refuses its launch options is not given afterwards (1.3).
@Suite struct `Launches` {
    struct Row: CustomTestStringConvertible, Sendable {
        let kind: Inbound.Kind
        let answers: [Completion]
        let isGiven: Bool
        var testDescription: String { "\(kind), \(answers)" }
    }

    static let answers: [Row] =
        [Inbound.Kind.url, .activity].flatMap { kind in
            [
                Row(kind: kind, answers: [.done, .done], isGiven: true),
                Row(kind: kind, answers: [.refused, .done], isGiven: false),
                Row(kind: kind, answers: [.done, .refused], isGiven: false),
                Row(kind: kind, answers: [.refused, .refused], isGiven: false),
                // A hook that failed has refused nothing.
                Row(kind: kind, answers: [.failed, .failed], isGiven: true),
            ]
        } + [Row(kind: .notification, answers: [.refused, .refused], isGiven: true)]

    @Test(arguments: answers) func `either refusal suffices`(_ row: Row) {
        var life = Life(.app, [.brings(row.kind), .event(.launched(pid: 7)), .event(.attached(.all))])
        let effects = life.play(row.answers.map { .completes($0) } + [.completes()])
        let inbound = Inbound(id: 1, row.kind)
        #expect(effects.contains(.drop(inbound, .refusedByWorker)) == !row.isGiven)
        #expect(effects.seen.contains(.told(row.kind.callback)) == row.isGiven)
        #expect(life.worker.state == .active)
    }

    @Test func `a later URL is given all the same`() {
        var life = Life(
            .app, .attached + [.completes(.refused), .completes(), .completes()])
        #expect(life.play(.brings(.url)).seen == [.told(.openURL)])
    }

    @Test func `an ordinary program is launched when execve succeeded`() {
        var life = Life(Policy(), [.wants(.active)])
        #expect(life.play(.event(.launched(pid: 7))).contains(.launchCompleted))
    }

    @Test func `notify waits for READY, whenever it comes`() {
        let policy = Policy(readiness: .notify, hooks: CallbackSet([.willFinishLaunching]))
        var life = Life(policy, [.wants(.active), .event(.launched(pid: 7)), .completes()])
        #expect(life.worker.isLaunching)
        #expect(life.play(.event(.ready)).contains(.launchCompleted))
        life = Life(policy, [.wants(.active), .event(.launched(pid: 7)), .event(.ready)])
        #expect(life.play(.completes()).contains(.launchCompleted))
    }

    @Test func `a launch into the background turns to the foreground by the legal steps`() {
        var life = Life(.app, [.brings(.fetch), .wants(.active), .event(.launched(pid: 7))])
        #expect(
            life.play(.event(.attached(.all)), .completes(), .completes(), .completes()).seen == [
                .told(.willFinishLaunching), .told(.didFinishLaunching), .told(.performFetch),
                .told(.willEnterForeground), .moved(.background, .inactive), .moved(.inactive, .active),
                .told(.didBecomeActive),
            ])
    }
}
