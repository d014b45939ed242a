import TestSupport
import Testing

@testable import Varlink

@Suite
struct `JSON is read strictly and written plainly` {
    struct Good: CustomTestStringConvertible, Sendable {
        let text: String, value: JSON
        var testDescription: String { text }
    }

    @Test(arguments: [
        Good(text: "null", value: nil),
        Good(text: " \t\r\n true ", value: true),
        Good(text: "0", value: 0),
        Good(text: "-1", value: -1),
        Good(text: "9223372036854775807", value: .int(.max)),
        Good(text: "-9223372036854775808", value: .int(.min)),
        Good(text: "9223372036854775808", value: .double(9_223_372_036_854_775_808)),
        Good(text: "-0", value: .double(-0.0)),
        Good(text: "1.5", value: 1.5),
        Good(text: "1e2", value: 100.0),
        Good(text: "1E-2", value: 0.01),
        Good(text: "-2.5e+1", value: -25.0),
        Good(text: #""""#, value: ""),
        Good(text: #""a\"\\\/\b\f\n\r\t\u0041""#, value: "a\"\\/\u{8}\u{c}\n\r\tA"),
        Good(text: #""\u0000""#, value: "\0"),
        Good(text: #""\ud83d\ude00 \uD83D\uDE00""#, value: "😀 😀"),
        Good(text: "\"ä€😀\u{7f}\"", value: "ä€😀\u{7f}"),
        Good(text: "[]", value: []),
        Good(text: "[ 1 , [2], {} ]", value: [1, [2], [:]]),
        Good(text: #"{"a":{"b":[null]},"":false}"#, value: ["a": ["b": [nil]], "": false]),
    ])
    func `what RFC 8259 allows is read`(_ row: Good) throws {
        #expect(try JSON(parsing: row.text) == row.value)
        #expect(try JSON(parsing: row.value.text) == row.value)
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        let text: String, reason: JSON.ParseError.Reason
        var testDescription: String { "\(text): \(reason)" }
    }

    @Test(arguments: [
        Bad(text: "", reason: .unexpectedEnd), Bad(text: "  ", reason: .unexpectedEnd),
        Bad(text: "nul", reason: .unexpectedEnd), Bad(text: "nulL", reason: .unexpectedByte),
        Bad(text: "True", reason: .unexpectedByte), Bad(text: "NaN", reason: .unexpectedByte),
        Bad(text: "'a'", reason: .unexpectedByte), Bad(text: "+1", reason: .unexpectedByte),
        Bad(text: "01", reason: .badNumber), Bad(text: "-", reason: .badNumber),
        Bad(text: "-a", reason: .badNumber), Bad(text: "1.", reason: .badNumber),
        Bad(text: ".5", reason: .unexpectedByte), Bad(text: "1e", reason: .badNumber),
        Bad(text: "1e+", reason: .badNumber), Bad(text: "1e999", reason: .badNumber),
        Bad(text: "0x10", reason: .trailingGarbage), Bad(text: "1 2", reason: .trailingGarbage),
        Bad(text: "{}x", reason: .trailingGarbage), Bad(text: "[1],", reason: .trailingGarbage),
        Bad(text: "[1,]", reason: .unexpectedByte), Bad(text: "[,1]", reason: .unexpectedByte),
        Bad(text: "[1 2]", reason: .unexpectedByte), Bad(text: "[1", reason: .unexpectedEnd),
        Bad(text: "[1}", reason: .unexpectedByte), Bad(text: "{", reason: .unexpectedEnd),
        Bad(text: #"{"a"}"#, reason: .unexpectedByte), Bad(text: #"{"a":}"#, reason: .unexpectedByte),
        Bad(text: #"{"a":1,}"#, reason: .unexpectedByte), Bad(text: "{a:1}", reason: .unexpectedByte),
        Bad(text: "{1:1}", reason: .unexpectedByte), Bad(text: "/* */ 1", reason: .unexpectedByte),
        Bad(text: #"{"a":1,"a":2}"#, reason: .duplicateKey),
        Bad(text: #"{"a":1,"\u0061":2}"#, reason: .duplicateKey),
        Bad(text: #""abc"#, reason: .unexpectedEnd), Bad(text: #""abc\"#, reason: .unexpectedEnd),
        Bad(text: #""\x41""#, reason: .badEscape), Bad(text: #""\u00g0""#, reason: .badEscape),
        Bad(text: #""\u00"#, reason: .unexpectedEnd), Bad(text: "\"a\nb\"", reason: .controlCharacter),
        Bad(text: "\"\\n\u{1}\"", reason: .controlCharacter), Bad(text: "\"\0\"", reason: .controlCharacter),
        Bad(text: #""\ud83d""#, reason: .loneSurrogate), Bad(text: #""\ude00""#, reason: .loneSurrogate),
        Bad(text: #""\ud83d\u0041""#, reason: .loneSurrogate),
        Bad(text: #""\ud83dx""#, reason: .loneSurrogate),
        Bad(text: "\u{feff}1", reason: .unexpectedByte),
    ])
    func `everything else is refused with its reason`(_ row: Bad) {
        #expect { try JSON(parsing: row.text) } throws: { ($0 as? JSON.ParseError)?.reason == row.reason }
    }

    @Test(
        arguments: [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
            [0x22, 0x5c, 0x6e, 0xf5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22],
        ] as [[UInt8]])
    func `text that is not UTF-8 is refused`(_ bytes: [UInt8]) {
        #expect { try JSON(parsing: bytes.span) } throws: {
            ($0 as? JSON.ParseError)?.reason == .invalidUTF8
        }
    }

    @Test func `64 containers inside each other are allowed and 65 are not`() throws {
        let deep = { (count: Int) in
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        _ = try JSON(parsing: deep(JSON.maximumDepth))
        #expect { try JSON(parsing: deep(65)) } throws: { ($0 as? JSON.ParseError)?.reason == .tooDeep }
        #expect { try JSON(parsing: String(repeating: #"{"a":"#, count: 100_000)) } throws: {
            ($0 as? JSON.ParseError)?.reason == .tooDeep
        }
    }

    @Test func `a doubled key is noticed in a big object too`() throws {
        let keys = (0..<1000).map { #""key\#($0)":\#($0)"# }.joined(separator: ",")
        let big = try JSON(parsing: "{\(keys)}")
        #expect(big.object?.members.count == 1000)
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: #"{\#(keys),"key7":0}"#) }
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: #"{\#(keys),"key999":0}"#) }
    }

    @Test(arguments: 0..<50) func `random values survive the way through text`(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = JSON.random(using: &random)
        let text = value.text
        #expect(!text.utf8.contains(0))
        #expect(try JSON(parsing: text) == value)
    }

    @Test(arguments: 0..<200) func `damaged text is refused or read, never worse`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes = Array(JSON.random(using: &random).text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes.insert(.random(in: 0...255, using: &random), at: index)
            case 1 where index < bytes.count: bytes.remove(at: index)
            default: bytes = Array(bytes[..<index])
            }
        }
        guard let value = try? JSON(parsing: bytes.span) else { return }
        #expect((try? JSON(parsing: value.text)) == value)
    }
}

extension JSON {
    /// Any value, with a taste for what is awkward.
    static func random(using random: inout SplitMix64, depth: Int = 0) -> JSON {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 6), using: &random) {
        case 0: return nil
        case 1: return .bool(.random(using: &random))
        case 2: return .int(.random(in: .min ... .max, using: &random))
        case 3: return .int(.random(in: -10...10, using: &random))
        case 4: return .double(.random(in: -1e9...1e9, using: &random) + 0.5)
        case 5: return .string(randomText(using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    .random(using: &random, depth: depth + 1)
                })
        default:
            var object = Object()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                object[randomText(using: &random)] = .random(using: &random, depth: depth + 1)
            }
            return .object(object)
        }
    }

    private static func randomText(using random: inout SplitMix64) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "\n", "\0", "\u{1f}", "/", "é", "€", "😀", "\u{7f}", "{", " ",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "x")
        }
        return text
    }
}
