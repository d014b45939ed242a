/// Base64 of RFC 4648, with padding.
package enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The value of each byte as a letter; 255 is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// The text of `bytes`.
    package static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` stands for; nil where it is not base64.
    package static func bytes(of text: String) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count / 4 * 3)
        for start in stride(from: 0, to: letters.count, by: 4) {
            var part = letters[start..<start + 4]
            // Padding stands at the very end alone.
            let isLast = start + 4 == letters.count
            while isLast, part.count > 2, part.last == UInt8(ascii: "=") { part.removeLast() }
            var bits = 0
            for letter in part {
                let value = values[Int(letter)]
                guard value < 64 else { return nil }
                bits = bits << 6 | Int(value)
            }
            bits <<= 6 * (4 - part.count)
            for place in 0..<part.count - 1 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * place)))
            }
        }
        return bytes
    }
}
