import Testing

@testable import Lifecycle

/// False idleness: what is woken too soon, again and again, earns a longer delay (1.4).
@Suite struct `False idleness` {
    private static let policy = Policy(
        idle: IdlePolicy(delay: .seconds(60), longest: .seconds(300), falseWithin: .seconds(10)))
    private static let up: [Cue] = [.wants(.active), .event(.launched(pid: 7))]

    /// One sleep of this length, ended by a connection.
    private static func nap(_ span: TimeSpan, woken: Cue = connection) -> [Cue] {
        [.expires(.idle), .event(.frozen), .passes(span), woken, .event(.thawed)]
    }

    private static let connection = Cue.event(.woken(Wake(.socket, intoForeground: true)))

    @Test func `doubles the delay up to the longest`() {
        var life = Life(Self.policy, Self.up)
        var delays: [TimeSpan?] = [life.remaining(.idle)]
        for _ in 0..<4 {
            life.play(Self.nap(.seconds(1)))
            delays.append(life.remaining(.idle))
        }
        #expect(delays == [60, 120, 240, 300, 300].map { .seconds($0) })
    }

    @Test func `another delay counts from the moment at which it is set, also where it is shorter`() {
        var life = Life(Policy(idle: IdlePolicy(delay: .seconds(3600))), Self.up + [.passes(.seconds(100))])
        #expect(life.remaining(.idle) == .seconds(3500))
        life.play(.event(.policyChanged(SharedPolicy(Self.policy))))
        #expect(life.remaining(.idle) == .seconds(60))
        life.play(.passes(.seconds(10)), .event(.policyChanged(SharedPolicy(Self.policy))))
        #expect(life.remaining(.idle) == .seconds(50))
        life.play(.event(.policyChanged(SharedPolicy(Policy()))))
        #expect(life.remaining(.idle) == nil)
    }

    @Test func `decays one step with each sleep that was worth it`() {
        var life = Life(Self.policy, Self.up + Self.nap(.seconds(1)) + Self.nap(.seconds(1)))
        #expect(life.remaining(.idle) == .seconds(240))
        life.play(Self.nap(.seconds(10)))
        #expect(life.remaining(.idle) == .seconds(120))
        life.play(Self.nap(.seconds(5000)))
        #expect(life.remaining(.idle) == .seconds(60))
        life.play(Self.nap(.seconds(5000)))
        #expect(life.remaining(.idle) == .seconds(60))
    }

    @Test func `is not what an operator wakes, or has put to sleep`() {
        var life = Life(Self.policy, Self.up + Self.nap(.seconds(1), woken: .wants(.active)))
        #expect(life.remaining(.idle) == .seconds(60))
        life.play(
            .wants(.suspended), .event(.frozen), .passes(.seconds(1)), Self.connection, .event(.thawed))
        #expect(life.remaining(.idle) == .seconds(60))
    }

    @Test func `starts its delay afresh with every use`() {
        var life = Life(Self.policy, Self.up + [.passes(.seconds(50)), .event(.used(true))])
        #expect(life.remaining(.idle) == nil)
        life.play(.passes(.seconds(500)), .event(.used(false)))
        #expect(life.remaining(.idle) == .seconds(60))
    }

    @Test
    func
        `does not count while the worker says that it is in use, and its delay begins when it takes that back`()
    {
        var life = Life(Self.policy, Self.up + [.passes(.seconds(50)), .event(.saidInUse(true))])
        #expect(life.remaining(.idle) == nil && life.worker.saysInUse)
        // What others say of it is another matter.
        life.play(.event(.used(true)), .event(.used(false)))
        #expect(life.remaining(.idle) == nil)
        // An operator has his way.
        life.play(.wants(.suspended), .event(.frozen))
        #expect(life.worker.state == .suspended)
        life.play(Self.connection, .event(.thawed), .passes(.seconds(500)))
        #expect(life.remaining(.idle) == nil)
        life.play(.event(.saidInUse(false)))
        #expect(life.remaining(.idle) == .seconds(60) && !life.worker.saysInUse)
        // The next process has said nothing.
        life.play(.event(.saidInUse(true)), .exits(.exited(0)), .wants(.active), .event(.launched(pid: 8)))
        #expect(!life.worker.saysInUse && life.remaining(.idle) == .seconds(60))
    }

    @Test func `has no delay where it is not active, or has something in flight`() {
        var app = Policy.app
        app.idle = Self.policy.idle
        for from: [Cue] in [
            .background, .attached, .active + [.wants(.inactive), .completes()],
            .attached + [.completes(), .completes()],
        ] {
            #expect(Life(app, from).remaining(.idle) == nil)
        }
        #expect(Life(app, .active).remaining(.idle) == .seconds(60))
    }

