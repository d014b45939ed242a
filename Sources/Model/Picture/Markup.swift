extension String {
    /// The text as the content of an element or of a quoted attribute of XML and HTML, in one line.
    ///
    /// Control characters, which XML cannot have, and those that turn the direction of writing become U+FFFD.
    package var markup: String {
        var text = ""
        text.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x26: text += "&amp;"
            case 0x3c: text += "&lt;"
            case 0x3e: text += "&gt;"
            case 0x22: text += "&quot;"
            case 0x27: text += "&#39;"
            case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff, 0xfffe,
                0xffff:
                text += "\u{fffd}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text as a string of JSON that may stand within a script of a page: nothing in it ends the script.
    var scriptString: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5c, 0x26, 0x3c, 0x3e, 0x27, 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e,
                0x2066...0x2069, 0xfeff:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// The text as an identifier of Graphviz, in quotes.
    var dotString: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x22: text += "\\\""
            case 0x5c: text += "\\\\"
            case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff:
                text += "\u{fffd}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Whether the text is listed before `other`: numbers in them count as numbers, so that `web@2` precedes `web@10`.
    package func precedes(_ other: String) -> Bool {
        let (one, two) = (utf8Span.span, other.utf8Span.span)
        var (left, right) = (0, 0)
        while left < one.count, right < two.count {
            guard one[left].isDigit, two[right].isDigit else {
                if one[left] != two[right] { return one[left] < two[right] }
                (left, right) = (left + 1, right + 1)
                continue
            }
            let (first, second) = (number(in: one, at: left), number(in: two, at: right))
            if first.count != second.count { return first.count < second.count }
            for (a, b) in zip(first, second) where one[a] != two[b] { return one[a] < two[b] }
            (left, right) = (first.upperBound, second.upperBound)
        }
        let (isOver, otherIsOver) = (left == one.count, right == two.count)
        // Names that differ in zeros alone have an order too.
        return isOver && otherIsOver ? utf8.lexicographicallyPrecedes(other.utf8) : isOver
    }

    /// Where the digits of the number at `place` are, without zeros before them.
    private func number(in text: Span<UInt8>, at place: Int) -> Range<Int> {
        var first = place
        while first < text.count, text[first] == 0x30 { first += 1 }
        var end = first
        while end < text.count, text[end].isDigit { end += 1 }
        return first..<end
    }

    /// About how wide the text is in a sans-serif font of `size`, in pixels.
    func width(size: Double) -> Double {
        unicodeScalars.reduce(0) { width, scalar in
            width
                + (scalar.value >= 0x1100
                    ? 1.0 : "ilj.,:;|'!ftr-() ".unicodeScalars.contains(scalar) ? 0.36 : 0.6) * size
        }
    }

    /// The text in lines no wider than `limit`, where its words allow that.
    func wrapped(size: Double, to limit: Double) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let last = lines.last, (last + " " + word).width(size: size) <= limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// The text cut so that it is no wider than `limit`.
    func fitted(size: Double, to limit: Double) -> String {
        guard width(size: size) > limit else { return self }
        var text = self
        while !text.isEmpty, (text + "…").width(size: size) > limit { text.removeLast() }
        return text + "…"
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension Double {
    /// The number with one digit behind the point at most.
    var px: String {
        let tenths = Int((self * 10).rounded())
        let rest = abs(tenths % 10)
        let sign = tenths < 0 && tenths > -10 ? "-" : ""
        return rest == 0 ? "\(sign)\(tenths / 10)" : "\(sign)\(tenths / 10).\(rest)"
    }
}
