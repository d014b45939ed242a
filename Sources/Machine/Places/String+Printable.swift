extension String {
    /// The text on one line, at most `limit` bytes of it: control characters as `\xNN`, so that none reaches a terminal.
    package func printable(limit: Int) -> String {
        guard utf8.count > limit || unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                let digits = String(scalar.value, radix: 16)
                text += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
            if text.utf8.count > limit { return text.cut(to: limit - 3) + "…" }
        }
        return text
    }

    private func cut(to length: Int) -> String {
        var text = self
        while text.utf8.count > length { text.unicodeScalars.removeLast() }
        return text
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, and the signs that turn the direction of text or end its line.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7f...0x9f).contains(value) || (0x2028...0x202e).contains(value)
            || (0x2066...0x2069).contains(value)
    }
}
