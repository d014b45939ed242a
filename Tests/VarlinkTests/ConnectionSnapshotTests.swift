import TestSupport
import Testing

@testable import Varlink

/// A connection that goes on in another server.
@Suite struct `A connection at a snapshot` {
    private static let slow = MethodError("com.example.Slow")

    private func call(_ method: String, more: Bool = false) -> [UInt8] {
        Array("{\"method\":\"com.example.\(method)\",\"more\":\(more)}\0".utf8)
    }

    private func moved(_ connection: ServerConnection) throws -> ServerConnection {
        ServerConnection(slowReader: Self.slow, from: try #require(connection.snapshot))
    }

    /// The same bytes at the same moments, moved at every step or never: the client sees no difference.
    @Test(arguments: 0..<40) func `says the same as one that was never moved`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var stays = ServerConnection(slowReader: Self.slow)
        var moves = ServerConnection(slowReader: Self.slow)
        var open: [(stays: Call.ID, moves: Call.ID, isMore: Bool)] = []
        var said = (stays: [UInt8](), moves: [UInt8]())
        var input: ArraySlice<UInt8> = []
        for step in 0..<200 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                input += call("Do\(step)", more: Int.random(in: 0..<5, using: &random) == 0)
            case 1:
                let chunk = Array(input.prefix(Int.random(in: 0...60, using: &random)))
                input = input.dropFirst(chunk.count)
                let calls = (stays.receive(chunk.span), moves.receive(chunk.span))
                #expect(calls.0.map(\.method) == calls.1.map(\.method))
                for (one, other) in zip(calls.0, calls.1) {
                    open.append((one.id, other.id, one.mode == .more))
                }
            case 2:
                guard !open.isEmpty else { continue }
                let index = Int.random(in: 0..<open.count, using: &random)
                let goesOn = open[index].isMore && Bool.random(using: &random)
                let message = EncodedMessage(reply: ["step": .int(Int64(step))], continues: goesOn)
                try stays.reply(to: open[index].stays, message)
                try moves.reply(to: open[index].moves, message)
                if !goesOn { open.remove(at: index) }
            default:
                let limit = Int.random(in: 0...80, using: &random)
                said.stays += stays.takeOutput(limit)
                said.moves += moves.takeOutput(limit)
            }
            let places = open.map { moves.place(of: $0.moves) }
            moves = try moved(moves)
            for (index, place) in places.enumerated() {
                open[index].moves = ServerConnection.id(at: place)
            }
            #expect(stays.callsPending == moves.callsPending && stays.outputPending == moves.outputPending)
        }
        #expect(said.stays == said.moves)
        #expect(stays.takeOutput() == moves.takeOutput())
    }

    @Test func `that is about to end is not moved`() {
        var connection = ServerConnection(slowReader: Self.slow)
        let rubbish: [UInt8] = [1, 0]
        _ = connection.receive(rubbish.span)
        #expect(connection.snapshot == nil)
    }

    @Test func `whose client has sent its last goes on to its end`() throws {
        var connection = ServerConnection(slowReader: Self.slow)
        let id = try #require(connection.receive(call("Last").span).first?.id)
        connection.inputEnded()
        let place = connection.place(of: id)
        var other = try moved(connection)
        #expect(other.closeReason == nil)
        try other.reply(to: ServerConnection.id(at: place), [:])
        _ = other.takeOutput()
        #expect(other.closeReason == .finished)
    }
}
