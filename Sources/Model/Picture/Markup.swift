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
        var (one, two) = (utf8[...], other.utf8[...])
        while let left = one.first, let right = two.first {
            let (first, second) = (one.prefix(while: \.isDigit), two.prefix(while: \.isDigit))
            guard first.isEmpty || second.isEmpty else {
                let (a, b) = (first.drop { $0 == 0x30 }, second.drop { $0 == 0x30 })
                if a.count != b.count { return a.count < b.count }
                if !a.elementsEqual(b) { return a.lexicographicallyPrecedes(b) }
                (one, two) = (one.dropFirst(first.count), two.dropFirst(second.count))
                continue
            }
            if left != right { return left < right }
            (one, two) = (one.dropFirst(), two.dropFirst())
        }
        // Names that differ in zeros alone have an order too.
        return one.isEmpty && two.isEmpty ? utf8.lexicographicallyPrecedes(other.utf8) : one.isEmpty
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
