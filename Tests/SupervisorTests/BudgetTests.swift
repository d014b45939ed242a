import Lifecycle
import TestSupport
import Testing

@testable import Supervisor

@Suite struct `A budget` {
    private let start = Instant(microseconds: 1_000_000)

    @Test func `grants what it has, then what time brings`() {
        var budget = Budget(most: 10, perSecond: 100)
        #expect(budget.grant(4, at: start) == 4)
        #expect(budget.grant(10, at: start) == 6)
        #expect(budget.grant(1, at: start) == 0)
        #expect(budget.grant(10, at: start + .milliseconds(9)) == 0)
        #expect(budget.grant(10, at: start + .milliseconds(10)) == 1)
        #expect(budget.grant(10, at: start + .milliseconds(50)) == 4)
        #expect(budget.grant(100, at: start + .seconds(3600)) == 10)
    }

    @Test func `takes back what was not used, and never holds more than its most`() {
        var budget = Budget(most: 10, perSecond: 1)
        #expect(budget.grant(10, at: start) == 10)
        budget.giveBack(3)
        #expect(budget.grant(10, at: start) == 3)
        budget.giveBack(1000)
        #expect(budget.grant(1000, at: start) == 10)
    }

    @Test func `can be overdrawn, within bounds`() {
        var budget = Budget(most: 10, perSecond: 10)
        budget.charge(1_000_000)
        #expect(budget.grant(1, at: start) == 0)
        #expect(budget.grant(1, at: start + .milliseconds(900)) == 0)
        #expect(budget.grant(10, at: start + .milliseconds(1500)) == 5)
    }

    @Test func `knows no time before its first, and none that overflows`() {
        var budget = Budget(most: 10, perSecond: 10)
        #expect(budget.grant(10, at: Instant(microseconds: Int64.max - 1)) == 10)
        #expect(budget.grant(10, at: .zero) == 0)
        var other = Budget(most: Int.max / 4_000_000, perSecond: 1)
        #expect(other.grant(1, at: .zero) == 1)
        #expect(other.grant(1, at: Instant(microseconds: .max)) == 1)
    }

    @Test func `over any time grants no more than its rate and its most`() {
        var random = SplitMix64(seed: 42)
        for _ in 0..<200 {
            let most = Int.random(in: 1...300, using: &random)
            let rate = Int.random(in: 1...5000, using: &random)
            var budget = Budget(most: most, perSecond: rate)
            var now = start
            var granted = 0
            for _ in 0..<200 {
                now = now + TimeSpan(microseconds: Int64.random(in: 0...5000, using: &random))
                granted += budget.grant(Int.random(in: 0...64, using: &random), at: now)
            }
            let limit = Int64(most) + (now - start).microseconds * Int64(rate) / 1_000_000 + 1
            #expect(Int64(granted) <= limit)
        }
    }
}
