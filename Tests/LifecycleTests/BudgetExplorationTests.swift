import Budgeting
import TestSupport
import Testing

@testable import Lifecycle

/// Visits every standing that a budget of wakes and the life of its worker can have together, with interruptions and alerts, and checks
/// at each step what has been promised.
@Suite struct `Every standing of budgets` {
    private struct Standing: Hashable {
        var budget = WakeBudget()
        var life: WorkerLifecycle
        /// Whether the allowance is reduced.
        var isLowPower = false
    }

    private enum Deed: Hashable {
        /// Something would wake it.
        case wakes(LaunchReason)
        /// The hour is over.
        case hourOver
        /// It was awake for as long as it may be.
        case awakeForLong
        case lowPower(Bool)
        case life(Event)
    }

    private static let human = Requester.operator(uid: 0, pid: 7)
    private static let allowance = WakeAllowance.limited(wakes: 2, awake: .seconds(400))
    /// What changes how a budget stands; the rest of a life is explored without one.
    private static let deeds: [Deed] =
        [.silentNotification, .fetch].map { .wakes($0) }
        + [.hourOver, .awakeForLong, .lowPower(true), .lowPower(false)]
        + [Goal.active, .suspended, .notRunning].map { .life(.requested(Request($0, by: human))) }
        + [
            .launched(pid: 1), .launchFailed(errno: 2), .frozen, .freezeFailed, .thawed, .interrupted,
            .interruptionEnded, .exited(.exited(1), oomKilled: false), .forceQuit(human),
            .evictionRequested(Eviction(by: .memoryPressure, grace: nil)),
        ].map { .life($0) }

    private static func normalized(_ standing: Standing) -> Standing {
        var result = standing
        let budget = standing.budget
        result.budget = WakeBudget(
            began: budget.began.map { _ in .zero }, wakes: budget.wakes,
            spent: budget.spent == .zero ? .zero : .seconds(400),
            awakeSince: budget.awakeSince.map { _ in .zero }, isOnItsWay: budget.isOnItsWay,
            kept: budget.kept.map { WakeBudget.Kept($0.reason, nil, count: 1, since: .zero) })
        result.life = standing.life.normalized()
        return result
    }

    @Test(.long, .timeLimit(.minutes(60))) func `keeps what is promised`() {
        let policies = [
            Policy(restart: RestartPolicy(limitBurst: 1)),
            Policy(
                hooks: CallbackSet([.didEnterBackground, .performFetch]),
                restart: RestartPolicy(limitBurst: 1)),
        ]
        for policy in policies {
            var states: Set<State> = []
            var kept: Set<Int> = []
            var frontier = [Standing(life: WorkerLifecycle(policy: policy).normalized())]
            var seen = Set(frontier)
            while let standing = frontier.popLast() {
                states.insert(standing.life.state)
                kept.insert(standing.budget.kept.count)
                for deed in Self.deeds + Self.ownDeeds(standing) {
                    let (result, violation) = Self.step(standing, deed)
                    if let violation {
                        Issue.record("\(violation)\nafter \(deed)\nin \(standing)")
                        return
                    }
                    let next = Self.normalized(result)
                    if seen.insert(next).inserted { frontier.append(next) }
                }
            }
            #expect(states.count == 5 && kept.isSuperset(of: [0, 1]))
            print("explored budgets: \(seen.count) standings")
        }
    }

    /// Completions of what is in flight.
    private static func ownDeeds(_ standing: Standing) -> [Deed] {
        let process = standing.life.process
        let ids = (process?.facts.slot.map { [$0.id] } ?? []) + (process?.facts.activities.map(\.id) ?? [])
        return ids.flatMap { id in
            [.life(.completed(id: id, .done)), .life(.completed(id: id, .failed))]
        }
    }

