import ConfigurationSyntax
import Lifecycle
import SnapshotCoding
import Testing

@testable import Continuing

@Suite struct `Activities of a worker` {
    private static let human = Requester.operator(uid: 0, pid: 7)
    private static let running = GiverStanding(
        .running, isForeground: true, isConnected: true, hookTypes: [])
    private var plan = GivingPlan()

    private func type(_ text: String = "org.example.editing") throws -> ActivityType {
        try ActivityType(parsing: text)
    }

    private mutating func offer(
        _ text: String = "org.example.editing", state: String? = #"{"line":7}"#, asks: Bool = false,
        _ source: ActivityOffer.Source = .connection, at now: Instant = .zero
    ) throws -> [GivingEffect] {
        plan.handle(.offered(try type(text), title: "notes", state: state, asks: asks, source), at: now)
    }

    private mutating func begin(
        _ text: String? = nil, state: String? = nil, _ standing: GiverStanding = running,
        at now: Instant = .zero
    ) throws -> [GivingEffect] {
        let request = HandoffRequest(id: "x", try text.map(type), state: state, by: Self.human)
        return plan.handle(.began(request, standing), at: now)
    }

    @Test mutating func `are given with the state that was offered`() throws {
        let offered = try offer()
        #expect(offered.count == 1 && plan.offers.count == 1)
        let effects = try begin()
        let handoff = try #require(plan.current)
        #expect(effects == [.began(handoff), .give(handoff, state: #"{"line":7}"#)])
        #expect(handoff.title == "notes" && handoff.wasForeground)
        #expect(
            plan.handle(.taken("x", by: "viewer"), at: .zero)
                == [.withdrawn(handoff.type), .leave, .over(handoff, .taken(by: "viewer"))])
        #expect(plan.isEmpty)
    }

    @Test mutating func `are asked for where the worker wants to be asked`() throws {
        _ = try offer(state: nil, asks: true)
        let effects = try begin()
        let handoff = try #require(plan.current)
        #expect(effects == [.began(handoff), .ask(handoff, .connection)])
        let given = plan.handle(.answered(handoff.number, "{}"), at: .zero)
        let now = try #require(plan.current)
        #expect(given == [.give(now, state: "{}")])
        #expect(plan.handle(.answered(handoff.number, "{}"), at: .zero) == [.refused(.noSuchHandoff)])
    }

    @Test mutating func `of a worker's file are asked of its hook`() throws {
        let standing = GiverStanding(
            .running, isForeground: false, isConnected: false, hookTypes: [try type(), try type("b")])
        #expect(
            try begin(nil, standing)
                == [.refused(.severalOffered([try type(), try type("b")]))])
        let effects = try begin("b", standing)
        let handoff = try #require(plan.current)
        #expect(effects == [.began(handoff), .ask(handoff, .hook)])
        #expect(try begin("b", standing) == [.refused(.busy(try type("b")))])
        #expect(
            plan.handle(.notAnswered(handoff.number, "exit status 1"), at: .zero)
                == [.over(handoff, .notTold("exit status 1"))])
        #expect(plan.current == nil)
    }

    @Test mutating func `are given with the state of the caller without asking`() throws {
        _ = try offer(state: nil, asks: true)
        let effects = try begin(state: #"{"line":1}"#)
        let handoff = try #require(plan.current)
        #expect(effects == [.began(handoff), .give(handoff, state: #"{"line":1}"#)])
    }

    struct Ending: Sendable {
        let event: GivingEvent
        let end: HandoffEnd
        var after = TimeSpan.zero
        var brings = true
    }

    @Test(arguments: [
        Ending(event: .notTaken("x", why: "it refused"), end: .notTaken("it refused")),
        Ending(event: .callEnded("x"), end: .callLost),
        Ending(event: .takenOver, end: .callLost),
        Ending(event: .due, end: .carryingOverran, after: GivingPlan.carryLimit),
        Ending(event: .processEnded, end: .processEnded, brings: false),
    ])
    mutating func `stay with the worker however else it ends`(_ ending: Ending) throws {
        _ = try offer()
        _ = try begin()
        let handoff = try #require(plan.current)
        let effects = plan.handle(ending.event, at: .zero + ending.after)
        #expect(effects.contains(.over(handoff, ending.end)))
        #expect(!effects.contains(.leave))
        #expect(effects.contains(.comeBack) == ending.brings)
        #expect(plan.current == nil)
        // What comes afterwards is too late.
        #expect(plan.handle(.taken("x", by: "viewer"), at: .zero) == [.refused(.noSuchHandoff)])
        #expect(plan.offers.isEmpty == !ending.brings)
    }

    @Test(arguments: [
        (GiverStanding.Condition.notRunning, "it is not running"),
        (.launching, "its launch is not complete yet"), (.ending, "it is ending"),
        (.held, "another program has stopped it"),
    ])
    mutating func `are not given by a worker that cannot be asked`(
        _ condition: GiverStanding.Condition, _ words: String
    ) throws {
        _ = try offer()
        let standing = GiverStanding(condition, isForeground: false, isConnected: false, hookTypes: [])
        let effects = try begin(nil, standing)
        #expect(effects == [.refused(.notNow(condition))])
        #expect(HandoffRefusal.notNow(condition).sentence == words)
    }

    @Test mutating func `are bounded, however a worker floods offers`() throws {
        var refusals: Set<HandoffRefusal> = []
        for number in 0..<10_000 {
            for effect in try offer("a\(number)") {
                if case .refused(let refusal) = effect { refusals.insert(refusal) }
            }
        }
        #expect(refusals == [.tooOften, .tooMany(GivingPlan.most)])
        #expect(plan.offers.count == GivingPlan.most)
        // A while later it may again, and says what is newer of the same.
        let later = Instant.zero + .seconds(60)
        #expect(try offer("a1", at: later) == [])
        let large = String(repeating: "x", count: GivingPlan.largest)
        #expect(try offer("a1", state: large, at: later) == [.refused(.tooLarge(GivingPlan.largest))])
    }

    @Test mutating func `that only a connection could tell go with it`() throws {
        _ = try offer("a", state: nil, asks: true)
        _ = try offer("b")
        _ = try offer("c", .notification)
        #expect(plan.handle(.disconnected, at: .zero) == [.withdrawn(try type("a"))])
        #expect(plan.handle(.withdrawn(nil, .notification), at: .zero) == [.withdrawn(try type("c"))])
        #expect(plan.offers.map(\.type.text) == ["b"])
    }

    @Test mutating func `outlast the supervisor, without what would be too long`() throws {
        _ = try offer("a")
        _ = try offer("b", state: String(repeating: "x", count: 10_000))
        _ = try begin("a")
        #expect(plan.shortened(to: 500).offers.map(\.type.text) == ["a"])
        #expect(plan.shortened(to: 500).current == plan.current)
        var writer = RecordWriter()
        _ = writer.object("plan", 1, plan)
        var reader = RecordReader(writer.bytes[...], latest: 0)
        let read: GivingPlan? = try reader.object("plan", 1, nil)
        #expect(read?.offers == plan.offers && read?.current == plan.current)
    }
}

@Suite struct `Activities that are brought` {
    @Test func `are given once, however often they come`() {
        var plan = TakingPlan()
        #expect(plan.arrived("x", for: "viewer") == .new)
        #expect(plan.arrived("x", for: "other") == .pending(worker: "viewer"))
        plan.settle("x", refusal: nil)
        #expect(plan.arrived("x", for: "viewer") == .taken(worker: "viewer"))
        #expect(plan.arrived("y", for: "viewer") == .new)
        plan.settle("y", refusal: "no")
        #expect(plan.arrived("y", for: "other") == .refused(worker: "viewer", "no"))
    }

    @Test func `are remembered up to a number`() {
        var plan = TakingPlan()
        for number in 0..<TakingPlan.most { #expect(plan.arrived("\(number)", for: "viewer") == .new) }
        #expect(plan.arrived("x", for: "viewer") == .full)
        plan.settle("3", refusal: nil)
        #expect(plan.arrived("x", for: "viewer") == .new)
        #expect(plan.count == TakingPlan.most)
    }
}
