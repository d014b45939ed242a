@testable import Varlink

/// Shorthands for what goes over the wire, with its NUL written as `|`.
enum Wire {
    static func bytes(_ text: String) -> [UInt8] { text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 } }
    static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { $0 == 0 ? UInt8(ascii: "|") : $0 }, as: UTF8.self)
    }
}

extension ServerConnection {
    static let slow = MethodError("test.SlowReader")

    init(limits: Limits = Limits()) { self.init(limits: limits, slowReader: Self.slow) }

    mutating func receive(_ text: String) -> [Call] {
        let bytes = Wire.bytes(text)
        return receive(bytes.span)
    }

    mutating func output() -> String { Wire.text(takeOutput()) }
}

extension ClientConnection {
    mutating func receive(_ text: String) -> [Event] {
        let bytes = Wire.bytes(text)
        return receive(bytes.span)
    }

    mutating func output() -> String { Wire.text(takeOutput()) }
}
