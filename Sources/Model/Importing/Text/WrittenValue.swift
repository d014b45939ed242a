internal import ConfigurationSyntax

/// Foreign values as a worker file has them (systemd.syntax(7), "Command lines" of systemd.service(5)).
enum WrittenValue {
    /// A command line of these arguments as they stand: nothing in them is a variable or a specifier.
    static func command(_ arguments: [String]) -> String {
        arguments.map { word($0, dollars: true) }.joined(separator: " ")
    }

    /// `NAME=VALUE` as a word of `Environment=`.
    static func variable(_ name: String, _ value: String) -> String {
        word("\(name)=\(value)", dollars: false)
    }

    /// A value that is not cut into words, such as a path.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(.percent) else { return text }
        return String(decoding: text.utf8.flatMap { $0 == .percent ? [$0, $0] : [$0] }, as: UTF8.self)
    }

    /// One word; `dollars` are doubled where variables are replaced.
    private static func word(_ text: String, dollars: Bool) -> String {
        var bytes: [UInt8] = []
        var needsQuotes = text.isEmpty
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"): bytes += [byte, byte]
            case UInt8(ascii: "$") where dollars: bytes += [byte, byte]
            case UInt8(ascii: "\\"), UInt8(ascii: "\""):
                needsQuotes = true
                bytes += [UInt8(ascii: "\\"), byte]
            case .newline:
                needsQuotes = true
                bytes += Array("\\n".utf8)
            case 0x09:
                needsQuotes = true
                bytes += Array("\\t".utf8)
            case 0..<0x20, 0x7f:
                needsQuotes = true
                let digits = Array("0123456789abcdef".utf8)
                bytes += [
                    UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)],
                ]
            default:
                if !byte.isWord, !"/-_.,:=+@%^~".utf8.contains(byte), byte < 0x80 { needsQuotes = true }
                bytes.append(byte)
            }
        }
        let result = String(decoding: bytes, as: UTF8.self)
        return needsQuotes ? "\"\(result)\"" : result
    }
}
