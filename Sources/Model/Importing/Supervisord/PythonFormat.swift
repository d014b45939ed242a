internal import ConfigurationSyntax

/// Python's `text % names`, as far as supervisord's files use it: `%(NAME)s`, `%(NAME)d` with flags and width, and `%%`.
enum PythonFormat {
    /// `text` with the values of `names`; at most 1 MiB.
    static func expand(_ text: String, _ names: (String) -> String?) throws(ForeignTextError) -> String {
        guard text.utf8.contains(.percent) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            guard byte == .percent else {
                result.append(byte)
                continue
            }
            if position < bytes.count, bytes[position] == .percent {
                position += 1
                result.append(.percent)
                continue
            }
            result += try value(bytes, &position, names)
            guard result.count <= 1 << 20 else { throw ForeignTextError("the value exceeds 1 MiB") }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func value(
        _ bytes: [UInt8], _ position: inout Int, _ names: (String) -> String?
    ) throws(ForeignTextError) -> [UInt8] {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "("),
            let end = bytes[position...].firstIndex(of: UInt8(ascii: ")"))
        else { throw ForeignTextError("a “%” that begins no %(NAME)s; a literal one is written %%") }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        var flags: [UInt8] = []
        while position < bytes.count, "0-+ #".utf8.contains(bytes[position]) {
            flags.append(bytes[position])
            position += 1
        }
        var width = 0
        while position < bytes.count, bytes[position].isDigit, width < 1000 {
            width = width * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        guard position < bytes.count, "sdi".utf8.contains(bytes[position]) else {
            throw ForeignTextError("%(\(name)) is followed by no s or d")
        }
        let isNumber = bytes[position] != UInt8(ascii: "s")
        position += 1
        guard let value = names(name) else {
            throw ForeignTextError(
                name.hasPrefix("ENV_")
                    ? "%(\(name))s: the variable \(name.dropFirst(4)) is not set; set it for torpor import"
                    : "%(\(name))s is not known")
        }
        guard isNumber else {
            return padded(Array(value.utf8), width, left: flags.contains(.dash), with: 0x20)
        }
        guard Int(value) != nil else { throw ForeignTextError("%(\(name))d: \(value.quoted) is no number") }
        let pad = flags.contains(UInt8(ascii: "0")) && !flags.contains(.dash) ? UInt8(ascii: "0") : 0x20
        return padded(Array(value.utf8), width, left: flags.contains(.dash), with: pad)
    }

    private static func padded(_ text: [UInt8], _ width: Int, left: Bool, with pad: UInt8) -> [UInt8] {
        let filling = [UInt8](repeating: pad, count: max(0, width - text.count))
        return left ? text + filling : filling + text
    }
}
