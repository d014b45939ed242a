import Interrupting
import TestSupport
import Testing

@testable import Lifecycle

/// Visits every standing that interruptions of all kinds and the life of their worker can have together, and checks at each
/// step what has been promised.
@Suite struct `Every standing of interruptions` {
    private struct Standing: Hashable {
        var plan = InterruptionPlan()
        var life: WorkerLifecycle
    }

    /// What can happen: interruptions of every kind and their ends, and what a process, an operator and the kernel do.
    private enum Deed: Hashable {
        case interruption(InterruptionEvent)
        case life(Event)
    }

    private static let human = Requester.operator(uid: 0, pid: 7)
    private static let kinds: [Interruption.Kind] = [.call(""), .request(""), .worker(""), .alert("a")]
    private static let deeds: [Deed] =
        kinds.map { .interruption(.began($0, by: human, limit: .seconds(1))) }
        + [
            .endRequested(nil), .answered(nil), .locked([]), .locked(["1"]), .locked(["1", "2"]), .due,
            .takenOver,
        ].map { .interruption($0) }
        + Goal.allCases.map { .life(.requested(Request($0, by: human))) }
        + [
            .launched(pid: 1), .frozen, .thawed, .stoppedOutside, .continuedOutside, .notificationsQueued,
            .exited(.exited(1), oomKilled: false), .resumeRequested(human),
            .woken(Wake(.socket, intoForeground: true)), .woken(Wake(.path, intoForeground: false)),
        ].map { .life($0) }

    /// Two of each kind at most, without what only tells when and how often.
    private static func normalized(_ standing: Standing) -> Standing {
        var result = standing
        var numbers: UInt32 = 0
        let current = standing.plan.current.map { interruption in
            numbers += 1
            return Interruption(
                number: numbers, interruption.kind, by: interruption.requester, since: .zero,
                due: interruption.due.map { _ in .zero + .seconds(1) })
        }
        result.plan = InterruptionPlan(current: current, lastNumber: numbers)
        result.life = standing.life.normalized()
        return result
    }

    @Test(.long, .timeLimit(.minutes(60))) func `keeps what is promised`() {
        let policies = [
            Policy(restart: RestartPolicy(limitBurst: 1)),
            Policy(
                hooks: CallbackSet([.willResignActive, .didBecomeActive]),
                restart: RestartPolicy(limitBurst: 1)),
        ]
        for policy in policies {
            var shapes: Set<[Interruption.Kind]> = []
            var states: Set<State> = []
            var frontier = [Standing(life: WorkerLifecycle(policy: policy).normalized())]
            var seen = Set(frontier)
            while let standing = frontier.popLast() {
                shapes.insert(standing.plan.current.map(\.kind))
                states.insert(standing.life.state)
                for deed in Self.deeds + Self.ownDeeds(standing) where Self.isWithinBounds(deed, standing) {
                    let (result, violation) = Self.step(standing, deed)
                    if let violation {
                        Issue.record("\(violation)\nafter \(deed)\nin \(standing)")
                        return
                    }
                    let next = Self.normalized(result)
                    if seen.insert(next).inserted { frontier.append(next) }
                }
            }
            #expect(states.count == 5)
            // Each kind alone, and each after each other.
            #expect(shapes.count > 30)
            print("explored interruptions: \(seen.count) standings, \(shapes.count) nestings")
        }
    }

    /// What depends on the standing: completions, and the ends of what has a number.
    private static func ownDeeds(_ standing: Standing) -> [Deed] {
        let numbers = standing.plan.current.map(\.number)
        var deeds: [Deed] = numbers.flatMap { number -> [Deed] in
            [
                .interruption(.ended(number)), .interruption(.endedByWorker(number)),
                .interruption(.answered(number)),
            ]
        }
        if let slot = standing.life.process?.facts.slot {
            deeds += [.life(.completed(id: slot.id, .done)), .life(.completed(id: slot.id, .failed))]
        }
        return deeds
    }

    private static func isWithinBounds(_ deed: Deed, _ standing: Standing) -> Bool {
        switch deed {
        case .interruption(.began): standing.plan.current.count < 2
        case .interruption(.locked(let sessions)):
            sessions.count + standing.plan.current.count { $0.session == nil } <= 2
        default: true
        }
    }

    /// What follows, and the first promise that it breaks; nil when all are kept.
    private static func step(_ standing: Standing, _ deed: Deed) -> (next: Standing, violation: String?) {
        var next = standing
        var violation: String?
        let now = deed == .interruption(.due) ? Instant.zero + .seconds(2) : .zero
        var plans: [InterruptionEvent] = []
        var events: [Event] = []
        switch deed {
        case .interruption(let event): plans = [event]
        case .life(let event):
            events = [event]
            // The process is gone: what ended with it is told.
            if case .exited = event, standing.life.state != .notRunning { plans = [.processEnded] }
        }
        for event in plans {
            let before = next.plan.isInterrupted
            let told = next.plan.handle(event, at: now).compactMap { effect -> Event? in
                if case .tell(let event) = effect { event } else { nil }
            }
            let expected: [Event] =
                switch (before, next.plan.isInterrupted) {
                case (false, true): [.interrupted]
                case (true, false): [.interruptionEnded]
                case (true, true), (false, false): []
                }
            if told != expected { violation = "told \(told), not \(expected)" }
            if event == .processEnded, next.plan.current.contains(where: \.endsWithProcess) {
                violation = "outlives the process"
            }
            events += told
        }
        for event in events {
            let before = next.life.state
            let effects = next.life.handle(event, at: now)
            guard event == .interrupted || event == .interruptionEnded,
                !before.isRunning || before == .suspended
            else { continue }
            // A worker that sleeps is not woken, and one that does not run is not launched.
            let isMoved = effects.contains { if case .launch = $0 { true } else { $0 == .thaw } }
            if next.life.state != before || isMoved { violation = "moved from \(before) by \(event)" }
        }
        if next.life.isInterrupted != next.plan.isInterrupted { violation = "life and plan differ" }
        if next.plan.isInterrupted, next.life.isSettled, next.life.state == .active {
            violation = "at rest in active"
        }
        return (next, violation)
    }
}
