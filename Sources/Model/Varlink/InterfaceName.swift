/// Which names the interface definition language allows (varlink.org, "Interface Definition", grammar).
enum InterfaceName {
    /// Reverse-domain: parts of letters, digits and inner dashes, two at least, the first begins with a letter.
    static func isInterface(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].first.map(isLetter) == true else { return false }
        return parts.allSatisfy { part in
            guard let first = part.first, let last = part.last else { return false }
            return isAlphanumeric(first) && isAlphanumeric(last)
                && part.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// Types, methods, errors: an upper-case letter, then letters and digits.
    static func isMember(_ name: String) -> Bool {
        guard let first = name.utf8.first else { return false }
        return isLetter(first) && first & 0x20 == 0 && name.utf8.allSatisfy(isAlphanumeric)
    }

    /// Fields and values: a letter, then letters and digits with single underscores between them.
    static func isField(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard name.utf8.first.map(isLetter) == true else { return false }
        return parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isAlphanumeric) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || byte &- 0x30 < 10 }
}
