import Budgeting
import ConfigurationSyntax
import Lifecycle
import Testing

@testable import Processing

/// Which worker does its long work when.
@Suite struct `The plan of long work` {
    private typealias Plan = ProcessingPlan<String>
    private static let good = MachineReading(use: .unusedSince(.zero))
    private static let onBattery = MachineReading(
        power: PowerReading(hasBattery: true, isOnBattery: true, charge: 50), use: .unusedSince(.zero))
    private static let start = Instant.zero + .seconds(3600)
    private static let limit = TimeSpan.seconds(1800)

    private static func settings(_ change: (inout ProcessingSettings) -> Void = { _ in })
        -> ProcessingSettings
    {
        var settings = ProcessingSettings()
        change(&settings)
        return settings
    }

    /// A plan with workers, all of whose work is due.
    private static func plan(_ workers: String...) -> Plan {
        var plan = Plan()
        for worker in workers { _ = plan.handle(.set(worker, settings()), at: start) }
        return plan
    }

    @Test func `begins at a good time, once per interval`() {
        var plan = Self.plan("a")
        #expect(plan.nextLook == Self.start)
        #expect(plan.handle(.read(Self.good), at: Self.start) == [.begin("a", limit: Self.limit)])
        #expect(plan.began("a") == Self.start)
        #expect(plan.nextLook == Self.start + Plan.watch)
        let end = Self.start + .seconds(100)
        #expect(plan.handle(.done("a"), at: end) == [.over("a", isDone: true)])
        #expect(plan.began("a") == nil && plan.due(of: "a") == end + .seconds(86_400))
        #expect(plan.nextLook == end + .seconds(86_400))
        #expect(plan.handle(.read(Self.good), at: end) == [])
    }

    @Test func `waits for a good time, and looks each minute`() {
        var plan = Self.plan("a")
        #expect(plan.handle(.read(Self.onBattery), at: Self.start) == [])
        #expect(plan.obstacle(of: "a", at: Self.start) == .onBattery)
        #expect(plan.nextLook == Self.start + Plan.pause)
        // A look for another reason may come sooner: the machine is on mains again.
        let later = Self.start + .seconds(1)
        #expect(plan.handle(.read(Self.good), at: later) == [.begin("a", limit: Self.limit)])
    }

    @Test func `looks again when the machine will have been unused for long enough`() {
        var plan = Self.plan("a")
        let since = Self.start + .seconds(-580)
        _ = plan.handle(.read(MachineReading(use: .unusedSince(since))), at: Self.start)
        #expect(plan.nextLook == Self.start + .seconds(20))
    }

    @Test func `has one worker work at a time, the one that has waited longest first`() {
        var plan = Plan()
        _ = plan.handle(.set("b", Self.settings()), at: Self.start)
        _ = plan.handle(.set("a", Self.settings()), at: Self.start + .seconds(1))
        let now = Self.start + .seconds(2)
        #expect(plan.handle(.read(Self.good), at: now) == [.begin("b", limit: Self.limit)])
        #expect(plan.obstacle(of: "a", at: now) == .anotherWorker)
        #expect(plan.handle(.read(Self.good), at: now) == [])
        #expect(plan.handle(.rests("a"), at: now) == [])
        #expect(plan.handle(.rests("b"), at: now) == [.over("b", isDone: true)])
        #expect(plan.nextLook == Self.start + .seconds(1))
        #expect(plan.handle(.read(Self.good), at: now) == [.begin("a", limit: Self.limit)])
    }

