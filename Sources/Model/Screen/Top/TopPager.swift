/// A text in the place of the list, of which a part is shown.
package struct TopPager: Hashable, Sendable {
    package let title: String
    private let lines: [String]
    /// The first line that is shown, of those that ``wrapped(to:)`` has.
    private(set) var offset = 0

    /// How many lines are kept, the last ones.
    private static let most = 2000

    package init(title: String, lines: [String], atEnd: Bool = false) {
        self.title = title
        self.lines = lines.suffix(Self.most).map { $0 }
        if atEnd { offset = .max / 2 }
    }

    /// The lines, none wider than `width`.
    func wrapped(to width: Int) -> [String] { lines.flatMap { Self.wrapped($0, to: width) } }

    /// `text` in lines that are no wider than `width`, broken at blanks where there are any.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        let width = max(width, 1)
        guard text.cells > width else { return [text] }
        var lines: [String] = []
        var line = ""
        var used = 0
        /// Behind which a line may end, in the scalars of the line.
        var blank: Int?
        for scalar in text.unicodeScalars {
            let columns = scalar.shown(isUnicode: true).columns
            if used + columns > width, used > 0 {
                var rest = ""
                if let blank, scalar != " " {
                    rest = String(String.UnicodeScalarView(line.unicodeScalars.dropFirst(blank + 1)))
                    line = String(String.UnicodeScalarView(line.unicodeScalars.prefix(blank)))
                }
                lines.append(line)
                line = rest
                used = rest.cells
                blank = nil
                if scalar == " " { continue }
            }
            if scalar == " ", used > 0 { blank = line.unicodeScalars.count }
            line.unicodeScalars.append(scalar)
            used += columns
        }
        lines.append(line)
        return lines
    }

    /// Moves by lines, within what there is.
    mutating func move(by count: Int, height: Int, of total: Int) {
        let last = max(total - height, 0)
        let (sum, overflow) = min(offset, last).addingReportingOverflow(count)
        offset = min(max(overflow ? (count > 0 ? last : 0) : sum, 0), last)
    }
}
