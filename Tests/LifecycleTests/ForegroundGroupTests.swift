import Foreground
import TestSupport
import Testing

@testable import Lifecycle

/// Exclusive foreground (1.7), with real models behind it.
@Suite struct `Exclusive foreground` {
    /// Several workers of one group, and everything that became of them, in order.
    struct Stage {
        var lives: [String: WorkerLifecycle]
        var group = ForegroundGroup<String>()
        var standings: [String: ForegroundEligibility] = [:]
        /// `A.willResignActive`, `B: background`, in order.
        var story: [String] = []
        var now = Instant.zero

        init(_ names: [String], _ policy: Policy = Policy(hooks: .all)) {
            lives = Dictionary(uniqueKeysWithValues: names.map { ($0, WorkerLifecycle(policy: policy)) })
            for name in names { _ = settle(name, after: .foregroundTaken(false)) }
        }

        /// Gives a worker an event, and all workers what follows from it, before anything else.
        mutating func tell(_ name: String, _ event: Event) -> [Effect] {
            var queue = [(name, event)]
            var first: [Effect]?
            while !queue.isEmpty {
                let (name, event) = queue.removeFirst()
                let effects = lives[name]?.handle(event, at: now) ?? []
                if first == nil { first = effects }
                for effect in effects { note(effect, of: name) }
                queue = settle(name, after: event) + queue
            }
            return first ?? []
        }

        private mutating func settle(_ name: String, after event: Event) -> [(String, Event)] {
            guard let eligibility = lives[name]?.foregroundEligibility else { return [] }
            let isNews = standings.updateValue(eligibility, forKey: name) != eligibility
            let orders =
                isNews
                ? group.update(name, eligibility) : event.asksForForeground ? group.ask(name) : []
            return orders.map { order in
                switch order {
                case .setTaken(let other, let isTaken): (other, .foregroundTaken(isTaken))
                case .leave(let holder): (holder, .requested(Request(.suspended, by: .handOver)))
                }
            }
        }

        private mutating func note(_ effect: Effect, of name: String) {
            switch effect {
            case .deliver(let delivery): story.append("\(name).\(delivery.callback)")
            case .publish(let transition): story.append("\(name): \(transition.to)")
            default: break
            }
        }

        /// Lets workers and machine do their best until nothing is left to do, except those of `hanging`.
        mutating func rest(hanging: Set<String> = []) {
            for _ in 0..<400 {
                let next = lives.sorted { $0.key < $1.key }.compactMap { name, life -> (String, Event)? in
                    guard !hanging.contains(name), let answer = life.cooperativeAnswer else { return nil }
                    // Only the group gives the foreground free.
                    if answer == .foregroundTaken(false) { return nil }
                    return (name, answer)
                }.first
                guard let (name, event) = next else { return }
                _ = tell(name, event)
            }
        }

        var active: [String] { lives.filter { $0.value.state == .active }.keys.sorted() }
    }

    static let activate = Event.requested(Request(.active, by: Vocabulary.human))

    @Test func `is handed over in exactly this order`() {
        var stage = Stage(["A", "B"])
        _ = stage.tell("A", Self.activate)
        stage.rest()
        #expect(stage.active == ["A"])
        stage.story = []
        _ = stage.tell("B", Self.activate)
        stage.rest()
        #expect(stage.story.isHandOver(from: "A", to: "B"))
        #expect(stage.active == ["B"])
        #expect(stage.lives["A"]?.state == .suspended)
    }

    @Test func `is handed over to one that sleeps`() {
        var stage = Stage(["A", "B"])
        _ = stage.tell("B", Self.activate)
        stage.rest()
        _ = stage.tell("A", Self.activate)
        stage.rest()
        #expect(stage.lives["B"]?.state == .suspended)
        stage.story = []
        _ = stage.tell("B", Self.activate)
        stage.rest()
        #expect(stage.story.isHandOver(from: "A", to: "B"))
        #expect(stage.active == ["B"])
    }

