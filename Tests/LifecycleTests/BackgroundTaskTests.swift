import Testing

@testable import Lifecycle

/// Background tasks: one budget for all of them, a warning, and an end that comes once (1.4).
@Suite struct `Background tasks` {
    private static let working: [Cue] = .background + [.event(.taskBegan(token: 1)), .idles()]

    @Test func `keep the worker awake until the last one ends`() {
        var life = Life(.app, Self.working + [.event(.taskBegan(token: 2))])
        #expect(life.play(.event(.taskEnded(token: 1))) == [.answerTask(token: 1, .ended)])
        let effects = life.play(.event(.taskEnded(token: 2)))
        #expect(effects.first == .answerTask(token: 2, .ended))
        #expect(effects.contains(.freeze))
    }

    @Test func `may begin in the foreground`() {
        var life = Life(.app, .active)
        #expect(life.play(.event(.taskBegan(token: 1))) == [.answerTask(token: 1, .began)])
        let effects = life.play(
            .idles(), .completes(), .completes(), .completes(.refused))
        #expect(!effects.contains(.freeze))
        #expect(life.worker.state == .background)
    }

    @Test func `warn before the end, and end with a kill`() throws {
        var life = Life(.app, Self.working)
        #expect(life.remaining(.backgroundTasks) == .seconds(595))
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == .seconds(600))
        #expect(life.play(.expires(.backgroundTasks)).seen == [.told(.backgroundTaskWillExpire)])
        #expect(life.remaining(.backgroundTasks) == .seconds(5))
        #expect(life.play(.expires(.backgroundTasks)).contains(.kill))
        life.play(.exits(.killed(signal: 9, coreDumped: false)))
        #expect(try #require(life.records.last).cause.code == 0x2182_bad2)
    }

    @Test func `warn a tenth before the end of a shorter budget`() {
        var policy = Policy.app
        policy.limits.backgroundTasks = .seconds(20)
        #expect(Life(policy, Self.working).remaining(.backgroundTasks) == .seconds(18))
    }

    @Test func `warn as long before the end as is written`() {
        for (written, remaining): (Int64, Int64) in [(15, 5), (20, 0), (60, 0), (1, 19)] {
            var policy = Policy.app
            policy.limits.backgroundTasks = .seconds(20)
            policy.limits.taskWarning = .seconds(written)
            #expect(Life(policy, Self.working).remaining(.backgroundTasks) == .seconds(remaining))
        }
    }

    @Test func `end without a warning where nobody hears it`() {
        var life = Life(Policy(), [.wants(.active), .event(.launched(pid: 7))])
        life.play(.event(.taskBegan(token: 1)), .idles())
        #expect(life.remaining(.backgroundTasks) == .seconds(600))
        #expect(life.play(.expires(.backgroundTasks)).contains(.kill))
    }

    @Test func `share one budget: a later one does not begin it again`() {
        var life = Life(.app, Self.working + [.passes(.seconds(100)), .event(.taskBegan(token: 2))])
        life.play(.event(.taskEnded(token: 1)))
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == .seconds(500))
        #expect(life.remaining(.backgroundTasks) == .seconds(495))
    }

    @Test func `have a whole budget again after a time in the foreground`() {
        var life = Life(.app, Self.working + [.passes(.seconds(100)), .wants(.active), .completes()])
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == nil)
        #expect(life.remaining(.backgroundTasks) == nil)
        life.play(.completes(), .idles(), .completes())
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == .seconds(600))
    }

    @Test func `leave a warning that nobody completes with its own deadline`() {
        var life = Life(.app, Self.working + [.expires(.backgroundTasks), .event(.taskEnded(token: 1))])
        #expect(life.remaining(.backgroundTasks) == nil)
        #expect(life.remaining(.callback) == .seconds(10))
        #expect(life.play(.expires(.callback)).contains(.kill))
    }

    @Test func `have their whole budget again when a debugger leaves`() {
        let life = Life(.app, Self.working + [.expires(.backgroundTasks, traced: true)])
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == .seconds(600))
        #expect(life.remaining(.backgroundTasks) == .seconds(595))
    }

    struct Answer: CustomTestStringConvertible, Sendable {
        let name: String
        let from: [Cue]
        let event: Event
        let answer: TaskAnswer
        var testDescription: String { name }
    }

    static let answers: [Answer] = [
        Answer(
            name: "a second end", from: working + [.event(.taskEnded(token: 1))],
            event: .taskEnded(token: 1), answer: .noSuchTask),
        Answer(
            name: "an end that never began", from: .active, event: .taskEnded(token: 9), answer: .noSuchTask),
        Answer(name: "a token in use", from: working, event: .taskBegan(token: 1), answer: .duplicate),
        Answer(
            name: "one in willTerminate", from: .background + [.wants(.notRunning)],
            event: .taskBegan(token: 1), answer: .ending),
        Answer(name: "one without a process", from: [], event: .taskBegan(token: 1), answer: .notRunning),
    ]

    @Test(arguments: answers) func `answer a mistake, and nothing else`(_ row: Answer) {
        var life = Life(.app, row.from)
        let token: UInt32 = if case .taskEnded(let token) = row.event { token } else { 1 }
        #expect(life.play(.event(row.event)) == [.answerTask(token: token, row.answer)])
    }

    @Test func `are bounded`() {
        var policy = Policy.app
        policy.mostTasks = 1
        var life = Life(policy, Self.working)
        #expect(life.play(.event(.taskBegan(token: 2))) == [.answerTask(token: 2, .tooMany)])
    }

    @Test func `are kept through an outside stop, with a budget afresh`() {
        var life = Life(.app, Self.working + [.passes(.seconds(300)), .event(.stoppedOutside)])
        life.play(.passes(.seconds(9000)), .wants(.suspended), .event(.continuedOutside), .idles())
        #expect(life.worker.backgroundWork.tasks == 1)
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == .seconds(600))
    }

    // MARK: tasks that other programs hold

    private static func held(_ limit: TimeSpan? = nil) -> [Cue] {
        .background + [.event(.taskBegan(token: 9, by: .other(limit: limit))), .idles()]
    }

    @Test func `of an operator last as long as the operator wants`() {
        var life = Life(.app, Self.held() + [.passes(.seconds(100_000))])
        #expect(life.worker.deadlines.isEmpty)
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == nil)
        #expect(life.worker.isKeptAwake)
        #expect(life.play(.event(.taskEnded(token: 9))).contains(.freeze))
    }

    @Test func `of an operator end with the limit that the operator has set, and cost nothing`() {
        var life = Life(.app, Self.held(.seconds(60)))
        #expect(life.remaining(.hold(9)) == .seconds(60))
        let effects = life.play(.expires(.hold(9)))
        #expect(effects.first == .holdOver(token: 9, .limit))
        #expect(effects.contains(.freeze))
        #expect(!life.effects.contains(.kill))
        #expect(life.play(.event(.taskEnded(token: 9))) == [.answerTask(token: 9, .noSuchTask)])
    }

    @Test func `of the worker cost it nothing while an operator holds it`() {
        var life = Life(.app, Self.held() + [.event(.taskBegan(token: 1)), .passes(.seconds(5000))])
        #expect(life.remaining(.backgroundTasks) == nil)
        life.play(.event(.taskEnded(token: 9)))
        #expect(life.worker.backgroundTimeRemaining(at: life.now) == .seconds(600))
    }

    @Test func `of an operator tell that the worker has ended all the same`() {
        var life = Life(.app, Self.held(.seconds(60)))
        let effects = life.play(.exits(.killed(signal: 11, coreDumped: false)))
        let record = effects.firstIndex { if case .record = $0 { true } else { false } }
        let over = effects.firstIndex(of: .holdOver(token: 9, .workerEnded))
        #expect(record != nil && over != nil && (record ?? 0) < (over ?? 0))
        #expect(life.remaining(.hold(9)) == nil)
    }

    @Test func `of an operator wake a sleeper, and their limit runs while it is awake`() {
        var life = Life(.app, .asleep)
        let effects = life.play(.event(.taskBegan(token: 9, by: .other(limit: .seconds(60)))))
        #expect(effects == [.answerTask(token: 9, .began), .thaw])
        life.play(.passes(.seconds(1)), .event(.thawed))
        #expect(life.remaining(.hold(9)) == .seconds(59))
        life.play(.event(.stalled(.seconds(100))))
        #expect(life.remaining(.hold(9)) == .seconds(159))
    }

    // MARK: EXTEND_TIMEOUT_USEC

    /// A daemon asked for time while its freeze was being prepared.
    private static let daemon: [Cue] = [.wants(.active), .event(.launched(pid: 7)), .idles()]
    private static let looking = Policy(releasesDevices: true)

    @Test func `EXTEND_TIMEOUT_USEC in the background is the same to a daemon`() {
        var life = Life(Self.looking, Self.daemon + [.event(.extendTimeout(.seconds(40)))])
        #expect(life.remaining(.grace) == .seconds(40))
        #expect(life.play(.event(.inspected(nil))).isEmpty)
        #expect(life.play(.expires(.grace)) == [.inspectResources])
        #expect(life.play(.event(.inspected(nil))) == [.freeze])
    }

    @Test func `EXTEND_TIMEOUT_USEC does not outlast the budget`() {
        var life = Life(Self.looking, Self.daemon + [.event(.extendTimeout(.seconds(40_000)))])
        #expect(life.remaining(.grace) == .seconds(600))
        life = Life(
            Policy(),
            [
                .wants(.background), .event(.launched(pid: 7)), .event(.extendTimeout(.seconds(40_000))),
                .idles(),
            ])
        #expect(life.remaining(.grace) == .seconds(600))
    }
}
