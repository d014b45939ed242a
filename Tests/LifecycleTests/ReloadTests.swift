import Testing

@testable import Lifecycle

/// RELOADING=1 is a past fact: inactive until READY=1, without willResignActive (1.3).
@Suite struct `Reloads` {
    private static let notify = Policy(readiness: .notify, hooks: .all)
    private static let starting: [Cue] = [.wants(.active), .event(.launched(pid: 7)), .completes()]
    private static let up = starting + [.event(.ready), .completes(), .completes()]

    @Test func `before the first READY it is a part of the launch`() {
        var life = Life(Self.notify, Self.starting)
        #expect(life.play(.event(.reloading)).isEmpty)
        #expect(!life.worker.isReloading)
        #expect(life.play(.event(.ready)).seen == [.told(.didFinishLaunching)])
    }

    @Test func `said twice it is one, as haproxy does`() {
        var life = Life(Self.notify, Self.up)
        #expect(life.play(.event(.reloading)).seen == [.moved(.active, .inactive)])
        #expect(life.play(.event(.reloading)).isEmpty)
        #expect(
            life.play(.event(.ready)).seen == [.moved(.inactive, .active), .told(.didBecomeActive)])
        #expect(life.play(.event(.ready)).isEmpty)
    }

    @Test func `the state says what was not told`() throws {
        var life = Life(Self.notify, Self.up)
        let effects = life.play(.event(.reloading))
        let transition = try #require(
            effects.lazy.compactMap { if case .publish(let transition) = $0 { transition } else { nil } }
                .first)
        #expect(transition.cause == .reload)
        #expect(transition.notTold == CallbackSet([.willResignActive]))
    }

    @Test func `during willResignActive it needs no second step`() {
        var life = Life(Self.notify, Self.up + [.wants(.inactive)])
        let effects = life.play(.event(.reloading))
        #expect(effects.seen == [.moved(.active, .inactive)])
        #expect(life.play(.completes()).seen.isEmpty)
        #expect(life.worker.state == .inactive)
    }

    @Test func `a goal elsewhere is pursued meanwhile`() {
        var life = Life(Self.notify, Self.up + [.event(.reloading)])
        #expect(
            life.play(.wants(.background)).seen == [
                .moved(.inactive, .background), .told(.didEnterBackground),
            ])
        #expect(life.play(.event(.ready)).seen.isEmpty)
    }

    @Test func `in the background it holds the worker in inactive on its way back`() {
        var life = Life(
            Self.notify,
            Self.up + [
                .wants(.background), .completes(), .completes(), .completes(.refused), .event(.reloading),
            ])
        #expect(
            life.play(.wants(.active), .completes()).seen == [
                .told(.willEnterForeground), .moved(.background, .inactive),
            ])
        #expect(life.play(.event(.ready)).seen == [.moved(.inactive, .active), .told(.didBecomeActive)])
    }

    @Test func `an interruption outlasts it`() {
        var life = Life(Self.notify, Self.up + [.event(.interrupted), .completes(), .event(.reloading)])
        #expect(life.play(.event(.ready)).seen.isEmpty)
        #expect(life.play(.event(.interruptionEnded)).seen.first == .moved(.inactive, .active))
    }
}
