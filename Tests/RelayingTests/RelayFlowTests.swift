import Relaying
import Testing

/// Plays what the kernel may answer, and holds what a direction of a connection promises.
@Suite struct `One direction of a relayed connection` {
    /// What has happened at both ends.
    private struct Ends: Hashable {
        var flow = RelayFlow()
        /// Bytes read and written so far.
        var taken: UInt32 = 0
        var given: UInt32 = 0
        /// Whether the receiver was told of the end.
        var isTold = false
        var wasEnded = false
        var wasBroken = false
    }

    private static func answers(to step: RelayFlow.Step, _ held: UInt32) -> [RelayFlow.Outcome] {
        switch step {
        case .read: [.moved(1), .moved(3), .wouldWait, .ended, .failed]
        case .write: [.moved(1), .moved(held), .wouldWait, .failed]
        case .end: [.moved(0), .failed]
        case .rest: []
        }
    }

    private static func after(_ outcome: RelayFlow.Outcome, _ step: RelayFlow.Step, _ ends: Ends) -> Ends {
        var ends = ends
        switch step {
        case .read:
            ends.flow.read(outcome)
            if case .moved(let count) = outcome { ends.taken += count }
            if outcome == .ended { ends.wasEnded = true }
        case .write:
            ends.flow.wrote(outcome)
            if case .moved(let count) = outcome { ends.given += count }
            if outcome == .failed { ends.wasBroken = true }
        case .end:
            ends.flow.ended(outcome)
            ends.isTold = outcome != .failed
            if outcome == .failed { ends.wasBroken = true }
        case .rest: break
        }
        return ends
    }

    @Test func `loses no byte and no end, whatever the kernel answers`() {
        var seen: Set<Ends> = []
        var left = [Ends()]
        while let ends = left.popLast() {
            guard ends.taken < 12, seen.insert(ends).inserted else { continue }
            let (flow, step) = (ends.flow, ends.flow.next)
            // Nothing is read while bytes are under way, and nothing is told before they are through.
            #expect(flow.held == 0 || step == .write)
            if !ends.wasBroken { #expect(ends.taken == ends.given + flow.held) }
            if ends.isTold { #expect(ends.wasEnded && ends.taken == ends.given) }
            if flow.state == .done { #expect(ends.isTold) }
            if flow.isOver {
                #expect(step == .rest && flow.held == 0)
                #expect([.done, .unwanted, .failed].contains(flow.state))
            } else {
                #expect(step != .rest)
            }
            for outcome in Self.answers(to: step, flow.held) { left.append(Self.after(outcome, step, ends)) }
        }
        #expect(seen.count > 50)
    }

    @Test func `is slowed down by its receiver`() {
        var pair = RelayedPair()
        #expect(pair.interest(.client) == .init(input: true))
        pair.request.read(.moved(100))
        pair.request.wrote(.moved(40))
        pair.request.wrote(.wouldWait)
        #expect(pair.interest(.client) == .init())
        #expect(pair.interest(.server) == .init(input: true, output: true))
        pair.request.wrote(.moved(60))
        #expect(pair.interest(.client) == .init(input: true))
    }

    @Test func `ends alone, while the other one goes on`() {
        var pair = RelayedPair()
        pair.request.read(.ended)
        pair.request.ended(.moved(0))
        #expect(pair.verdict == .goesOn)
        #expect(pair.interest(.client) == .init())
        #expect(pair.interest(.server) == .init(input: true))
        pair.response.read(.moved(1))
        pair.response.wrote(.moved(1))
        pair.response.read(.ended)
        pair.response.ended(.moved(0))
        #expect(pair.verdict == .close)
    }

    @Test func `breaks the connection when its sender breaks, after what it has sent`() {
        var pair = RelayedPair()
        pair.response.read(.moved(5))
        pair.response.wrote(.moved(2))
        pair.response.read(.failed)
        #expect(pair.verdict == .goesOn)
        pair.response.wrote(.moved(3))
        #expect(pair.verdict == .reset)
        var quiet = RelayedPair()
        quiet.request.read(.failed)
        #expect(quiet.verdict == .reset)
    }

    @Test func `lets an answer through although the server takes nothing any more`() {
        var pair = RelayedPair()
        pair.request.read(.moved(5))
        pair.request.wrote(.failed)
        #expect(pair.verdict == .goesOn)
        #expect(pair.interest(.client) == .init())
        pair.response.read(.moved(2))
        pair.response.wrote(.moved(2))
        pair.response.read(.ended)
        pair.response.ended(.moved(0))
        #expect(pair.verdict == .close)
    }

    @Test(arguments: RelayedPair.Side.allCases)
    func `ends with a peer that is gone`(_ side: RelayedPair.Side) {
        var pair = RelayedPair()
        pair[from: side].read(.ended)
        pair[from: side].ended(.moved(0))
        pair.gone(side)
        #expect(pair.verdict == .close)
    }
}
