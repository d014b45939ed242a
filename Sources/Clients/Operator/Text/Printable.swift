extension String {
    /// The text as it may go to a terminal: one line, with everything that could steer the terminal spelled out.
    ///
    /// Control characters (C0, DEL, C1) become `\x1b` and the like, as systemd's cescape has them; line separators and the
    /// marks that turn the direction of writing become `\u{202e}`.
    package var printable: String { spelled(keepsLines: false) }

    /// The same for text of many lines: line feeds and tabs stay.
    package var printableLines: String { spelled(keepsLines: true) }

    /// Whether the text is ``printable`` as it is; false as well where only a closer look could tell.
    var isPrintable: Bool { isPlain { _ in false } }

    /// Whether it has nothing but printable ASCII, and bytes that are kept.
    private func isPlain(but isKept: (UInt32) -> Bool) -> Bool {
        let bytes = utf8Span.span
        var isPlain = true
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] >= 0x7f {
            isPlain = isPlain && isKept(UInt32(bytes[index]))
        }
        return isPlain
    }

    private func spelled(keepsLines: Bool) -> String {
        func isKept(_ value: UInt32) -> Bool { keepsLines && (value == 0x0a || value == 0x09) }
        // Nearly all text is harmless, and is handed back as it is.
        if isPlain(but: isKept) { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.steersTerminal, !isKept(scalar.value) {
                text += scalar.spelling
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// How many columns of a terminal the text takes; what ``printable`` leaves in it, that is.
    ///
    /// East Asian wide characters and emoji take two, combining marks none; close enough to wcwidth(3) for a table.
    package var columns: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    /// The text cut to `limit` columns, with an ellipsis in the place of what is missing.
    package func ellipsized(to limit: Int, unicode: Bool = true) -> String {
        guard columns > limit else { return self }
        let ellipsis = unicode ? "…" : "..."
        var left = limit - ellipsis.columns
        guard left > 0 else { return String(ellipsis.prefix(max(limit, 0))) }
        var text = ""
        for character in self {
            left -= String(character).columns
            if left < 0 { break }
            text.append(character)
        }
        return text + ellipsis
    }
}

extension Unicode.Scalar {
    /// Whether a terminal does something else with it than show it.
    package var steersTerminal: Bool {
        switch value {
        case 0..<0x20, 0x7f..<0xa0: true
        // Line and paragraph separators, the direction marks, and the mark of byte order.
        case 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }

    package var spelling: String {
        switch value {
        case 0x0a: "\\n"
        case 0x0d: "\\r"
        case 0x09: "\\t"
        case 0..<0x100: (value < 0x10 ? "\\x0" : "\\x") + String(value, radix: 16)
        default: "\\u{" + String(value, radix: 16) + "}"
        }
    }

    fileprivate var columns: Int {
        switch value {
        case 0x300..<0x370, 0x1ab0..<0x1b00, 0x200b...0x200d, 0x20d0..<0x2100, 0xfe00...0xfe0f: 0
        case 0x1100..<0x1160, 0x2e80..<0xa4d0, 0xac00..<0xd7a4, 0xf900..<0xfb00, 0xfe30..<0xfe70,
            0xff00..<0xff61,
            0xffe0..<0xffe7, 0x1f300..<0x1f650, 0x1f680..<0x1f700, 0x1f900..<0x1fa00, 0x20000..<0x3fffe:
            2
        default: 1
        }
    }
}