    /// What follows, and the first promise that it breaks; nil when all are kept.
    private static func step(_ standing: Standing, _ deed: Deed) -> (next: Standing, violation: String?) {
        var next = standing
        var violation: String?
        var now = Instant.zero
        switch deed {
        case .wakes(let reason): violation = wake(&next, reason, at: now)
        case .hourOver:
            now = .zero + WakeBudget.period
            violation = release(&next, at: now)
            if !next.budget.kept.isEmpty { violation = "kept past its hour" }
        case .awakeForLong:
            guard next.budget.awakeSince != nil else { return (next, nil) }
            next.budget = WakeBudget(
                began: .zero, wakes: next.budget.wakes, spent: .seconds(400), awakeSince: .zero,
                isOnItsWay: false, kept: next.budget.kept)
        case .lowPower(let isOn):
            next.isLowPower = isOn
            violation = release(&next, at: now)
        case .life(let event): handle(&next, event, at: now)
        }
        let budget = next.budget
        guard case .limited(let most, _) = allowance else { return (next, "no limit") }
        if budget.wakes > most { violation = "more wakes than allowed" }
        if !budget.kept.isEmpty, budget.nextDue == nil { violation = "kept without end" }
        let isUp = [.background, .foreground].contains(next.life.budgetStanding)
        if isUp, budget.kept.contains(where: { $0.reason != .fetch }) {
            violation = "kept although the worker is awake"
        }
        if budget.awakeSince != nil, next.life.state != .background, budget.awakeSince == .zero, isUp {
            violation = "counted in the foreground"
        }
        if next.life.restReason == .forceQuit, next.life.currentLaunch == nil, !budget.kept.isEmpty {
            violation = "kept for a worker that was ended by force"
        }
        return (next, violation)
    }

    private static func allowance(_ standing: Standing) -> WakeAllowance {
        standing.isLowPower ? allowance.reduced : allowance
    }

    private static func handle(_ standing: inout Standing, _ event: Event, at now: Instant) {
        _ = standing.life.handle(event, at: now)
        standing.budget.stands(standing.life.budgetStanding, at: now)
    }

    /// What would wake it does, or is kept; what the supervisor leaves alone by itself stays so.
    private static func wake(
        _ standing: inout Standing, _ reason: LaunchReason, at now: Instant
    ) -> String? {
        let life = standing.life
        if life.restReason == .backingOff || life.budgetStanding == .forceQuit || life.isHeld { return nil }
        let wasExhausted = standing.budget.isExhausted(allowance(standing), at: now)
        let isResting = life.budgetStanding == .resting
        let passes = standing.budget.mayWake(reason, nil, life.budgetStanding, allowance(standing), at: now)
        guard passes else {
            if !isResting || !wasExhausted { return "kept although it may wake" }
            if standing.life != life { return "kept, and the worker was told" }
            return standing.budget.kept.contains { $0.reason == reason } ? nil : "neither passed nor kept"
        }
        if isResting, wasExhausted { return "let through past the budget" }
        // One fetch at a time, as the plan of fetches gives them out.
        let isAnswering = life.process.map { $0.slot != nil || !$0.activities.isEmpty } ?? false
        let isFetching = !life.inbox.isEmpty || isAnswering
        let inbound = reason == .fetch && !isFetching ? Inbound(id: 1, .fetch) : nil
        let event = Event.woken(Wake(reason, intoForeground: false, bringing: inbound))
        handle(&standing, event, at: now)
        // The start limit may refuse a launch; what was let through is used up then.
        var other = life
        if other.handle(event, at: now).contains(.warn(.startLimitHit)) { return nil }
        if isResting, standing.life.budgetStanding == .resting { return "let through, and not woken" }
        return nil
    }

    private static func release(_ standing: inout Standing, at now: Instant) -> String? {
        let due = standing.budget.takeDue(allowance(standing), at: now)
        for kept in due {
            if let violation = wake(&standing, kept.reason, at: now) { return violation }
        }
        return nil
    }
}
