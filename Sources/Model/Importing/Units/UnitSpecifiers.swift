internal import ConfigurationSyntax

/// Specifiers of systemd.unit(5) as a worker file has them.
struct UnitSpecifiers {
    let unit: UnitName
    /// Whether the units are those of the system's manager; else a user's.
    let isSystem: Bool

    private var isOwnName: Bool { unit.type == ".socket" && !unit.isParametric }

    /// `text` with the specifiers of a worker file; a specifier without a counterpart is an error.
    func translate(_ text: String, inCommand: Bool) throws(ForeignTextError) -> String {
        guard text.utf8.contains(.percent) else { return text }
        var result: [UInt8] = []
        var isOpen = false
        for byte in text.utf8 {
            if isOpen {
                isOpen = false
                result += try spelling(of: byte, inCommand).utf8
            } else if byte == .percent {
                isOpen = true
            } else {
                result.append(byte)
            }
        }
        guard !isOpen else { throw ForeignTextError("a “%” at the end") }
        return String(decoding: result, as: UTF8.self)
    }

    private func spelling(of letter: UInt8, _ inCommand: Bool) throws(ForeignTextError) -> String {
        let same = "%" + String(decoding: [letter], as: UTF8.self)
        switch Character(Unicode.Scalar(letter)) {
        case "n": return unit.isParametric ? "%p@%i\(unit.type)" : unit.text
        // The worker has the name of the service, and a socket unit may have another.
        case "N" where isOwnName, "p" where isOwnName, "P" where isOwnName:
            return unit.stem.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
        case "N": return "%n"
        case "h": return isSystem ? "/root" : same
        case "u": return isSystem ? "root" : inCommand ? "${USER}" : same
        case "g": return isSystem ? "root" : same
        case "U", "G": return isSystem ? "0" : same
        case "i", "I", "p", "P", "j", "J", "f", "t", "S", "C", "L", "E", "T", "V", "H", "l", "m", "b", "v",
            "a", "s", "%":
            return same
        default: throw ForeignTextError("the specifier \(same) has no counterpart")
        }
    }
}
