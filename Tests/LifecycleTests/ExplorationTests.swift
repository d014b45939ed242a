import TestSupport
import Testing

@testable import Lifecycle

/// Visits every lifecycle state that can be reached, by every order of events, and checks the invariants at each step.
@Suite struct `Exhaustive exploration` {
    struct World: CustomTestStringConvertible, Sendable {
        let name: String
        let policy: Policy
        let events: [Event]
        var testDescription: String { name }
    }

    /// A state that was reached, with its hash: a set that grows hashes what it has again.
    struct Visited: Hashable {
        let life: WorkerLifecycle
        private let hash: Int

        init(_ life: WorkerLifecycle) {
            self.life = life
            hash = life.hashValue
        }

        static func == (a: Visited, b: Visited) -> Bool { a.hash == b.hash && a.life == b.life }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    /// Two worlds for each policy: goals against everything the machine does, and what comes in.
    static let worlds: [World] = Policies.all.flatMap { name, policy in
        let readiness: [Event] =
            switch policy.readiness {
            case .exec, .exit: []
            case .notify: [.ready, .reloading]
            case .app: [.attached(.all), .detached]
            }
        return [
            World(
                name: "\(name): goals, stops, ends", policy: policy,
                events: readiness + wishes + facts + (policy.quiet == nil ? [] : quiet)
                    + (policy.releasesDevicesInBackground ? devices : [])),
            World(
                name: "\(name): what comes in", policy: policy,
                events: readiness.filter { $0 != .detached } + [
                    .requested(Request(.suspended, by: .idle)),
                    .launched(pid: 1), .frozen, .thawed, .stoppedOutside, .continuedOutside,
                    .inspected(nil), .exited(.exited(1), oomKilled: false),
                    .woken(Wake(.url, intoForeground: true, bringing: Inbound(id: 1, .url))),
                    .woken(Wake(.fetch, intoForeground: false, bringing: Inbound(id: 1, .fetch))),
                    .notificationsQueued, .taskBegan(token: 1),
                    .taskBegan(token: 2, by: .other(limit: .seconds(60))), .taskEnded(token: 2),
                ] + (policy.quiet == nil ? [] : quiet)),
        ]
    }

    /// Workers that share the foreground with others (1.7): a world of its own, or the others would double.
    static let sharing: [World] = Policies.all.filter { $0.policy.readiness != .notify }.map { name, policy in
        World(
            name: "\(name): a shared foreground", policy: policy,
            events: Goal.allCases.map { .requested(Request($0, by: Vocabulary.human)) } + [
                .foregroundTaken(true), .foregroundTaken(false),
                .requested(Request(.suspended, by: .handOver)),
                .attached(.all), .launched(pid: 1), .frozen, .thawed, .stoppedOutside, .continuedOutside,
                .exited(.exited(1), oomKilled: false),
                .woken(Wake(.url, intoForeground: true, bringing: Inbound(id: 1, .url))),
            ])
    }

    /// Interruptions, alerts among them, against everything that moves a worker: a world of its own for the same reason.
    static let interrupted: [World] = Policies.all.map { name, policy in
        let readiness: [Event] =
            switch policy.readiness {
            case .exec, .exit: []
            case .notify: [.ready, .reloading]
            case .app: [.attached(.all), .detached]
            }
        // Where each change has a callback there are standings enough without what others do to it, which is in the worlds above.
        let others: [Event] = [
            .resumeRequested(Vocabulary.human), .stoppedOutside, .continuedOutside,
            .woken(Wake(.socket, intoForeground: true)),
        ]
        let isPlain = policy.readiness != .app && policy.hooks != .all
        return World(
            name: "\(name): interruptions", policy: policy,
            events: readiness.filter { isPlain || $0 != .detached } + (isPlain ? others : [])
                + Goal.allCases.map { .requested(Request($0, by: Vocabulary.human)) } + [
                    .interrupted, .interruptionEnded, .notificationsQueued,
                    .requested(Request(.suspended, by: .idle)), .launched(pid: 1), .frozen, .thawed,
                    .inspected(nil), .exited(.exited(1), oomKilled: false),
                ])
    }

