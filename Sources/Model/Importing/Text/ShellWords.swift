internal import ConfigurationSyntax

/// Cuts a text into words as a shell does, without replacing anything: the rules of Python's shlex, which supervisord and honcho use.
enum ShellWords {
    /// Which of shlex's ways.
    enum Manner {
        /// `shlex.split`: quotes and backslashes group, blanks divide.
        case split
        /// `shlex.shlex(posix=True)`: the same, a `#` begins a comment, and any sign but a letter, digit or `_` is a token of its own.
        case tokens
        /// `shlex.shlex()` with supervisord's letters: quotes stay in the tokens, and there are no backslashes.
        case supervisord
    }

    /// The words of `text`.
    static func split(_ text: String, _ manner: Manner = .split) throws(ForeignTextError) -> [String] {
        var reader = Reader(bytes: Array(text.utf8), manner: manner)
        var words: [String] = []
        while let word = try reader.next() { words.append(word) }
        return words
    }

    private struct Reader {
        let bytes: [UInt8]
        let manner: Manner
        var position = 0

        private var isPOSIX: Bool { manner != .supervisord }

        private func isLetter(_ byte: UInt8) -> Bool {
            if byte.isWord || byte >= 0x80 { return true }
            return manner == .supervisord && "/.+-():".utf8.contains(byte)
        }

        private func isQuote(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
        }

        mutating func next() throws(ForeignTextError) -> String? {
            while position < bytes.count {
                let byte = bytes[position]
                if byte.isBlank {
                    position += 1
                } else if byte == UInt8(ascii: "#"), manner != .split {
                    skipComment()
                } else {
                    return try word()
                }
            }
            return nil
        }

        private mutating func skipComment() {
            while position < bytes.count, bytes[position] != .newline { position += 1 }
        }

        private mutating func word() throws(ForeignTextError) -> String {
            var word: [UInt8] = []
            let first = bytes[position]
            if !isPOSIX, isQuote(first) {
                try quoted(&word, keepingQuotes: true)
                return String(decoding: word, as: UTF8.self)
            }
            if manner != .split, !isLetter(first), !isQuote(first), !(isPOSIX && first == UInt8(ascii: "\\"))
            {
                position += 1
                return String(decoding: [first], as: UTF8.self)
            }
            while position < bytes.count {
                let byte = bytes[position]
                if byte.isBlank { break }
                if byte == UInt8(ascii: "#"), manner != .split {
                    skipComment()
                    if isPOSIX { break }
                    continue
                }
                if isPOSIX, isQuote(byte) {
                    try quoted(&word, keepingQuotes: false)
                } else if isPOSIX, byte == UInt8(ascii: "\\") {
                    guard position + 1 < bytes.count else {
                        throw ForeignTextError("a backslash at the end of \(quote)")
                    }
                    // A whole character, whatever its length.
                    word.append(bytes[position + 1])
                    position += 2
                } else if manner == .split || isLetter(byte) || isQuote(byte) {
                    word.append(byte)
                    position += 1
                } else {
                    break
                }
            }
            return String(decoding: word, as: UTF8.self)
        }

        private var quote: String { String(decoding: bytes, as: UTF8.self).quoted }

        private mutating func quoted(_ word: inout [UInt8], keepingQuotes: Bool) throws(ForeignTextError) {
            let mark = bytes[position]
            if keepingQuotes { word.append(mark) }
            position += 1
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == mark {
                    if keepingQuotes { word.append(mark) }
                    return
                }
                if !keepingQuotes, mark == UInt8(ascii: "\""), byte == UInt8(ascii: "\\"),
                    position < bytes.count
                {
                    let escaped = bytes[position]
                    position += 1
                    if escaped != mark, escaped != UInt8(ascii: "\\") { word.append(byte) }
                    word.append(escaped)
                } else {
                    word.append(byte)
                }
            }
            throw ForeignTextError("an unterminated quote in \(quote)")
        }
    }
}