    @Test func `the continuous mode goes to the background and stays awake`() {
        var policy = Self.policy
        policy.runsContinuously = true
        var life = Life(policy, Self.up)
        #expect(!life.play(.expires(.idle)).contains(.freeze))
        #expect(life.worker.state == .background)
        #expect(life.worker.isSettled)
        #expect(life.play(.wants(.suspended)).contains(.freeze))
    }
}

/// What the supervisor does not see by itself counts as use, too: it is asked for when the delay has run out (1.4, 5.6).
@Suite struct `The question of the last use` {
    private static let policy = Policy(
        idle: IdlePolicy(delay: .seconds(60), falseWithin: .seconds(10), isJudged: true, linger: .seconds(2)))
    private static let up: [Cue] = [.wants(.active), .event(.launched(pid: 7))]
    private static let connection = Cue.event(.woken(Wake(.socket, intoForeground: true)))

    private static func used(_ seconds: Int64?, isExchange: Bool = false) -> Cue {
        .event(.usedLast(LastUse(at: seconds.map { .zero + .seconds(1000 + $0) }, isExchange: isExchange)))
    }

    @Test func `is asked once, when the delay has run out`() {
        var life = Life(Self.policy)
        #expect(life.play(Self.up).filter { $0 == .beginUse }.count == 1)
        #expect(life.play(.passes(.seconds(60)), .expires(.idle)) == [.inspectUse])
        #expect(life.remaining(.idle) == nil)
        // Whatever happens meanwhile, it is not asked a second time.
        #expect(!life.play(.event(.savedState(true))).contains(.inspectUse))
    }

    @Test func `puts none to sleep whose use lasts, however long the answer was on its way`() {
        let lasting = Cue.event(.usedLast(LastUse(at: Instant(microseconds: .max))))
        let life = Life(
            Self.policy, Self.up + [.passes(.seconds(60)), .expires(.idle), .passes(.seconds(600)), lasting])
        #expect(life.worker.goal == .active && life.remaining(.idle) == .seconds(60))
    }

    @Test func `puts one to sleep that was never used, or not for as long as the delay`() {
        for use in [Self.used(nil), Self.used(0)] {
            var life = Life(Self.policy, Self.up + [.passes(.seconds(60)), .expires(.idle), use])
            #expect(life.worker.goal == .suspended && life.worker.goalRequester == .idle)
            life.play(.event(.frozen))
            #expect(life.worker.state == .suspended)
        }
    }

    @Test func `counts the delay from the last use`() {
        var life = Life(Self.policy, Self.up + [.passes(.seconds(60)), .expires(.idle), Self.used(45)])
        #expect(life.worker.state == .active)
        #expect(life.remaining(.idle) == .seconds(45))
        // What is later than now, by another clock, is now.
        life.play(.passes(.seconds(45)), .expires(.idle), Self.used(1000))
        #expect(life.remaining(.idle) == .seconds(60))
    }

    @Test func `means nothing any more when something has come up`() {
        var life = Life(Self.policy, Self.up + [.passes(.seconds(60)), .expires(.idle)])
        life.play(.event(.used(true)), Self.used(nil))
        #expect(life.worker.state == .active && life.remaining(.idle) == nil)
        life.play(.event(.used(false)))
        #expect(life.remaining(.idle) == .seconds(60))
        // An answer that was not asked for.
        life.play(Self.used(nil))
        #expect(life.worker.goal == .active)
    }

    @Test
    func
        `comes after the shorter delay where a connection woke it, and keeps to it while that was one exchange`()
    {
        let asleep = Self.up + [.passes(.seconds(60)), .expires(.idle), Self.used(nil), .event(.frozen)]
        var life = Life(Self.policy, asleep + [.passes(.seconds(30)), Self.connection, .event(.thawed)])
        #expect(life.remaining(.idle) == .seconds(2))
        life.play(.passes(.seconds(2)), .expires(.idle), Self.used(90, isExchange: true), .event(.frozen))
        #expect(life.worker.state == .suspended)
        // With more than one exchange it has its whole delay.
        life.play(.passes(.seconds(30)), Self.connection, .event(.thawed), .passes(.seconds(2)))
        life.play(.expires(.idle), Self.used(123))
        #expect(life.remaining(.idle) == .seconds(59))
    }

    @Test func `keeps one awake that is woken again too soon`() {
        var life = Life(
            Self.policy, Self.up + [.passes(.seconds(60)), .expires(.idle), Self.used(nil), .event(.frozen)])
        var delays: [TimeSpan?] = []
        for _ in 0..<3 {
            life.play(.passes(.seconds(3)), Self.connection, .event(.thawed))
            delays.append(life.remaining(.idle))
            guard let delay = life.remaining(.idle) else { break }
            life.play(.passes(delay), .expires(.idle))
            life.play(Self.used(0, isExchange: true), .event(.frozen))
        }
        #expect(delays == [4, 8, 16].map { .seconds($0) })
    }
}
