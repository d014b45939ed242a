import TestSupport
import Testing

@testable import Varlink

@Suite
struct `A server connection` {
    @Test func `hands out calls and sends their replies in the order of the calls`() throws {
        var connection = ServerConnection()
        let calls = connection.receive(
            #"{"method":"a.B"}|{"method":"a.C","parameters":{"x":1}}|{"method":"a.D","parameters":null}|"#)
        #expect(calls.map(\.method) == ["a.B", "a.C", "a.D"])
        #expect(calls.map(\.parameters) == [[:], ["x": 1], [:]])
        #expect(calls.allSatisfy { $0.mode == .once })
        try connection.reply(to: calls[2].id, ["n": 3])
        try connection.reply(to: calls[1].id, ["n": 2])
        #expect(connection.outputPending == 0)
        try connection.fail(calls[0].id, .permissionDenied)
        #expect(
            connection.output() == #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}|"#
                + #"{"parameters":{"n":2}}|{"parameters":{"n":3}}|"#)
        #expect(connection.callsPending == 0)
        #expect(connection.closeReason == nil)
    }

    @Test func `has messages read by somebody else, in their places among the others`() throws {
        var connection = ServerConnection()
        let bytes = Wire.bytes(#"[1]|{"method":"a.B"}|[3]|{"method":"a.C"}|[4"#)
        var position = 0
        var ids: [Call.ID] = []
        var own: [String] = []
        reading: while true {
            switch connection.next(in: bytes.span, from: &position) {
            case .message(let range) where bytes[range.lowerBound] == UInt8(ascii: "["):
                own.append(String(decoding: bytes[range], as: UTF8.self))
                let id = connection.admit(.once)
                ids.append(try #require(id))
            case .message(let range):
                let call = connection.accept(bytes.span.extracting(range))
                ids.append(try #require(call).id)
            case .call: Issue.record("nothing has begun before")
            case .end: break reading
            }
        }
        #expect(own == ["[1]", "[3]"] && ids.count == 4 && position == bytes.count)
        for (index, id) in ids.enumerated().reversed() {
            try connection.reply(to: id) { $0 += Array("\(index)\0".utf8) }
        }
        #expect(connection.output() == "0|1|2|3|")
        // The rest of what has begun is read by the rules for all.
        #expect(connection.receive("]|").isEmpty)
        #expect(connection.closeReason == .notACall(field: "method"))
    }

    @Test func `holds replies behind a running subscription but lets oneway calls through`() throws {
        var connection = ServerConnection()
        let watch = connection.receive(#"{"method":"a.Watch","more":true}|"#)[0]
        let ping = connection.receive(#"{"method":"a.Ping","oneway":false}|"#)[0]
        let post = connection.receive(#"{"method":"a.Post","oneway":true,"more":null,"upgrade":false}|"#)[0]
        #expect(watch.mode == .more)
        #expect(post.mode == .oneway)
        try connection.reply(to: post.id, ["ignored": true])
        try connection.fail(post.id, .expectedMore)
        try connection.reply(to: ping.id, ["pong": true])
        try connection.reply(to: watch.id, EncodedMessage(reply: ["n": 1], continues: true))
        try connection.reply(to: watch.id, EncodedMessage(reply: ["n": 2], continues: true))
        #expect(
            connection.output()
                == #"{"parameters":{"n":1},"continues":true}|{"parameters":{"n":2},"continues":true}|"#)
        try connection.reply(to: watch.id, ["n": 3])
        #expect(connection.output() == #"{"parameters":{"n":3}}|{"parameters":{"pong":true}}|"#)
    }

    @Test func `refuses replies that no call is waiting for`() throws {
        var connection = ServerConnection()
        let calls = connection.receive(#"{"method":"a.B"}|{"method":"a.C"}|"#)
        #expect(throws: ReplyError.notMore) {
            try connection.reply(to: calls[0].id, EncodedMessage(reply: [:], continues: true))
        }
        try connection.reply(to: calls[1].id, [:])
        #expect(throws: ReplyError.notPending) { try connection.reply(to: calls[1].id, [:]) }
        try connection.reply(to: calls[0].id, [:])
        #expect(throws: ReplyError.notPending) { try connection.reply(to: calls[0].id, [:]) }
        #expect(throws: ReplyError.notPending) {
            try connection.reply(to: Call.ID(sequence: 2, isOneway: false), [:])
        }
        #expect(connection.output() == #"{"parameters":{}}|{"parameters":{}}|"#)
    }

    struct Violation: CustomTestStringConvertible, Sendable {
        let input: String, reason: ServerConnection.CloseReason, output: String
        init(_ input: String, _ reason: ServerConnection.CloseReason, _ output: String = "") {
            self.input = input
            self.reason = reason
            self.output = output
        }
        static func field(_ input: String, _ field: String) -> Violation {
            Violation(
                input, .notACall(field: field),
                #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(field)"}}|"#)
        }
        var testDescription: String { input }
    }

    @Test(arguments: [
        Violation("{|", .brokenMessage(.init(reason: .unexpectedEnd, offset: 1))),
        Violation("|", .brokenMessage(.init(reason: .unexpectedEnd, offset: 0))),
        Violation("GET / HTTP/1.1\r\n\r\n|", .brokenMessage(.init(reason: .unexpectedByte, offset: 0))),
        Violation(#"{"method":"a.B"}{}|"#, .brokenMessage(.init(reason: .trailingGarbage, offset: 16))),
        .field("[]|", "method"), .field("1|", "method"), .field("{}|", "method"),
        .field(#"{"method":5}|"#, "method"), .field(#"{"method":null}|"#, "method"),
        .field(#"{"method":"a.B","parameters":[]}|"#, "parameters"),
        .field(#"{"method":"a.B","parameters":"x"}|"#, "parameters"),
        .field(#"{"method":"a.B","more":1}|"#, "more"),
        .field(#"{"method":"a.B","oneway":"yes"}|"#, "oneway"),
        .field(#"{"method":"a.B","upgrade":{}}|"#, "upgrade"),
        .field(#"{"method":"a.B","more":true,"oneway":true}|"#, "more"),
    ])
    func `is closed by a message that is no call`(_ row: Violation) {
        var connection = ServerConnection()
        #expect(connection.receive(row.input + #"{"method":"a.Late"}|"#).isEmpty)
        #expect(connection.closeReason == row.reason)
        #expect(connection.output() == row.output)
        #expect(!connection.wantsInput)
        #expect(connection.receive(#"{"method":"a.Later"}|"#).isEmpty)
    }

    @Test func `still hands out the calls before the one that closes it, and ignores their replies`() throws {
        var connection = ServerConnection()
        let calls = connection.receive(#"{"method":"a.B"}|{"method":1}|"#)
        #expect(calls.map(\.method) == ["a.B"])
        #expect(connection.closeReason == .notACall(field: "method"))
        try connection.reply(to: calls[0].id, [:])
        #expect(connection.outputPending == 0)
    }

    @Test func `ignores what Varlink does not know beside the parameters`() {
        var connection = ServerConnection()
        #expect(connection.receive(#"{"method":"a.B","future":[1]}|"#).count == 1)
    }

    @Test func `refuses to be upgraded and goes on`() {
        var connection = ServerConnection()
        #expect(connection.receive(#"{"method":"a.B","upgrade":true}|"#).isEmpty)
        #expect(connection.receive(#"{"method":"a.B","upgrade":true,"oneway":true}|"#).isEmpty)
        #expect(
            connection.output()
                == #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.B"}}|"#)
        #expect(connection.receive(#"{"method":"a.C"}|"#).count == 1)
    }

    @Test func `is closed by a message beyond the bound, after the calls before it`() {
        var limits = ServerConnection.Limits()
        limits.message = 20
        var connection = ServerConnection(limits: limits)
        #expect(connection.receive(#"{"method":"a.B"}|"# + String(repeating: " ", count: 21)).count == 1)
        #expect(connection.closeReason == .messageTooLong(limit: 20))
    }

    @Test func `answers what is due after the client has ended its side`() throws {
        var connection = ServerConnection()
        let call = connection.receive(#"{"method":"a.B"}|"#)[0]
        connection.inputEnded()
        #expect(connection.closeReason == nil)
        #expect(!connection.wantsInput)
        try connection.reply(to: call.id, [:])
        #expect(connection.closeReason == nil)
        #expect(connection.output() == #"{"parameters":{}}|"#)
        #expect(connection.closeReason == .finished)
    }

    @Test func `is closed by an end inside a message`() {
        var connection = ServerConnection()
        _ = connection.receive(#"{"method""#)
        connection.inputEnded()
        #expect(connection.closeReason == .truncatedMessage)
    }

    @Test func `turns a client away with an error as the last word`() {
        var connection = ServerConnection()
        connection.refuse(MethodError("test.TooMany", ["limit": 3]))
        #expect(connection.output() == #"{"error":"test.TooMany","parameters":{"limit":3}}|"#)
        #expect(connection.closeReason == .refused(MethodError("test.TooMany", ["limit": 3])))
    }

    @Test func `gives the same for every way the bytes are cut`() throws {
        let text = #"{"method":"a.B"}|{"method":"a.C","more":true}|{"method":"a.D","oneway":true}|"#
        let bytes = Wire.bytes(text)
        for cut in 0...bytes.count {
            var connection = ServerConnection()
            let calls =
                connection.receive(Array(bytes[..<cut]).span) + connection.receive(Array(bytes[cut...]).span)
            #expect(calls.map(\.mode) == [.once, .more, .oneway])
        }
    }
}

@Suite
struct `A server connection is bounded` {
    @Test func `a reader that does not read is cut off with the error at a message's edge`() throws {
        var limits = ServerConnection.Limits()
        limits.backlog = 1000
        var connection = ServerConnection(limits: limits)
        let watch = connection.receive(#"{"method":"a.Watch","more":true}|"#)[0]
        let change = EncodedMessage(
            reply: ["text": .string(String(repeating: "x", count: 60))], continues: true)
        try connection.reply(to: watch.id, change)
        let begun = Wire.text(connection.takeOutput(10))
        var sent = 0
        while connection.closeReason == nil, sent < 1000 {
            try connection.reply(to: watch.id, change)
            sent += 1
            #expect(connection.outputPending <= 1000 + 2 * change.bytes.count)
        }
        #expect(connection.closeReason == .slowReader(limit: 1000))
        #expect(
            begun + connection.output() == Wire.text(change.bytes)
                + #"{"error":"test.SlowReader","parameters":{}}|"#)
        try connection.reply(to: watch.id, change)
        #expect(connection.outputPending == 0)
    }

    @Test func `replies that are held count as unread`() throws {
        var limits = ServerConnection.Limits()
        limits.backlog = 1000
        var connection = ServerConnection(limits: limits)
        let calls = connection.receive(
            #"{"method":"a.Watch","more":true}|"# + String(repeating: #"{"method":"a.B"}|"#, count: 100))
        for call in calls.dropFirst() {
            try connection.reply(to: call.id, ["text": .string(String(repeating: "x", count: 60))])
        }
        #expect(connection.closeReason == .slowReader(limit: 1000))
        #expect(connection.output() == #"{"error":"test.SlowReader","parameters":{}}|"#)
    }

    @Test func `one big answer is no slow reader`() throws {
        var limits = ServerConnection.Limits()
        limits.backlog = 10
        var connection = ServerConnection(limits: limits)
        let call = connection.receive(#"{"method":"a.B"}|"#)[0]
        try connection.reply(to: call.id, ["text": .string(String(repeating: "x", count: 10_000))])
        #expect(connection.closeReason == nil)
        #expect(!connection.wantsInput)
        #expect(connection.takeOutput().count > 10_000)
        #expect(connection.wantsInput)
    }

    @Test func `many calls stop the reading first and the connection next`() {
        var limits = ServerConnection.Limits()
        limits.calls = 10
        var connection = ServerConnection(limits: limits)
        for _ in 0..<5 {
            #expect(connection.wantsInput)
            _ = connection.receive(#"{"method":"a.B"}|"#)
        }
        #expect(!connection.wantsInput)
        #expect(connection.receive(String(repeating: #"{"method":"a.B"}|"#, count: 7)).count == 5)
        #expect(connection.closeReason == .tooManyCalls(limit: 10))
    }

    @Test func `subscriptions are counted until they end`() throws {
        var limits = ServerConnection.Limits()
        limits.subscriptions = 2
        var connection = ServerConnection(limits: limits)
        for _ in 0..<20 {
            let call = connection.receive(#"{"method":"a.Watch","more":true}|"#)[0]
            try connection.reply(to: call.id, [:])
        }
        #expect(connection.receive(String(repeating: #"{"method":"a.W","more":true}|"#, count: 3)).count == 2)
        #expect(connection.closeReason == .tooManySubscriptions(limit: 2))
    }

    @Test(arguments: 0..<100) func `any mix of calls, replies and writes keeps order and loses nothing`(
        _ seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        var connection = ServerConnection()
        var open: [(call: Call, number: Int)] = []
        var calls = 0
        var received = ""
        for _ in 0..<400 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let call = connection.receive(#"{"method":"a.B","parameters":{"n":\#(calls)}}|"#)[0]
                open.append((call, calls))
                calls += 1
            case 1, 2:
                guard let index = open.indices.randomElement(using: &random) else { break }
                let (call, number) = open.remove(at: index)
                try connection.reply(to: call.id, ["n": .int(Int64(number))])
            default:
                let limit = Int.random(in: 0...40, using: &random)
                try connection.sendOutput { (bytes: Span<UInt8>) throws(ReplyError) in
                    let amount = min(limit, bytes.count)
                    received += Wire.text((0..<amount).map { bytes[$0] })
                    return amount
                }
            }
        }
        for (call, number) in open { try connection.reply(to: call.id, ["n": .int(Int64(number))]) }
        received += connection.output()
        #expect(received == (0..<calls).map { #"{"parameters":{"n":\#($0)}}|"# }.joined())
        #expect(connection.callsPending == 0)
    }
}
