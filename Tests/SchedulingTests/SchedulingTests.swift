import Budgeting
import Lifecycle
import Scheduling
import Testing

@Suite struct `The plan of fetches` {
    private func second(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    @Test func `counts from one fetch to the next, and brings those along that are nearly due`() {
        var plan = FetchPlan<Int>()
        #expect(plan.nextDue == nil && plan.slack == nil)
        let step9 = plan.set(1, every: .seconds(100), at: .zero)
        #expect(step9)
        let step10 = plan.set(2, every: .seconds(109), at: .zero)
        #expect(step10)
        let step11 = plan.set(3, every: .seconds(150), at: .zero)
        #expect(step11)
        #expect(plan.nextDue == second(100) && plan.slack == .seconds(10))
        let step7 = plan.takeDue(at: second(80))
        #expect(step7 == [])
        let step8 = plan.takeDue(at: second(100))
        #expect(step8 == [1, 2])
        #expect(
            plan.nextDue == second(150) && plan.due(of: 1) == second(200) && plan.due(of: 2) == second(209))
    }

    @Test func `has a slack of a minute at most, and intervals of a second at least`() {
        var plan = FetchPlan<Int>()
        _ = plan.set(1, every: .seconds(86_400), at: .zero)
        #expect(plan.slack == .seconds(60))
        _ = plan.set(2, every: .zero, at: .zero)
        #expect(plan.due(of: 2) == second(1))
    }

    @Test func `keeps an interval that its files name again, and drops a worker that fetches no more`() {
        var plan = FetchPlan<Int>()
        let step12 = plan.set(1, every: .seconds(100), at: .zero)
        #expect(step12)
        let isChanged = plan.set(1, every: .seconds(100), at: second(50))
        #expect(!isChanged)
        #expect(plan.due(of: 1) == second(100))
        let removals = [plan.set(1, every: nil, at: second(60)), plan.set(1, every: nil, at: second(60))]
        #expect(removals == [true, false])
        #expect(plan.nextDue == nil)
    }

    private func pace(_ results: FetchResult...) -> FetchPace {
        results.reduce(into: FetchPace()) { $0.ended($1, at: .zero) }
    }

    @Test func `moves the next fetch when the one before has brought nothing, or something again`() {
        var plan = FetchPlan<Int>()
        _ = plan.set(1, every: .seconds(100), at: .zero)
        _ = plan.takeDue(at: second(100))
        plan.adapt(1, to: pace(.noData))
        #expect(plan.due(of: 1) == second(300) && plan.interval(of: 1) == .seconds(200))
        _ = plan.takeDue(at: second(300))
        #expect(plan.due(of: 1) == second(500))
        plan.adapt(1, to: pace(.noData, .noData, .noData, .noData))
        #expect(plan.due(of: 1) == second(1100))
        plan.adapt(1, to: pace(.noData, .newData))
        #expect(plan.due(of: 1) == second(400))
        plan.adapt(2, to: pace(.noData))
        #expect(plan.due(of: 2) == nil && plan.interval(of: 2) == nil)
        // Another interval begins anew.
        _ = plan.set(1, every: .seconds(50), at: second(350))
        #expect(plan.due(of: 1) == second(400))
    }

    @Test func `waits while it is paused, and fetches then what came due`() {
        var plan = FetchPlan<Int>()
        _ = plan.set(1, every: .seconds(100), at: .zero)
        plan.isPaused = true
        #expect(plan.nextDue == nil)
        let none = plan.takeDue(at: second(500))
        #expect(none == [])
        plan.isPaused = false
        #expect(plan.nextDue == second(100))
        let due = plan.takeDue(at: second(500))
        #expect(due == [1])
        #expect(plan.due(of: 1) == second(600))
    }

    @Test(arguments: [(30, 30), (170, 100)]) func `takes over what was due, if that is sooner`(
        _ due: Int64, _ is: Int64
    ) {
        var plan = FetchPlan<Int>()
        plan.resume(1, due: second(due))
        #expect(plan.nextDue == nil)
        _ = plan.set(1, every: .seconds(100), at: .zero)
        plan.resume(1, due: nil)
        #expect(plan.due(of: 1) == second(100))
        plan.resume(1, due: second(due))
        #expect(plan.due(of: 1) == second(`is`))
    }
}

@Suite struct `The rule of reclaims` {
    @Test(
        arguments: [
            // Asleep since, now, in milliseconds.
            (nil, 1000, .drop), (0, 999, .wait(until: 1999)), (0, 1000, .reclaim), (0, 5000, .reclaim),
            (700, 1000, .wait(until: 2000)),
        ] as [(Int64?, Int64, Verdict)])
    func `takes a worker that has slept for a second, and gives one that was awake the whole span again`(
        _ since: Int64?, _ now: Int64, _ verdict: Verdict
    ) {
        let given = ReclaimRule.verdict(asleepSince: since.map(moment), at: moment(now))
        #expect(given == verdict.given)
    }

    private func moment(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    enum Verdict: Sendable {
        case reclaim, wait(until: Int64), drop

        var given: ReclaimRule.Verdict {
            switch self {
            case .reclaim: .reclaim
            case .wait(let milliseconds): .wait(until: .zero + .milliseconds(milliseconds))
            case .drop: .drop
            }
        }
    }
}

@Suite struct `The rule of a stall` {
    @Test(
        arguments: [
            // Last run, due, now, absence: in milliseconds.
            (nil, 100, 5000, nil), (0, nil, 9000, nil), (0, 900, 1000, nil), (0, 900, 1900, nil),
            (0, 900, 1901, 1901),
            // Armed for the past.
            (5000, 100, 5500, nil), (5000, 100, 6001, 1001),
        ] as [(Int64?, Int64?, Int64, Int64?)])
    func `is an absence of more than a second after a deadline, counted from the last run`(
        _ last: Int64?, _ due: Int64?, _ now: Int64, _ absence: Int64?
    ) {
        func moment(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
        var rule = StallRule()
        rule.lastRan = last.map(moment)
        let seen = rule.runs(at: moment(now), due: due.map(moment))
        #expect(seen == absence.map { .milliseconds($0) })
        #expect(rule.lastRan == moment(now))
    }
}
