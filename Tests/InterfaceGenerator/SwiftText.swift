/// Swift source as it comes to be, line by line, in the format of `swift format`.
struct SwiftText {
    /// How many columns a line has at most.
    private static let width = 110

    private(set) var text = ""
    private var depth = 0

    private var indentation: String { String(repeating: "    ", count: depth) }

    mutating func line(_ line: String = "") {
        text += line.isEmpty ? "\n" : "\(indentation)\(line)\n"
    }

    /// Whether `line` is short enough to be one.
    func fits(_ line: String) -> Bool { depth * 4 + line.count <= Self.width }

    /// `opening {`, what `body` writes, and `}`.
    mutating func block<Failure: Error>(
        _ opening: String, _ body: (inout SwiftText) throws(Failure) -> Void
    ) throws(Failure) {
        line(opening + " {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }

    /// The lines of a body whose opening brace is written, and the closing one.
    mutating func body(_ lines: [String]) {
        depth += 1
        for text in lines { line(text) }
        depth -= 1
        line("}")
    }

    /// `opening`, the items with commas between them, and `closing`: in one line where they fit, else the items in lines of
    /// their own.
    mutating func list(
        _ opening: String, _ items: [String], _ closing: String, endsWithComma: Bool = false
    ) {
        let whole = opening + items.joined(separator: ", ") + closing
        guard !fits(whole) else { return line(whole) }
        let last = items.indices.last
        line(opening)
        depth += 1
        fill(items.enumerated().map { $0 == last && !endsWithComma ? $1 : $1 + "," })
        depth -= 1
        line(closing)
    }

    /// A documentation comment: the first sentence, then a paragraph of the others.
    mutating func documentation(_ comment: String) {
        let words = comment.split(whereSeparator: \.isWhitespace).map(String.init)
        let summary = words.firstIndex { $0.hasSuffix(".") }.map { $0 + 1 } ?? words.count
        fill(words[..<summary], prefix: "///")
        guard summary < words.count else { return }
        line("///")
        fill(words[summary...], prefix: "///")
    }

    /// As many words in a line as fit.
    private mutating func fill(_ words: some Sequence<String>, prefix: String = "") {
        var row = prefix
        for word in words {
            let longer = row.isEmpty ? word : "\(row) \(word)"
            if row != prefix, !fits(longer) {
                line(row)
                row = prefix.isEmpty ? word : "\(prefix) \(word)"
            } else {
                row = longer
            }
        }
        line(row)
    }
}
