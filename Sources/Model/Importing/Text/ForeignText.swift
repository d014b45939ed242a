internal import ConfigurationSyntax

/// What the formats have in common.
enum ForeignText {
    /// The text of `bytes` without a byte order mark, with LF at the ends of its lines; nil for a NUL byte and invalid UTF-8.
    static func decoded(_ bytes: [UInt8]) -> String? {
        guard !bytes.contains(0) else { return nil }
        let body = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        guard body.contains(0x0d) else { return String(validating: body, as: UTF8.self) }
        var unified: [UInt8] = []
        unified.reserveCapacity(body.count)
        var afterReturn = false
        for byte in body {
            if byte == 0x0d {
                unified.append(.newline)
            } else if !(byte == .newline && afterReturn) {
                unified.append(byte)
            }
            afterReturn = byte == 0x0d
        }
        return String(validating: unified, as: UTF8.self)
    }

    /// The lines of a text, empty ones too.
    static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: .newline, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The directory of a path, and the name in it.
    static func split(_ path: String) -> (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let directory = path.utf8[..<slash]
        return (
            directory.isEmpty ? "/" : String(decoding: directory, as: UTF8.self),
            String(decoding: path.utf8[path.utf8.index(after: slash)...], as: UTF8.self)
        )
    }

    /// `path` as seen from `directory`, in its simplest form.
    static func path(_ path: String, in directory: String) -> String {
        let whole = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        var parts: [String] = []
        for part in whole.utf8.split(separator: UInt8(ascii: "/")) {
            switch String(decoding: part, as: UTF8.self) {
            case ".": continue
            case "..": _ = parts.popLast()
            case let name: parts.append(name)
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// What becomes of the environment that another supervisor passes on.
    static func inheritance(_ supervisor: String) -> String {
        "\(supervisor) passes its own environment on; a worker has PATH, LANG and what Environment= and PassEnvironment= name"
    }

    /// An integer as Python's int() and most formats read it.
    static func integer(_ text: String) -> Int? { Int(text.trimmed) }
}
