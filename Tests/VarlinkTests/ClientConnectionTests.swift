import Testing

@testable import Varlink

@Suite
struct `A client connection` {
    @Test func `writes calls without what has its default`() {
        var client = ClientConnection()
        client.call("a.B")
        client.call("a.C", ["x": 1], mode: .more)
        client.call("a.D", mode: .oneway)
        #expect(
            client.output() == #"{"method":"a.B","parameters":{}}|"#
                + #"{"method":"a.C","parameters":{"x":1},"more":true}|"#
                + #"{"method":"a.D","parameters":{},"oneway":true}|"#)
        #expect(client.callsPending == 2)
    }

    @Test func `matches pipelined replies with their calls`() {
        var client = ClientConnection()
        let first = client.call("a.B")
        client.call("a.Oneway", mode: .oneway)
        let second = client.call("a.C", mode: .more)
        let third = client.call("a.D")
        let events = client.receive(
            #"{"parameters":{"n":1}}|{"continues":true}|{"continues":true,"parameters":{"n":2}}|"#
                + #"{"error":"a.Failed","parameters":{"why":"x"}}|{}|"#)
        #expect(
            events == [
                .reply(first, ["n": 1], continues: false), .reply(second, [:], continues: true),
                .reply(second, ["n": 2], continues: true),
                .failed(second, MethodError("a.Failed", ["why": "x"])),
                .reply(third, [:], continues: false),
            ])
        #expect(client.callsPending == 0)
    }

    struct Violation: CustomTestStringConvertible, Sendable {
        let input: String, reason: ClientConnection.CloseReason
        var testDescription: String { input }
    }

    @Test(arguments: [
        Violation(input: "{|", reason: .brokenMessage(.init(reason: .unexpectedEnd, offset: 1))),
        Violation(input: "[]|", reason: .notAReply(field: "")),
        Violation(input: #"{"parameters":1}|"#, reason: .notAReply(field: "parameters")),
        Violation(input: #"{"continues":"x"}|"#, reason: .notAReply(field: "continues")),
        Violation(input: #"{"continues":true}|"#, reason: .notAReply(field: "continues")),
        Violation(input: #"{"error":5}|"#, reason: .notAReply(field: "error")),
        Violation(input: #"{"error":"a.B","continues":true}|"#, reason: .notAReply(field: "continues")),
        Violation(input: String(repeating: " ", count: 101), reason: .messageTooLong(limit: 100)),
    ])
    func `ends when the server speaks no Varlink, and says which calls are lost`(_ row: Violation) {
        var client = ClientConnection(limit: 100)
        let call = client.call("a.B")
        #expect(client.receive(row.input + "{}|") == [.closed(row.reason, unanswered: [call])])
        #expect(client.closeReason == row.reason)
        #expect(client.outputPending == 0)
        #expect(client.receive("{}|").isEmpty)
    }

    @Test func `tells a server that ends from one that breaks off`() {
        var client = ClientConnection()
        let call = client.call("a.B")
        #expect(client.inputEnded() == [.closed(.ended, unanswered: [call])])
        #expect(client.inputEnded().isEmpty)
        var other = ClientConnection()
        _ = other.receive("{")
        #expect(other.inputEnded() == [.closed(.truncatedMessage, unanswered: [])])
    }

    @Test func `understands being turned away before it said anything`() {
        var client = ClientConnection()
        let error = MethodError("a.TooMany")
        #expect(client.receive(#"{"error":"a.TooMany"}|"#) == [.closed(.refused(error), unanswered: [])])
        var other = ClientConnection()
        #expect(other.receive("{}|") == [.closed(.unexpectedReply, unanswered: [])])
    }

    @Test func `and a server connection understand each other`() throws {
        var client = ClientConnection()
        var server = ServerConnection()
        let ids = try (0..<1000).map { try client.call("a.B", encoding: ["n": $0]) }
        let calls = server.receive(client.takeOutput().span)
        #expect(calls.count == 1000)
        for call in calls.reversed() { try server.reply(to: call.id, call.parameters) }
        let events = client.receive(server.takeOutput().span)
        #expect(events == ids.enumerated().map { .reply($1, ["n": .int(Int64($0))], continues: false) })
    }
}
