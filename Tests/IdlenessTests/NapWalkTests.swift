import Idleness
import Lifecycle
import TestSupport
import Testing

/// A worker, what watches it and what is learnt of its wakes, as the shell puts them together: use, readiness and sleep in any order.
@Suite struct `A walk through use, readiness and sleep` {
    /// One worker with all that belongs to it.
    private struct Machine {
        var life = WorkerLifecycle(policy: Policy(idle: IdlePolicy(delay: .seconds(60), isJudged: true)))
        var eyes = Eyes()
        var naps = NapPolicy()
        var now = Instant.zero
        /// A duplicate is open.
        var isOpen = false
        /// Something waits for it, and stays until it runs.
        var isReady = false
        var lastData: Instant?
        var isInUse = false
        var saysInUse = false
        var idle: (due: Instant, generation: UInt32)?
        /// Facts that the kernel has yet to tell, in any order.
        var underway: [Event] = []
        var plans: [UInt32] = []
        var asksForUse = false
        var problems: [String] = []
        var (sleeps, wakes) = (0, 0)

        mutating func give(_ event: Event) {
            for effect in life.handle(event, at: now) { perform(effect) }
        }

        private mutating func perform(_ effect: Effect) {
            switch effect {
            case .launch: underway.append(.launched(pid: 7))
            case .freeze:
                if life.goalRequester == .idle, isInUse || saysInUse {
                    problems.append("frozen while in use")
                }
                underway.append(.frozen)
            case .thaw:
                watch(.waking)
                if isOpen { problems.append("thawed before the drop") }
                underway.append(.thawed)
                isReady = false
            case .stop, .kill:
                watch(.waking)
                if isOpen { problems.append("ended before the drop") }
                underway = [.exited(.exited(0), oomKilled: false)]
            case .inspectUse: asksForUse = true
            case .arm(.idle, let due, let generation): idle = (due, generation)
            case .disarm(.idle): idle = nil
            default: break
            }
        }

        mutating func watch(_ event: Eyes.Event) {
            for action in eyes.handle(event) {
                switch action {
                case .plan(let number): plans.append(number)
                case .fetch:
                    isOpen = true
                    watch(.fetched(count: 1, hasEventPoll: false))
                case .drop: isOpen = false
                case .wake(let reason):
                    wakes += 1
                    naps.woke(by: reason, at: now)
                    give(.woken(Wake(.socket, intoForeground: true)))
                case .sample, .lookAgain, .tell: break
                }
            }
        }

        /// The kernel tells one of the facts that are under way.
        mutating func tell(_ index: Int) {
            let fact = underway.remove(at: index)
            if fact == .frozen { sleeps += 1 }
            // What else is under way is of a process that is gone.
            if case .exited = fact { (underway, isReady, saysInUse) = ([], false, false) }
            give(fact)
            // The watch begins when the sleep is confirmed, unless it is over already.
            if fact == .frozen, life.state == .suspended, !underway.contains(.thawed) { watch(.slept) }
        }

        /// What has to hold when nothing is under way.
        func check() -> String? {
            guard underway.isEmpty else { return nil }
            let sleeps = life.state == .suspended
            if sleeps, eyes.state == .closed { return "a sleeper has no eyes and no reason for that" }
            if !sleeps, eyes.state != .closed || isOpen { return "a worker that runs is watched" }
            return nil
        }
    }

    private static let plans: [EyePlan] = [
        .borrowed([.init(.init(process: 7, descriptor: 3), .socket(inode: 9))]), .sampled(.refused),
        .none(.nothingToWatch),
    ]

    private func step(_ machine: inout Machine, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2:
            guard !machine.underway.isEmpty else { return }
            machine.tell(Int.random(in: 0..<machine.underway.count, using: &random))
        case 3: machine.give(.requested(Request(.active, by: .operator(uid: 0, pid: 1))))
        case 4:
            guard machine.life.state != .notRunning, Int.random(in: 0..<4, using: &random) == 0 else {
                return
            }
            machine.give(.requested(Request(.suspended, by: .operator(uid: 0, pid: 1))))
        case 5:
            machine.isInUse.toggle()
            machine.give(.used(machine.isInUse))
        case 6:
            // It can say something only while it runs.
            guard [.active, .inactive, .background].contains(machine.life.state), machine.underway.isEmpty
            else {
                return
            }
            machine.saysInUse.toggle()
            machine.give(.saidInUse(machine.saysInUse))
        case 7, 8:
            guard let idle = machine.idle else { return }
            machine.now = max(machine.now, idle.due)
            machine.idle = nil
            machine.give(.expired(.idle, generation: idle.generation, traced: false))
        case 9, 10:
            guard machine.asksForUse else { return }
            machine.asksForUse = false
            let use = machine.lastData.map { Use(.spoke(peer: "10.0.0.7:5"), at: $0) }
            let answer = machine.naps.answer(use, leavesWaiting: Bool.random(using: &random))
            machine.give(.usedLast(answer))
        case 11:
            guard let number = machine.plans.popLast() else { return }
            // An answer to an earlier question may come as well.
            let old = Int.random(in: 0..<8, using: &random) == 0 ? number &- 1 : number
            let plan = Self.plans.randomElement(using: &random) ?? .none(.unreadable)
            machine.watch(.planned(old, plan))
            if old != number { machine.watch(.planned(number, plan)) }
        case 12, 13:
            machine.lastData = machine.now
            machine.isReady = machine.life.state == .suspended
        case 14:
            guard machine.isReady, machine.eyes.isLooking else { return }
            let peer = Endpoint(IPAddress(ipv4: 0x0a00_0007), port: 5)
            machine.watch(.judged(.wake(.data(from: peer))))
        default:
            machine.now = machine.now + .milliseconds(Int64.random(in: 1...20_000, using: &random))
            if Int.random(in: 0..<50, using: &random) == 0 {
                machine.give(.requested(Request(.notRunning, by: .operator(uid: 0, pid: 1))))
            }
        }
    }

    @Test(arguments: 0..<8)
    func `never thaws before the drop, and leaves no sleeper without eyes or a reason`(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var machine = Machine()
        for number in 0..<40_000 {
            step(&machine, &random)
            if let problem = machine.problems.first ?? machine.check() {
                Issue.record("seed \(seed), step \(number): \(problem)")
                return
            }
        }
        // It has been somewhere.
        #expect(machine.sleeps > 100 && machine.wakes > 20)
    }
}

extension Eyes {
    /// Whether something that comes would be seen.
    fileprivate var isLooking: Bool {
        switch state {
        case .watching, .sampling: true
        case .closed, .planning, .blind: false
        }
    }
}
