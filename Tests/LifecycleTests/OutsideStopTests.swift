import Testing

@testable import Lifecycle

/// When another process stops or continues a worker: legal steps, nothing told, and no fight (1.2).
@Suite struct `Outside stops` {
    private static let stopped = Cue.event(.stoppedOutside)
    private static let continued = Cue.event(.continuedOutside)

    private func notTold(_ effects: [Effect]) -> [CallbackSet] {
        effects.compactMap { if case .publish(let transition) = $0 { transition.notTold } else { nil } }
    }

    @Test func `walk every legal step in one instant and say what was not told`() {
        var life = Life(.app, .active)
        let effects = life.play(Self.stopped)
        #expect(
            effects.seen == [
                .moved(.active, .inactive), .moved(.inactive, .background), .moved(.background, .suspended),
            ])
        #expect(
            notTold(effects) == [CallbackSet([.willResignActive]), CallbackSet([.didEnterBackground]), []])
        #expect(life.worker.isHeld)
        #expect(life.worker.goal == .active)
    }

    @Test func `are undone by a continue: the queue, then the steps back with their callbacks`() {
        var life = Life(.app, .active + [Self.stopped, .event(.notificationsQueued), .passes(.seconds(77))])
        let effects = life.play(Self.continued, .completes(), .completes(), .completes())
        #expect(
            effects.seen == [
                .moved(.suspended, .background), .told(.didReceiveNotifications), .told(.willEnterForeground),
                .moved(.background, .inactive), .moved(.inactive, .active), .told(.didBecomeActive),
            ])
        let suspendedFor = effects.compactMap {
            if case .publish(let transition) = $0 { transition.suspendedFor } else { nil }
        }
        #expect(suspendedFor == [.seconds(77)])
    }

    @Test func `and every other sleep are as long as people count, the machine's own sleep included`() {
        var life = Life(.app, .active + [Self.stopped, .passes(.seconds(1))])
        life.worker.countMachineSleep(.seconds(7))
        let effects = life.play(Self.continued)
        let suspendedFor = effects.compactMap {
            if case .publish(let transition) = $0 { transition.suspendedFor } else { nil }
        }
        #expect(suspendedFor == [.seconds(8)])
        life.worker.countMachineSleep(.seconds(100))
        life.play(.event(.forceQuit(Vocabulary.human)), .exits(.killed(signal: 9, coreDumped: false)))
        #expect(life.records.map(\.suspended) == [.seconds(8)])
        #expect(life.records.map { $0.ran >= .seconds(108) } == [true])
        life.worker.countMachineSleep(.seconds(1))
        #expect(life.worker.state == .notRunning, "where no process is, nothing is counted")
    }

    @Test func `leave a callback in flight its id, and its deadline afresh`() throws {
        var life = Life(.app, .active + [.wants(.background)])
        let id = try #require(life.worker.process?.slot?.id)
        let effects = life.play(.passes(.seconds(9)), Self.stopped)
        // It had been told already.
        #expect(notTold(effects).first == [])
        #expect(life.worker.process?.slot?.id == id)
        life.play(Self.continued)
        #expect(life.remaining(.callback) == .seconds(10))
        #expect(life.worker.state == .background)
        #expect(
            !life.play(.event(.completed(id: id, .done))).contains {
                if case .report = $0 { true } else { false }
            })
        #expect(life.worker.callbackInFlight == nil)
    }

    @Test func `take a completion that was on its way`() {
        let life = Life(.app, .active + [.wants(.background), Self.stopped, .completes()])
        #expect(life.worker.callbackInFlight == nil)
        #expect(life.worker.state == .suspended)
    }

    @Test func `interrupt a launch, which goes on afterwards`() {
        var life = Life(.app, .attached + [Self.stopped, .passes(.seconds(500)), Self.continued])
        #expect(life.remaining(.launch) == .seconds(20))
        #expect(
            life.play(.completes(), .completes(), .completes(), .completes()).seen == [
                .told(.didFinishLaunching), .told(.willEnterForeground), .moved(.background, .inactive),
                .moved(.inactive, .active), .told(.didBecomeActive),
            ])
    }

    struct Nudge: CustomTestStringConvertible, Sendable {
        let name: String
        let event: Event
        let effects: [Effect]
        var testDescription: String { name }
    }

    static let nudges: [Nudge] = [
        Nudge(name: "a connection", event: .woken(Wake(.socket, intoForeground: true)), effects: []),
        Nudge(name: "a schedule", event: .woken(Wake(.schedule, intoForeground: false)), effects: []),
        Nudge(
            name: "a fetch",
            event: .woken(Wake(.fetch, intoForeground: false, bringing: Inbound(id: 1, .fetch))), effects: []),
        Nudge(name: "a queue", event: .notificationsQueued, effects: []),
        Nudge(
            name: "a background task", event: .taskBegan(token: 1),
            effects: [.answerTask(token: 1, .began)]),
        Nudge(
            name: "an operator's activate", event: .requested(Request(.active, by: Vocabulary.human)),
            effects: [.refuse(.heldOutside, Vocabulary.human)]),
        Nudge(
            name: "an operator's suspend, which it is",
            event: .requested(Request(.suspended, by: Vocabulary.human)),
            effects: []),
    ]

    @Test(arguments: nudges) func `are ended by no wake event`(_ nudge: Nudge) {
        var life = Life(.app, .active + [Self.stopped])
        #expect(life.play(.event(nudge.event)) == nudge.effects)
        #expect(life.worker.isHeld)
    }

    @Test func `are ended by an operator's resume`() {
        var life = Life(.app, .active + [Self.stopped])
        #expect(life.play(.event(.resumeRequested(Vocabulary.human))) == [.thaw])
        #expect(
            life.play(.event(.thawed)).seen == [.moved(.suspended, .background), .told(.willEnterForeground)])
    }

    @Test func `never fight: a continue of what we put to sleep gives the goal before sleep back`() {
        var life = Life(.app, .active + [.idles(), .completes(), .completes(), .completes(.refused)])
        life.play(.event(.frozen))
        #expect(life.worker.goal == .suspended)
        let effects = life.play(Self.continued)
        #expect(life.worker.goal == .active)
        #expect(effects.seen == [.moved(.suspended, .background), .told(.willEnterForeground)])
        #expect(!effects.contains(.freeze))
    }

    @Test func `never fight: a continue during our freeze is followed by our own thaw`() {
        var life = Life(.app, .background + [.idles(), Self.continued])
        #expect(life.worker.goal == .background)
        #expect(life.play(.event(.frozen)).last == .thaw)
    }

    @Test func `of a worker that sleeps already hold it`() {
        var life = Life(.app, .asleep + [Self.stopped])
        #expect(life.worker.isHeld)
        #expect(life.play(.brings(.fetch)).isEmpty)
        #expect(
            life.play(Self.continued).seen == [.moved(.suspended, .background), .told(.performFetch)])
    }

    @Test func `do not delay an end that has a limit`() {
        var life = Life(.app, .background + [.wants(.notRunning)])
        #expect(life.play(Self.stopped).isEmpty)
        #expect(life.play(.expires(.ending)).contains(.kill))
    }

    @Test func `of a worker whose end waits for a callback: the end no longer waits`() {
        var graceful = Policy.app
        graceful.evictable = .graceful
        let waiting: [Cue] =
            .active + [.wants(.background), .event(.evictionRequested(Eviction(by: .memoryPressure)))]
        var life = Life(graceful, waiting)
        #expect(life.play(Self.stopped).contains(.thaw))
        var silent = Life(.app, waiting)
        #expect(silent.play(Self.stopped).contains(.kill))
    }

    @Test func `without a process are reported`() {
        var life = Life(.app)
        #expect(
            life.play(Self.stopped, Self.continued) == [
                .report(Surprise(state: .notRunning, event: .stoppedOutside)),
                .report(Surprise(state: .notRunning, event: .continuedOutside)),
            ])
    }
}
