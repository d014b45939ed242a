internal import Lifecycle
package import Picture

/// What `torpor timeline` shows in a terminal: a line of blocks for each worker.
package struct TimelineView {
    private let timeline: Timeline

    /// A view of `timeline`.
    package init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// The width where lines may be of any length.
    private static let usualWidth = 100

    /// All of it, as lines no wider than the terminal.
    package func rendered(_ style: Style) -> String {
        let width = max(style.width ?? Self.usualWidth, 12)
        let widest = timeline.lanes.reduce(6) { max($0, $1.name.printable.columns) }
        let gutter = min(widest, max(width / 3, 4))
        let columns = max(width - gutter - 2, 4)
        let cells = TimelineCells(timeline, columns: columns)
        let blank = String(repeating: " ", count: gutter + 1)
        var text = ""
        if style.hasLegend {
            text += style.paint(
                timeline.title.printable.ellipsized(to: width, unicode: style.isUnicode), .strong)
            text += "\n" + blank + style.paint(axis(columns), .faint) + "\n"
        }
        if cells.pressure.contains(where: { $0 != nil }) {
            text += padded("memory", gutter, style) + " " + memory(cells.pressure, style) + "\n"
        }
        for (lane, row) in zip(timeline.lanes, cells.lanes) {
            text += style.paint(padded(lane.name.printable, gutter, style), .strong) + " "
            text += line(row, style) + "\n"
        }
        if timeline.lanes.isEmpty { text += "No entries in this time.\n" }
        if style.hasLegend, !timeline.lanes.isEmpty { text += "\n" + legend(style, width) }
        return text
    }

    private func padded(_ name: String, _ width: Int, _ style: Style) -> String {
        let name = name.ellipsized(to: width, unicode: style.isUnicode)
        return String(repeating: " ", count: max(width - name.columns, 0)) + name
    }

    /// The times at which columns begin, as many as there is space for.
    private func axis(_ columns: Int) -> String {
        var line = [Character](repeating: " ", count: columns)
        var free = 0
        let span = Double(timeline.end - timeline.start)
        for tick in Axis(
            from: timeline.start, to: timeline.end, most: max(columns / 11, 2), timeline.calendar
        ).ticks {
            let at = Int(Double(tick.at - timeline.start) / span * Double(columns))
            guard at >= free, at + tick.label.count < columns else { continue }
            for (offset, character) in ("|" + tick.label).enumerated() where at + offset < columns {
                line[at + offset] = character
            }
            free = at + tick.label.count + 2
        }
        return String(line)
    }

    private func memory(_ pressure: [Timeline.Shortage?], _ style: Style) -> String {
        painted(pressure) { level in
            switch level {
            case nil: (" ", nil)
            case .warning: (style.isUnicode ? "▂" : "~", .attention)
            case .critical: (style.isUnicode ? "▆" : "!", .bad)
            }
        } in: {
            style.paint($0, $1)
        }
    }

    private func line(_ cells: [TimelineCells.Cell], _ style: Style) -> String {
        painted(cells) { cell in
            if let mark = cell.mark, mark != .supervisor { return (mark.letter, mark.tint) }
            return cell.state.map { (style.isUnicode ? $0.block : $0.character, $0.tint) } ?? (" ", nil)
        } in: {
            style.paint($0, $1)
        }
    }

    /// Runs of one colour are painted together.
    private func painted<Cell>(
        _ cells: [Cell], as look: (Cell) -> (String, Tint?), in paint: (String, Tint?) -> String
    ) -> String {
        var text = ""
        var run = ""
        var tint: Tint?
        for cell in cells {
            let (shown, next) = look(cell)
            if next != tint {
                text += paint(run, tint)
                (run, tint) = ("", next)
            }
            run += shown
        }
        return text + paint(run, tint)
    }

    private func legend(_ style: Style, _ width: Int) -> String {
        let states: [State] = [.active, .inactive, .background, .suspended, .notRunning]
        let entries =
            states.map { state in
                (
                    style.isUnicode ? state.block : state.character, state.tint,
                    state == .notRunning ? "not running" : state.rawValue
                )
            }
            + [Timeline.MarkKind.launch, .wake, .warning, .eviction, .crash].map { kind in
                (kind.letter, kind.tint, kind == .crash ? "failure" : kind.rawValue)
            }
        var text = ""
        var used = 0
        for (sign, tint, words) in entries {
            let length = words.utf8.count + 2
            if used > 0, used + 2 + length > width {
                text += "\n"
                used = 0
            }
            text += (used > 0 ? "  " : "") + style.paint(sign, tint) + " " + words
            used += length + (used > 0 ? 2 : 0)
        }
        return text + "\n"
    }
}

extension State {
    /// In blocks: the more it does, the fuller.
    fileprivate var block: String {
        switch self {
        case .active: "█"
        case .inactive: "▒"
        case .background: "▓"
        case .suspended: "░"
        case .notRunning: "·"
        }
    }

    fileprivate var character: String {
        switch self {
        case .active: "#"
        case .inactive: "-"
        case .background: "="
        case .suspended: "."
        case .notRunning: "_"
        }
    }

    fileprivate var tint: Tint? {
        switch self {
        case .active: .good
        case .inactive: .attention
        case .background: nil
        case .suspended: .asleep
        case .notRunning: .faint
        }
    }
}

extension Timeline.MarkKind {
    fileprivate var letter: String {
        switch self {
        case .crash: "X"
        case .eviction: "E"
        case .warning: "!"
        case .wake: "w"
        case .launch: "L"
        case .supervisor: "|"
        }
    }

    fileprivate var tint: Tint? {
        switch self {
        case .crash, .eviction: .bad
        case .warning: .attention
        case .wake, .launch: .good
        case .supervisor: .faint
        }
    }
}
