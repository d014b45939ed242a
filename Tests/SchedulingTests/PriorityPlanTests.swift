import Lifecycle
import Scheduling
import Testing

@Suite struct `The plan of priorities` {
    private func moment(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test(
        arguments: [
            (.active, .active, true, false), (.inactive, .suspended, true, false),
            (.background, .background, true, false), (.background, .suspended, false, true),
            (.background, .active, false, true), (.background, nil, false, true),
            (.suspended, .suspended, false, false), (.notRunning, .active, false, false),
        ] as [(State, Goal?, Bool, Bool)])
    func `gives those of a state at once, but those of the background only to what stays`(
        _ state: State, _ goal: Goal?, _ isNow: Bool, _ waits: Bool
    ) {
        var plan = PriorityPlan<Int>()
        let isGiven = plan.changed(1, to: state, goal: goal, at: moment(5))
        #expect(isGiven == isNow && plan.awaits(1) == waits)
        #expect(plan.nextDue == (waits ? moment(105) : nil))
    }

    @Test func `looks at all together that pass the background, and gives to those that are there still`() {
        var plan = PriorityPlan<Int>()
        for (worker, at) in [(3, 0), (1, 90), (2, 95), (1, 96)] as [(Int, Int64)] {
            plan.wait(for: worker, at: moment(at))
        }
        #expect(plan.nextDue == moment(100))
        let states: [Int: State] = [1: .background, 2: .suspended, 3: .background]
        let early = plan.takeDue(at: moment(99)) { states[$0] }
        #expect(early == [] && plan.awaits(1))
        let due = plan.takeDue(at: moment(100)) { states[$0] }
        #expect(due == [1, 3] && plan.nextDue == nil && !plan.awaits(2))
        // One that is gone has no state.
        plan.wait(for: 4, at: moment(200))
        let none = plan.takeDue(at: moment(300)) { states[$0] }
        #expect(none == [] && plan.nextDue == nil)
    }

    @Test func `looks at none when all that pass the background have left it`() {
        var plan = PriorityPlan<Int>()
        plan.wait(for: 1, at: moment(0))
        plan.wait(for: 2, at: moment(1))
        let isGiven = plan.changed(1, to: .active, goal: .active, at: moment(2))
        #expect(isGiven && plan.nextDue == moment(100) && !plan.awaits(1))
        let isGivenAsleep = plan.changed(2, to: .suspended, goal: .suspended, at: moment(3))
        #expect(!isGivenAsleep && plan.nextDue == nil)
        plan.wait(for: 1, at: moment(50))
        #expect(plan.nextDue == moment(150))
    }

    @Test(
        arguments: [
            (.active, .inactive, false), (.background, .active, true), (.active, .background, true),
            (.active, .suspended, true), (.background, .suspended, false), (.background, .notRunning, true),
            (.active, .notRunning, true),
        ] as [(State, State, Bool)])
    func `changes them between foreground and background alone`(
        _ state: State, _ present: State, _ isSo: Bool
    ) {
        #expect(PriorityPlan<Int>.areOther(in: state, than: present) == isSo)
    }
}
