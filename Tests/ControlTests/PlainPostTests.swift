import ControlAPI
import TestSupport
import Testing
import Varlink

@testable import OperatorService
@testable import Supervisor

@Suite struct `A post to one worker` {
    private typealias API = SupervisorInterface

    private static let plain = [
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"cache.t"}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"topic":"t","names":["w"],"rule":"each","wake":true}}"#,
        #" { "method": "io.torpor.Supervisor.Post", "parameters": {"names": ["w1"], "topic": "cache.t", "payload": {"a": "b  c", "b c": [ 1 , {} ] } , "rule": "latest"} } "#,
        "{\n\t\"method\": \"io.torpor.Supervisor.Post\",\r\n\t\"parameters\": {\"names\": [ \"w1\" ], \"topic\": \"t\", \"payload\": {\n}, \"wake\": true }\n}\n",
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"cache.t","payload":{"a":-12,"b":[{},[],"x",true,false,null,0]},"rule":"latest","transient":false,"wake":false}}"#,
    ]
    private static let others = [
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1","w2"],"topic":"t"}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","at":1}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","topic":"u"}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t"},"more":true}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"b":1,"a":2}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":1,"a":2}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":1.5}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":01}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":-0}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["ä"],"topic":"t"}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t\u0041"}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":1 2}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":- 2}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","payload":{"a":tr ue}}}"#,
        #"{"parameters":{"names":["w1"],"topic":"t"},"method":"io.torpor.Supervisor.Post"}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t"}}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"],"topic":"t","rule":"never"}}"#,
        #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["w1"]}}"#,
        #"{"method":"io.torpor.Supervisor.Ping","parameters":{"names":["w1"],"topic":"t"}}"#, "", "{",
    ]

    @Test(arguments: plain) func `is read off its message as by all rules`(_ message: String) throws {
        let post = try #require(Self.plainPost(Array(message.utf8)))
        try expect(post, isReadOf: Array(message.utf8))
    }

    @Test(arguments: others) func `is read by all rules where it is not plain`(_ message: String) {
        #expect(Self.plainPost(Array(message.utf8)) == nil)
    }

    @Test func `is read off no message that means something else, whatever is done to it`() throws {
        var random = SplitMix64(seed: 5)
        let bytes = Array(#"\{}[]",:0123456789.-e  truefalsn"#.utf8) + [0xc3, 0x7f, 0x1f]
        for _ in 0..<20_000 {
            var message = Array((Self.plain.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<message.count, using: &random)
                let byte = bytes.randomElement(using: &random) ?? 0
                switch Int.random(in: 0...2, using: &random) {
                case 0: message[place] = byte
                case 1: message.remove(at: place)
                default: message.insert(byte, at: place)
                }
            }
            if let post = Self.plainPost(message) { try expect(post, isReadOf: message) }
        }
    }

    // Not in an expectation itself: those take no spans.
    private static func plainPost(_ message: [UInt8]) -> PlainPost? { PlainPost(message.span) }

    private func expect(_ post: PlainPost, isReadOf message: [UInt8]) throws {
        let json = try JSON(parsing: message.span)
        #expect(json["method"]?.string == API.Post.name && json.object?.members.count == 2)
        var read = try API.Post.Parameters(reading: try #require(json["parameters"]?.object))
        // What is not said and what is said to be not so are one.
        if read.wake == false { read.wake = nil }
        if read.transient == false { read.transient = nil }
        // And so is it where it is carried out as all are.
        #expect(try API.Post.Parameters(reading: post.parameters) == read)
        #expect(post.name == read.names.first && read.names.count == 1 && post.topic == read.topic)
        #expect(post.rule == read.rule && post.wake == (read.wake ?? false))
        #expect(post.transient == (read.transient ?? false))
        // In the one form in which equal values are equal bytes.
        #expect(post.payload.map { String(decoding: $0, as: UTF8.self) } == read.payload?.text)
    }

    @Test(arguments: [1, 99, .max, nil] as [Int64?])
    func `is answered as all are`(_ sequence: Int64?) {
        let reply = API.Post.Reply(results: [.init(name: "a\"b", sequence: sequence)])
        var bytes: [UInt8] = []
        PostAnswer("a\"b").write(sequence, into: &bytes)
        #expect(bytes == EncodedMessage(reply: reply.json).bytes)
    }
}