    /// What waits for the foreground, against what moves a worker there and back: a world of its own for the same reason.
    static let waiting: [World] = Policies.all.filter { $0.policy.readiness != .notify }.map { name, policy in
        var policy = policy
        policy.foregroundAnnouncements = CallbackSet([.significantTimeChange])
        return World(
            name: "\(name): what waits for the foreground", policy: policy,
            events: [
                .requested(Request(.active, by: Vocabulary.human)),
                .requested(Request(.background, by: Vocabulary.human)),
                .requested(Request(.suspended, by: .idle)),
                .foregroundNotificationsQueued, .announced(.significantTimeChange),
                .attached(.all), .launched(pid: 1), .frozen, .thawed, .inspected(nil), .stoppedOutside,
                .continuedOutside, .exited(.exited(1), oomKilled: false),
            ])
    }

    /// What a look at a worker finds: it has stood still, it has worked, it wants to, or nothing can be found.
    static let quiet: [Event] = [
        .cpuRead(CPUReading(used: .zero)), .cpuRead(CPUReading(used: .seconds(1))),
        .cpuRead(CPUReading(used: .zero, isRunnable: true)), .cpuRead(nil),
    ]

    /// What a look at what it has open finds.
    static let devices: [Event] = [.inspected(nil), .inspected(.device), .inspected(.backgroundDevice)]

    static let wishes: [Event] =
        Goal.allCases.map { .requested(Request($0, by: Vocabulary.human)) } + [
            .requested(Request(.suspended, by: .idle)), .resumeRequested(Vocabulary.human),
            .forceQuit(Vocabulary.human), .woken(Wake(.socket, intoForeground: true)),
            .evictionRequested(Eviction(by: .memoryPressure, grace: .seconds(1))),
        ]

    static let facts: [Event] = [
        .launched(pid: 1), .launchFailed(errno: 2), .frozen, .freezeFailed, .thawed, .stoppedOutside,
        .continuedOutside, .inspected(.lock), .stopping, .exited(.exited(1), oomKilled: false),
        .exited(.killed(signal: 9, coreDumped: false), oomKilled: false),
    ]

    @Test(
        .long, .timeLimit(.minutes(60)),
        arguments: worlds + sharing + interrupted + waiting)
    func `keeps every promise in every reachable standing`(_ world: World) {
        let start = WorkerLifecycle(policy: world.policy).normalized()
        var seen: Set<Visited> = [Visited(start)]
        var frontier = [start]
        var (steps, visits) = (0, 0)
        var states: Set<State> = []
        while let life = frontier.popLast() {
            states.insert(life.state)
            if let violation = life.violationOnTheWayToRest(at: .zero) {
                Issue.record("\(violation)\nfrom \(life)")
                return
            }
            // What is written has few forms, and the way to rest after a crash is as long as the one above: a fourth and a sixteenth do.
            visits += 1
            if visits % 4 == 0,
                let violation = Snapshots.violation(of: life, world.policy, goesOn: visits % 16 == 0)
            {
                Issue.record("\(violation)\nfrom \(life)")
                return
            }
            for event in world.events + Vocabulary.answers(to: life) where Self.isWithinBounds(event, life) {
                for now in Self.moments(for: event) {
                    var next = life
                    let effects = next.handle(event, at: now)
                    steps += 1
                    // Most events mean nothing where they come: no need to look that state up, which has kept every promise.
                    let isUnchanged = next == life
                    if isUnchanged, effects.isEmpty { continue }
                    if let violation = Invariants.violation(from: life, by: event, to: next, effects) {
                        Issue.record("\(violation)\nafter \(event)\nin \(life)\nwith \(effects)")
                        return
                    }
                    if isUnchanged { continue }
                    next = next.normalized()
                    if seen.insert(Visited(next)).inserted { frontier.append(next) }
                }
            }
        }
        #expect(states.count >= 4)
        print("explored \(world.name): \(seen.count) standings, \(steps) steps")
    }

    /// Early and late for what compares moments, so that both outcomes are seen.
    private static func moments(for event: Event) -> [Instant] {
        switch event {
        case .expired, .requested(Request(.active, by: Vocabulary.human)), .thawed:
            [.zero, .zero + .seconds(900), Instant(microseconds: -1)]
        default:
            [.zero]
        }
    }

    /// One of each kind of thing in the inbox is enough to see what it does.
    private static func isWithinBounds(_ event: Event, _ life: WorkerLifecycle) -> Bool {
        guard case .woken(let wake) = event, let inbound = wake.inbound else { return true }
        return !life.inbox.contains { $0.kind == inbound.kind }
            && !(life.process?.activities.contains { $0.inbound?.kind == inbound.kind } ?? false)
    }
}
