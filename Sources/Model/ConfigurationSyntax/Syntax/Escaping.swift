/// Any text as part of a name, and back, as systemd-escape(1) does it.
package enum Escaping {
    /// Makes `text` fit for a name: `/` becomes `-`, what a name cannot hold becomes `\xNN`.
    package static func escape(_ text: String) -> String {
        var result: [UInt8] = []
        for (index, byte) in text.utf8.enumerated() {
            if byte == UInt8(ascii: "/") {
                result.append(.dash)
            } else if byte.isWord || byte == UInt8(ascii: ":") || (byte == .dot && index > 0) {
                result.append(byte)
            } else {
                result += hexadecimal(byte)
            }
        }
        return String(cut: result)
    }

    /// The text that `name` was made of.
    package static func unescape(_ name: String) throws(ValueError) -> String {
        var cursor = ByteCursor(name)
        var result: [UInt8] = []
        while let byte = cursor.next() {
            switch byte {
            case .dash: result.append(UInt8(ascii: "/"))
            case .backslash:
                guard cursor.take("x"), let high = cursor.next()?.digitValue,
                    let low = cursor.next()?.digitValue,
                    high + low > 0
                else {
                    throw ValueError(
                        name, isNot: "text in which every backslash begins an escape such as \\x2d")
                }
                result.append(UInt8(high * 16 + low))
            default: result.append(byte)
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else {
            throw ValueError("\(name.quoted) unescapes to invalid UTF-8", expected: "text in UTF-8")
        }
        return text
    }

    /// Makes the absolute path `path` fit for a name: as `escape`, without slashes at the ends; the root becomes `-`.
    package static func escape(path: String) throws(ValueError) -> String {
        let path = try AbsolutePath(parsing: path).text
        return path.isExactly("/") ? "-" : escape(String(cut: path.utf8.dropFirst()))
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = String(byte, radix: 16)
        return Array(("\\x" + (digits.utf8.count == 1 ? "0" : "") + digits).utf8)
    }
}
