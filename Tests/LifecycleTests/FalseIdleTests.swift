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