    @Test func `stays where it is when the other fails to get ready`() {
        var stage = Stage(["A", "B"])
        _ = stage.tell("A", Self.activate)
        stage.rest()
        stage.story = []
        _ = stage.tell("B", Self.activate)
        _ = stage.tell("B", .launched(pid: 2))
        _ = stage.tell("B", .exited(.exited(1), oomKilled: false))
        stage.rest()
        #expect(!stage.story.contains { $0.hasPrefix("A") })
        #expect(stage.active == ["A"])
        #expect(stage.group.holder == "A")
    }

    @Test func `is free for all when nobody wants it`() {
        var stage = Stage(["A", "B", "C"])
        _ = stage.tell("A", Self.activate)
        stage.rest()
        _ = stage.tell("A", .requested(Request(.notRunning, by: Vocabulary.human)))
        stage.rest()
        #expect(stage.group.holder == nil)
        stage.story = []
        _ = stage.tell("C", Self.activate)
        stage.rest()
        #expect(stage.story.first == "C: inactive")
        #expect(stage.active == ["C"])
    }

    @Test func `stays with a holder that wants it anew while it leaves, until another one asks after that`() {
        var stage = Stage(["A", "B"])
        _ = stage.tell("A", Self.activate)
        stage.rest()
        _ = stage.tell("B", Self.activate)
        while stage.lives["A"]?.goal == .active, let answer = stage.lives["B"]?.cooperativeAnswer {
            _ = stage.tell("B", answer)
        }
        #expect(stage.lives["A"]?.goal == .suspended && stage.lives["A"]?.state.isForeground == true)
        _ = stage.tell("A", Self.activate)
        stage.story = []
        stage.rest()
        #expect(stage.active == ["A"])
        // It is not stuck with it.
        _ = stage.tell("B", .requested(Request(.background, by: Vocabulary.human)))
        _ = stage.tell("B", Self.activate)
        stage.rest()
        #expect(stage.active == ["B"])
    }

    @Test func `goes to the one that has given up when it is asked for once more`() {
        for event in [Self.activate, .woken(Wake(.socket, intoForeground: true))] {
            var stage = Stage(["A", "B"])
            _ = stage.tell("A", Self.activate)
            stage.rest()
            _ = stage.tell("B", Self.activate)
            while stage.lives["A"]?.goal == .active, let answer = stage.lives["B"]?.cooperativeAnswer {
                _ = stage.tell("B", answer)
            }
            // The holder stays, and the other sleeps.
            _ = stage.tell("A", Self.activate)
            stage.rest()
            #expect(stage.active == ["A"] && stage.lives["B"]?.state == .suspended)
            _ = stage.tell("B", event)
            stage.rest()
            #expect(stage.active == ["B"], "\(event)")
        }
    }

    @Test(arguments: [Goal.notRunning, .background])
    func `is left by a holder for where it is wanted, and not for sleep, though another one waits`(goal: Goal)
    {
        var stage = Stage(["A", "B"])
        _ = stage.tell("A", Self.activate)
        stage.rest()
        _ = stage.tell("B", Self.activate)
        _ = stage.tell("A", .requested(Request(goal, by: Vocabulary.human)))
        // It gets ready before the holder has left.
        while stage.lives["B"]?.foregroundEligibility.isReady == false,
            let answer = stage.lives["B"]?.cooperativeAnswer
        {
            _ = stage.tell("B", answer)
        }
        #expect(stage.active == ["A"] && stage.lives["A"]?.goal == goal)
        stage.rest()
        #expect(stage.lives["A"]?.state == (goal == .background ? .background : .notRunning))
        #expect(stage.active == ["B"])
    }

    /// Three members that sleep, as they are before anything is asked.
    private func group() -> ForegroundGroup<String> {
        var group = ForegroundGroup<String>()
        for name in ["A", "B", "C"] {
            _ = group.update(name, ForegroundEligibility(wants: false, isInForeground: false, isReady: false))
        }
        return group
    }