    @Test func `cuts work short when the time becomes a bad one, and tries it again`() {
        var plan = Self.plan("a")
        _ = plan.handle(.read(Self.good), at: Self.start)
        let now = Self.start + .seconds(15)
        #expect(
            plan.handle(.read(Self.onBattery), at: now) == [.revoke("a", because: .obstacle(.onBattery))])
        // It is told once.
        #expect(plan.handle(.read(Self.onBattery), at: now + .seconds(1)) == [])
        #expect(plan.handle(.lowPower(true), at: now + .seconds(1)) == [])
        _ = plan.handle(.lowPower(false), at: now + .seconds(1))
        let end = now + .seconds(5)
        #expect(plan.handle(.rests("a"), at: end) == [.over("a", isDone: false)])
        #expect(plan.obstacle(of: "a", at: end) == .cutShort)
        #expect(plan.nextLook == end + Plan.retryPause)
        #expect(plan.handle(.read(Self.good), at: end) == [])
        #expect(
            plan.handle(.read(Self.good), at: end + Plan.retryPause) == [.begin("a", limit: Self.limit)])
    }

    @Test func `counts work that is complete in spite of that as done`() {
        var plan = Self.plan("a")
        _ = plan.handle(.read(Self.good), at: Self.start)
        _ = plan.handle(.read(Self.onBattery), at: Self.start)
        #expect(plan.handle(.done("a"), at: Self.start) == [.over("a", isDone: true)])
        #expect(plan.due(of: "a") == Self.start + .seconds(86_400))
    }

    @Test func `ends work at its limit, and has it wait for its next time then`() {
        var plan = Self.plan("a")
        _ = plan.handle(.read(Self.good), at: Self.start)
        let end = Self.start + Self.limit
        #expect(plan.handle(.read(Self.good), at: end) == [.revoke("a", because: .limit)])
        #expect(plan.handle(.rests("a"), at: end) == [.over("a", isDone: false)])
        #expect(plan.due(of: "a") == end + .seconds(86_400))
    }

    @Test func `gives up waiting for a worker that does not end, so that another may begin`() {
        var plan = Self.plan("a", "b")
        _ = plan.handle(.read(Self.good), at: Self.start)
        _ = plan.handle(.read(Self.onBattery), at: Self.start)
        let end = Self.start + Plan.patience
        #expect(
            plan.handle(.read(Self.good), at: end) == [
                .over("a", isDone: false), .begin("b", limit: Self.limit),
            ])
    }

    @Test func `begins nothing in low-power mode, and ends what is under way`() {
        var plan = Self.plan("a")
        #expect(plan.handle(.lowPower(true), at: Self.start) == [])
        #expect(plan.nextLook == nil && plan.obstacle(of: "a", at: Self.start) == .lowPower)
        #expect(plan.handle(.read(Self.good), at: Self.start) == [])
        #expect(plan.handle(.lowPower(false), at: Self.start) == [])
        #expect(plan.nextLook == Self.start)
        _ = plan.handle(.read(Self.good), at: Self.start)
        #expect(
            plan.handle(.lowPower(true), at: Self.start) == [.revoke("a", because: .obstacle(.lowPower))])
    }

    @Test func `leaves a worker alone that cannot begin`() {
        var plan = Self.plan("a")
        _ = plan.handle(.read(Self.good), at: Self.start)
        #expect(plan.handle(.refused("a"), at: Self.start) == [])
        #expect(plan.obstacle(of: "a", at: Self.start) == .worker)
        #expect(plan.nextLook == Self.start + Plan.retryPause)
    }

    @Test func `forgets a worker without long work, and ends its work`() {
        var plan = Self.plan("a")
        _ = plan.handle(.read(Self.good), at: Self.start)
        #expect(
            plan.handle(.set("a", nil), at: Self.start) == [
                .revoke("a", because: .obstacle(.worker)), .over("a", isDone: false),
            ])
        #expect(plan.nextLook == nil && plan.workers.isEmpty)
        #expect(plan.handle(.set("a", nil), at: Self.start) == [])
    }

    @Test func `takes a new interval in, and leaves what is due`() {
        var plan = Self.plan("a")
        _ = plan.handle(.read(Self.good), at: Self.start)
        _ = plan.handle(.done("a"), at: Self.start)
        _ = plan.handle(
            .set("a", Self.settings { $0.interval = .seconds(3600) }), at: Self.start + .seconds(1))
        #expect(plan.due(of: "a") == Self.start + .seconds(3600))
        _ = plan.handle(.set("a", Self.settings { $0.interval = .seconds(1) }), at: Self.start + .seconds(60))
        #expect(plan.due(of: "a") == Self.start + .seconds(60))
        _ = plan.handle(.set("a", Self.settings()), at: Self.start + .seconds(61))
        #expect(plan.due(of: "a") == Self.start + .seconds(60))
    }

    @Test func `goes on where a predecessor has left it`() {
        var plan = Self.plan("a", "b")
        plan.resume("a", due: Self.start + .seconds(500), began: nil)
        plan.resume("b", due: Self.start + .seconds(-5), began: Self.start + .seconds(-3))
        plan.resume("c", due: Self.start, began: Self.start)
        #expect(plan.due(of: "a") == Self.start + .seconds(500))
        #expect(plan.began("b") == Self.start + .seconds(-3))
        var lost = plan
        #expect(plan.handle(.done("b"), at: Self.start) == [.over("b", isDone: true)])
        #expect(plan.nextLook == Self.start + .seconds(500))
        #expect(lost.handle(.lost("b"), at: Self.start) == [.over("b", isDone: false)])
        #expect(lost.nextLook == Self.start + Plan.retryPause)
    }

    // MARK: exploration

    /// Every sequence of events up to a length, with the promises of the plan after each.
    @Test func `keeps its promises in every sequence of events`() {
        var short = Self.settings { $0.interval = .seconds(100) }
        short.limit = .after(.seconds(50))
        let events: [Plan.Event] = [
            .set("a", short), .set("b", short), .set("a", nil), .read(Self.good), .read(Self.onBattery),
            .lowPower(true), .lowPower(false), .refused("a"), .done("a"), .rests("a"), .done("b"),
            .rests("b"),
        ]
        let steps: [TimeSpan] = [.zero, .seconds(60)]
        var count = 0
        func walk(_ plan: Plan, _ now: Instant, _ under: String?, _ depth: Int) {
            count += 1
            guard depth > 0 else { return }
            for step in steps {
                for event in events {
                    var (next, moment, working) = (plan, now + step, under)
                    for action in next.handle(event, at: moment) {
                        switch action {
                        case .begin(let worker, _):
                            #expect(working == nil && !next.isLowPower, "\(event)")
                            #expect(event == .read(Self.good))
                            working = worker
                        case .revoke(let worker, _): #expect(working == worker)
                        case .over(let worker, _):
                            #expect(working == worker)
                            working = nil
                        }
                    }
                    if case .refused(let worker) = event, working == worker { working = nil }
                    #expect(next.running?.worker == working)
                    if let working { #expect(next.workers.contains(working)) }
                    // What is due is looked at, sooner or later; without work nothing is.
                    let waits = !next.workers.isEmpty && !next.isLowPower || working != nil
                    #expect((next.nextLook != nil) == waits)
                    moment = max(moment, now)
                    walk(next, moment, working, depth - 1)
                }
            }
        }
        walk(Plan(), Self.start, nil, 4)
        #expect(count > 300_000)
    }
}
