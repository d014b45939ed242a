/// How text is made for the place it goes to.
package struct Style: Sendable {
    /// The terminal's width in columns; nil where lines may be of any length.
    package var width: Int?
    /// Whether colours are wanted (NO_COLOR, no-color.org, and a non-tty say no).
    package var isColoured: Bool
    /// Whether more than ASCII can be shown.
    package var isUnicode: Bool
    /// Whether tables get their header and footer (`--no-legend` and `-q` say no).
    package var hasLegend: Bool
    /// What users are called.
    package var users: UserNames

    /// A style; without arguments that of a pipe.
    package init(
        width: Int? = nil, isColoured: Bool = false, isUnicode: Bool = true, hasLegend: Bool = true,
        users: UserNames = .none
    ) {
        self.width = width
        self.isColoured = isColoured
        self.isUnicode = isUnicode
        self.hasLegend = hasLegend
        self.users = users
    }

    /// What stands before a worker's name, as systemctl has it.
    package var dot: String { isUnicode ? "●" : "*" }
    /// From here to there.
    package var arrow: String { isUnicode ? "→" : "->" }

    /// `text` in the colour of `tint`, where there are colours.
    package func paint(_ text: String, _ tint: Tint?) -> String {
        guard isColoured, let tint, !text.isEmpty else { return text }
        return tint.rawValue + text + "\u{1b}[0m"
    }
}

/// The few colours that mean something, as ANSI's select graphic rendition.
package enum Tint: String {
    case good = "\u{1b}[0;1;32m"
    case bad = "\u{1b}[0;1;31m"
    case attention = "\u{1b}[0;1;33m"
    case asleep = "\u{1b}[0;34m"
    case faint = "\u{1b}[0;90m"
    case header = "\u{1b}[0;4m"
    case strong = "\u{1b}[0;1m"
}