    @Test func `goes to the one that was asked for last, and the others that wait give up`() {
        let ready = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
        let there = ForegroundEligibility(wants: true, isInForeground: true, isReady: false)
        let leaving = ForegroundEligibility(wants: false, isInForeground: true, isReady: false)
        let gone = ForegroundEligibility(wants: false, isInForeground: false, isReady: true)
        var group = group()
        #expect(
            group.update("A", there) == [.setTaken("B", true), .setTaken("C", true), .setTaken("A", false)])
        #expect(group.update("B", ready) == [.leave("A")])
        #expect(group.update("A", leaving) == [])
        #expect(group.update("C", ready) == [])
        // Not to the one that had asked before, which would send it away again.
        #expect(
            group.update("A", gone) == [.setTaken("A", true), .setTaken("C", false), .leave("B")])
        #expect(group.holder == "C")
        #expect(group.update("B", gone) == [])
        #expect(group.update("B", ready) == [.leave("C")], "it is asked for anew")
    }

    @Test func `stays with a holder that is asked for once more, and one that waited gives up`() {
        let ready = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
        let launching = ForegroundEligibility(wants: true, isInForeground: false, isReady: false)
        let there = ForegroundEligibility(wants: true, isInForeground: true, isReady: false)
        let leaving = ForegroundEligibility(wants: false, isInForeground: true, isReady: false)
        // While it leaves.
        var group = group()
        _ = group.update("A", there)
        #expect(group.update("B", ready) == [.leave("A")])
        #expect(group.update("A", leaving) == [])
        #expect(group.update("A", there) == [.leave("B")])
        #expect(group.holder == "A")
        // Before it is to leave: the other one is not ready yet.
        group = self.group()
        _ = group.update("A", there)
        #expect(group.update("B", launching) == [])
        #expect(group.ask("A") == [.leave("B")])
        #expect(group.ask("A") == [])
    }

    @Test func `does not keep one awake that is to end`() {
        var stage = Stage(["A"])
        _ = stage.tell("A", Self.activate)
        stage.rest()
        _ = stage.tell("A", .requested(Request(.notRunning, by: Vocabulary.human)))
        #expect(stage.active == ["A"], "it is told first")
        #expect(stage.tell("A", .requested(Request(.suspended, by: .handOver))) == [])
        stage.rest()
        #expect(stage.lives["A"]?.state == .notRunning)
    }

    @Test func `is left again by a holder that is launched anew where another one is ready for it`() {
        var group = ForegroundGroup<String>()
        // Taken over while it ended: it leaves by itself, to be launched anew.
        #expect(
            group.update("A", ForegroundEligibility(wants: false, isInForeground: true, isReady: false)) == []
        )
        let ready = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
        #expect(group.update("B", ready) == [.setTaken("B", true)])
        let relaunched = ForegroundEligibility(
            wants: true, isInForeground: true, isReady: false, isComing: true)
        #expect(group.update("A", relaunched) == [.leave("A")])
        let leaving = ForegroundEligibility(wants: false, isInForeground: true, isReady: false)
        #expect(group.update("A", leaving) == [])
        let gone = ForegroundEligibility(wants: false, isInForeground: false, isReady: false)
        #expect(group.update("A", gone) == [.setTaken("A", true), .setTaken("B", false)])
        #expect(group.holder == "B")
    }

    @Test func `stays with a holder that is launched anew where none waits, or none is ready`() {
        for waits in [true, false] {
            var group = ForegroundGroup<String>()
            _ = group.update("A", ForegroundEligibility(wants: false, isInForeground: true, isReady: false))
            _ = group.update("B", ForegroundEligibility(wants: waits, isInForeground: false, isReady: false))
            let relaunched = ForegroundEligibility(
                wants: true, isInForeground: true, isReady: false, isComing: true)
            #expect(group.update("A", relaunched) == [] && group.holder == "A")
            #expect(group.ask("B") == [], "it is not ready")
        }
    }

    @Test func `is passed on when its holder is gone from the group`() {
        var group = ForegroundGroup<String>()
        let there = ForegroundEligibility(wants: true, isInForeground: true, isReady: false)
        let ready = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
        #expect(group.update("A", there) == [.setTaken("A", false)])
        #expect(group.update("B", ready) == [.setTaken("B", true), .leave("A")])
        #expect(group.remove("A") == [.setTaken("A", false), .setTaken("B", false)])
        #expect(group.holder == "B")
    }

    @Test func `is not free while one that was there when it joined has not left`() {
        var group = ForegroundGroup<String>()
        let there = ForegroundEligibility(wants: true, isInForeground: true, isReady: false)
        let ready = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
        let gone = ForegroundEligibility(wants: false, isInForeground: false, isReady: false)
        #expect(group.update("A", there) == [.setTaken("A", false)])
        // Its file puts it into the group while it runs.
        #expect(group.update("B", there) == [.setTaken("B", true)])
        #expect(group.update("C", ready) == [.setTaken("C", true), .leave("A")])
        #expect(!group.update("A", gone).contains(.setTaken("C", false)))
        #expect(group.holder == "B")
        #expect(group.update("B", gone) == [.setTaken("B", true), .setTaken("C", false)])
        #expect(group.holder == "C")
    }

    @Test func `is not entered by its holder beside one that was active when it joined`() {
        let active = ForegroundEligibility(
            wants: true, isInForeground: true, isReady: false, isActive: true)
        let inactive = ForegroundEligibility(wants: true, isInForeground: true, isReady: false)
        let ready = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
        // The holder is being launched; a file, or a life that is taken over, puts an active one beside it.
        var group = ForegroundGroup<String>()
        #expect(group.update("A", inactive) == [.setTaken("A", false)])
        #expect(group.update("B", active) == [.setTaken("A", true), .setTaken("B", false)])
        #expect(group.holder == "B")
        #expect(group.update("A", ready) == [.leave("B")])
        let idle = ForegroundEligibility(wants: false, isInForeground: false, isReady: true)
        #expect(group.update("B", idle) == [.setTaken("B", true), .setTaken("A", false)])
        // The holder was told to leave by an earlier life, and would return.
        group = ForegroundGroup<String>()
        #expect(group.update("A", active) == [.setTaken("A", false)])
        #expect(group.update("B", active) == [.setTaken("B", true)])
        #expect(group.update("A", inactive) == [.setTaken("A", true), .setTaken("B", false)])
        #expect(group.holder == "B")
    }

    /// Whatever happens to any worker: never two holders at once, and never two in the foreground.
    @Test(arguments: 0..<12) func `is never held by two`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let policy = seed.isMultiple(of: 2) ? Policy(hooks: .all) : Policy(restart: Policies.restarting)
        var stage = Stage(["A", "B", "C"], policy)
        for step in 0..<3000 {
            let name = ["A", "B", "C"].randomElement(using: &random) ?? "A"
            guard let life = stage.lives[name] else { continue }
            let events = Vocabulary.goals + Vocabulary.facts + Vocabulary.wakes + Vocabulary.answers(to: life)
            let isCooperative = Int.random(in: 0..<10, using: &random) < 6
            let event = isCooperative ? life.cooperativeAnswer : events.randomElement(using: &random)
            guard let event, event != .foregroundTaken(false) else { continue }
            if case .launched = event, life.currentLaunch == nil { continue }
            stage.now = stage.now + .milliseconds(1)
            _ = stage.tell(name, event)
            let inForeground = stage.lives.filter { $0.value.state.isForeground }.keys
            if inForeground.count > 1 {
                Issue.record("seed \(seed), step \(step): \(inForeground.sorted()) after \(name) \(event)")
                return
            }
        }
    }
}

extension [String] {
    /// Whether the order of 1.7 was kept.
    fileprivate func isHandOver(from a: String, to b: String) -> Bool {
        func position(_ entry: String) -> Int { firstIndex(of: entry) ?? -1 }
        let ready = Swift.max(position("\(b).didFinishLaunching"), position("\(b): background"))
        let order = [
            ready, position("\(a).willResignActive"), position("\(b).willEnterForeground"),
            position("\(b).didBecomeActive"),
        ]
        return !order.contains(-1) && order == order.sorted()
            && position("\(a).didEnterBackground") >= 0
            && position("\(a).didEnterBackground") < position("\(b).didBecomeActive")
    }
}
