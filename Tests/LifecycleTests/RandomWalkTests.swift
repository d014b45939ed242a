import TestSupport
import Testing

@testable import Lifecycle

/// Long lives of random events at random times: what an exploration of a few events at a time cannot combine.
@Suite struct `Random walks` {
    @Test(.long, .timeLimit(.minutes(60)), arguments: Array(Policies.all.enumerated().map(\.offset)))
    func `keep every promise over a hundred and fifty thousand events`(_ index: Int) {
        let (name, policy) = Policies.all[index]
        var visits: [State: Int] = [:]
        for seed in 0..<3 {
            var random = SplitMix64(seed: UInt64(index * 1000 + seed))
            var life = WorkerLifecycle(policy: policy)
            var now = Instant.zero
            for step in 0..<50_000 {
                now = now + TimeSpan(microseconds: Int64.random(in: 0...20_000_000, using: &random))
                let event = pick(life, &random)
                let before = life
                let effects = life.handle(event, at: now)
                visits[life.state, default: 0] += 1
                if let violation = Invariants.violation(from: before, by: event, to: life, effects) {
                    Issue.record(
                        "\(violation)\n\(name), seed \(seed), step \(step): \(event)\nin \(before)\nwith \(effects)"
                    )
                    return
                }
                if step % 64 == 0, let violation = life.violationOnTheWayToRest(at: now) {
                    Issue.record("\(violation)\n\(name), seed \(seed), step \(step)\nfrom \(life)")
                    return
                }
            }
        }
        // A walk that stays at home has shown nothing.
        for state in State.allCases where !(policy.exitsOnSuspend && state == .suspended) {
            #expect(visits[state, default: 0] > 1000, "\(name) was seldom \(state): \(visits)")
        }
    }

    /// Mostly what a live world would answer, so that the walk goes far; sometimes anything at all.
    private func pick(_ life: WorkerLifecycle, _ random: inout SplitMix64) -> Event {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            if let answer = life.cooperativeAnswer { return answer }
        case 5..<6:
            if let answer = Vocabulary.answers(to: life).randomElement(using: &random) { return answer }
        default:
            break
        }
        let event = Vocabulary.everything.randomElement(using: &random) ?? .ready
        // A bounded inbox is the shell's business; here it only has to end.
        if case .woken(let wake) = event, wake.inbound != nil, life.inbox.count > 20 { return .ready }
        return event
    }
}
