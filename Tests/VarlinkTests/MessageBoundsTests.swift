import TestSupport
import Testing

@testable import Varlink

@Suite struct `What one message may cost` {
    private static func connection(_ change: (inout ServerConnection.Limits) -> Void) -> ServerConnection {
        var limits = ServerConnection.Limits()
        change(&limits)
        return ServerConnection(limits: limits)
    }

    @Test func `a parameter that is passed on stays as it was written, without its spaces`() throws {
        var connection = Self.connection { $0.verbatim = ["state"] }
        let calls = connection.receive(
            #"{"method":"a.Save","parameters":{"state": { "b" : [1, 2.50 ,"x \" y"],"a":{} } ,"n":1}}|"#
                + #"{"method":"a.Save","parameters":{"state":7}}|{"method":"a.Save","parameters":{"x":{"state":{}}}}|"#
        )
        #expect(calls.count == 3)
        let text = try #require(calls.first?.parameters["state"])
        #expect(text == .written(Array(#"{"b":[1,2.50,"x \" y"],"a":{}}"#.utf8)))
        #expect(text.text == #"{"b":[1,2.50,"x \" y"],"a":{}}"#)
        #expect(calls.first?.parameters["n"] == 1)
        #expect(calls.dropFirst().first?.parameters == ["state": 7], "only objects are left as they are")
        #expect(calls.last?.parameters == ["x": ["state": [:]]], "only parameters are")
        #expect(JSON.object(calls[0].parameters).text == #"{"state":{"b":[1,2.50,"x \" y"],"a":{}},"n":1}"#)
    }

    @Test func `a message is small but for what is passed on`() throws {
        let state = #"{"x":"\#(String(repeating: "s", count: 5000))"}"#
        let save = #"{"method":"a.Save","parameters":{"state":\#(state)}}|"#
        let post = #"{"method":"a.Post","parameters":{"payload":\#(state)}}|"#
        func limited() -> ServerConnection {
            Self.connection { limits in
                limits.message = 8000
                limits.plainMessage = 1000
                limits.verbatim = ["state"]
            }
        }
        var connection = limited()
        #expect(connection.receive(save).count == 1 && connection.closeReason == nil)
        #expect(connection.receive(post).isEmpty)
        #expect(connection.closeReason == .messageTooLong(limit: 1000))
        connection = limited()
        #expect(
            connection.receive(#"{"parameters":{"state":\#(state),"state":\#(state)},"method":"a.Save"}|"#)
                .isEmpty)
        #expect(connection.closeReason == .messageTooLong(limit: 8000))
    }

    @Test func `a message has no more values than allowed, but for what is passed on`() throws {
        let many = "[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]"
        func limited() -> ServerConnection {
            Self.connection { limits in
                limits.values = 50
                limits.verbatim = ["state"]
            }
        }
        var connection = limited()
        #expect(connection.receive(#"{"method":"a.B","parameters":{"state":{"x":\#(many)}}}|"#).count == 1)
        #expect(connection.receive(#"{"method":"a.B","parameters":{"x":\#(many)}}|"#).isEmpty)
        guard case .brokenMessage(let error) = connection.closeReason else {
            Issue.record("closed because \(String(describing: connection.closeReason))")
            return
        }
        #expect(error.reason == .tooManyValues)
    }

    @Test func `a number has no digits without end`() throws {
        let digits = String(repeating: "7", count: 2000)
        for text in [digits, "-" + digits, "0." + digits, "1e-" + digits] {
            #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
            #expect(throws: JSON.ParseError.self) { try JSON(copying: Array("{\"a\":\(text)}".utf8).span) }
        }
    }

    @Test(arguments: [
        #"{}"#, #"{ }"#, #"{"a":null,"b":true,"c":false}"#, #"{"a":[ ]}"#, #"{"a":[1,-2,3.5e-7,0]}"#,
        "{\"a\"\t:\r\n\"ä€😀\"}", #"{"a":"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"}"#,
        #"{"a":{"b":{"c":[{}]}},"d":{}}"#,
        #"{"":[[],[[]]]}"#,
    ])
    func `an object is copied where it can be read, and reads the same`(_ text: String) throws {
        let copy = try JSON(copying: Array(text.utf8).span)
        #expect(try JSON(parsing: copy.text) == JSON(parsing: text))
    }

    @Test(arguments: [
        "", "1", "[]", "{", "{}x", "{}}", "{]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{a:1}"#,
        #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":[1 2]}"#, #"{"a":[1}"#, #"{"a":[1]]"#, #"{"a":01}"#,
        #"{"a":-}"#,
        #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":nul}"#, #"{"a":True}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
        #"{"a":"\ud83d"}"#, #"{"a":"\ude00"}"#, "{\"a\":\"\u{1}\"}", #"{"a":"#, #"{"a":"\"#, #"{"a" "b"}"#,
        #"{"a"::1}"#, #"{"a":1 "b":2}"#, #"{1:2}"#, #"{"a":1:2}"#,
    ])
    func `an object is not copied where it cannot be read`(_ text: String) {
        #expect(throws: JSON.ParseError.self) { try JSON(copying: Array(text.utf8).span) }
        if text.first == "{" { #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) } }
    }

    @Test func `an object that is no UTF-8, or too deep, is not copied`() throws {
        let broken = Array(#"{"a":""#.utf8) + [0xff] + Array(#""}"#.utf8)
        #expect(throws: JSON.ParseError.self) { try JSON(copying: broken.span) }
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (#"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}")
                    .utf8)
        }
        _ = try JSON(copying: nested(JSON.maximumDepth - 1).span)
        #expect(throws: JSON.ParseError.self) { try JSON(copying: nested(JSON.maximumDepth).span) }
    }

    @Test func `what is passed on costs a steady amount for each byte`() throws {
        let ratio = try WorkRatio(from: 10_000, to: 160_000) { size in
            let text = #"{"a":["# + String(repeating: "[[1]],", count: size / 6) + "[]]}"
            _ = try JSON(copying: Array(text.utf8).span)
        }
        #expect(ratio.value < 80, "\(ratio.value)")
    }

    @Test func `what is read costs a steady amount for each byte`() throws {
        for piece in ["[[1]],", #"{"a":1},"#, #""abc\n","#, "1.25,"] {
            let ratio = try WorkRatio(from: 10_000, to: 160_000) { size in
                let text = "[" + String(repeating: piece, count: size / piece.utf8.count) + "0]"
                _ = try JSON(parsing: text)
            }
            #expect(ratio.value < 80, "\(piece) \(ratio.value)")
        }
        let keys = try WorkRatio(from: 1000, to: 16_000) { size in
            let text = "{" + (0..<size).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
            _ = try JSON(parsing: text)
        }
        #expect(keys.value < 80, "keys \(keys.value)")
    }

    @Test func `half a message takes no more memory than it is long, and gives it back`() {
        var reader = FrameReader(limit: 1 << 20)
        let chunk = [UInt8](repeating: 1, count: 64 << 10)
        for _ in 0..<15 { _ = reader.receive(chunk.span) { $0.count } }
        #expect(reader.partial.count == 15 * chunk.count && reader.partial.capacity <= (1 << 20) + 4096)
        let end: [UInt8] = [0]
        let outcome = reader.receive(end.span) { $0.count }
        #expect(outcome.messages == [15 * chunk.count])
        #expect(reader.partial.capacity == 0)
    }
}
