internal import ControlAPI

/// What is shown.
extension TopScreen {
    /// How many lines are above the rows: what all have together, and the titles, as far as there is room.
    private var headHeight: Int { rows >= 10 ? 4 : rows >= 7 ? 3 : rows >= 5 ? 2 : rows >= 3 ? 1 : 0 }

    /// How many rows have room.
    var listHeight: Int { max(rows - headHeight - 1, 0) }

    /// The screen as it is at `now`.
    package mutating func drawn(at now: Int64) -> Grid {
        let now = now.bounded
        settle(at: now)
        if let message, message.until <= now { self.message = nil }
        var grid = Grid(columns: columns, rows: rows)
        if case .paging(var pager) = mode {
            draw(&pager, into: &grid)
            mode = .paging(pager)
            return grid
        }
        drawHead(into: &grid, now)
        drawRows(into: &grid, now)
        drawFoot(into: &grid)
        return grid
    }

    private var separator: String { isUnicode ? " · " : "; " }

    @discardableResult
    private func put(
        _ text: String, _ grid: inout Grid, at column: Int = 0, _ row: Int, _ ink: Ink = .plain
    ) -> Int {
        grid.put(text, at: column, row, ink, isUnicode: isUnicode)
    }

    // MARK: the head

    private func drawHead(into grid: inout Grid, _ now: Int64) {
        guard headHeight > 0 else { return }
        drawSummary(into: &grid, now)
        if headHeight > 2 { drawMachine(into: &grid) }
        if headHeight > 3 { drawView(into: &grid) }
        guard headHeight > 1 else { return }
        drawTitles(into: &grid, headHeight - 1)
    }

    private func drawSummary(into grid: inout Grid, _ now: Int64) {
        if let absence {
            let gone = "no supervisor for \(TopWords.span(now - absence.since))"
            let text =
                isSilent
                ? "the supervisor has not answered for \(TopWords.span(now - absence.since))"
                : columns < 50 ? gone : "\(gone), trying again: \(absence.why)"
            put(text, &grid, 0, .bad)
            return
        }
        var end = put(TopWords.number(workers.count, "worker"), &grid, 0, .bold)
        let states: [(API.State, String)] = [
            (.active, "active"), (.inactive, "inactive"), (.background, "background"),
            (.suspended, "suspended"), (.notRunning, "not running"),
        ]
        var parts = states.compactMap { state, word in
            totals.states[state].flatMap { $0 > 0 ? "\($0) \(word)" : nil }
        }
        if totals.failed > 0 { parts.append("\(totals.failed) failed") }
        guard !parts.isEmpty else { return }
        end = put(": ", &grid, at: end, 0)
        for (index, part) in parts.enumerated() {
            if index > 0 { end = put(", ", &grid, at: end, 0) }
            end = put(part, &grid, at: end, 0, part.hasSuffix("failed") ? .bad : .plain)
        }
        if columns - end > origin.cells + 3 {
            grid.put(origin, endingAt: columns, 0, limit: columns, .faint, isUnicode: isUnicode)
        }
    }

    private func drawMachine(into grid: inout Grid) {
        var end = put("\(TopWords.size(totals.memory)) held", &grid, 1)
        end = put(", \(TopWords.size(totals.givenBack)) given back", &grid, at: end, 1)
        end = put("\(separator)CPU \(TopWords.percent(totals.cpu))%", &grid, at: end, 1)
        if let pressure {
            end = put("\(separator)pressure ", &grid, at: end, 1)
            let ink: Ink =
                switch pressure.level {
                case .normal: .plain
                case .warning: .attention
                case .critical: .bad
                }
            end = put(pressure.level.rawValue, &grid, at: end, 1, ink)
            if let available = pressure.availableBytes, let total = pressure.totalBytes {
                end = put(
                    ", \(TopWords.size(available)) of \(TopWords.size(total)) available", &grid, at: end, 1)
            }
            if let some = pressure.someStallPercent, some.isFinite {
                let stalled = Int64(min(max(some, 0), 100) * 1000)
                end = put(", stalled \(TopWords.percent(stalled))%", &grid, at: end, 1)
            }
            if let victim = pressure.victim { end = put(", ending \(victim)", &grid, at: end, 1, .bad) }
        }
        if lowPower != nil { put("\(separator)low-power mode", &grid, at: end, 1, .attention) }
    }

    private func drawView(into grid: inout Grid) {
        var parts = ["by \(order.order ?? "name")\(isReversed ? ", reversed" : "")"]
        switch folding {
        case .none: break
        case .template: parts.append("templates folded")
        case .group: parts.append("ForegroundGroup= folded")
        }
        if !filter.isEmpty { parts.append("only “\(filter.text)”") }
        if !filter.isEmpty || folding != .none { parts.append(TopWords.number(shown.count, "row")) }
        var text = parts.joined(separator: separator)
        if !isUnicode { text = text.replacingQuotes }
        let end = put(text, &grid, 2, filter.isEmpty ? .faint : .attention)
        if let figuresProblem {
            put("\(separator)no figures: \(figuresProblem)", &grid, at: end, 2, .attention)
        }
    }

    private var layout: [TopColumn.Place] {
        var longest = 0
        for row in visible { longest = max(longest, label(of: row).cells) }
        return TopColumn.places(in: columns, longestName: longest)
    }

    private func drawTitles(into grid: inout Grid, _ row: Int) {
        for place in layout {
            var title = place.column.title
            if place.column == .past {
                let length = Int64(place.width) * StateTrack.column
                title = "PAST \(TopWords.span(length))"
            }
            let ink = place.column == order ? Ink(bold: true, underlined: true) : .header
            if place.column.isNumber {
                grid.put(
                    title, endingAt: place.start + place.width, row, limit: place.width, ink,
                    isUnicode: isUnicode)
            } else {
                grid.put(title, at: place.start, row, limit: place.width, ink, isUnicode: isUnicode)
            }
        }
    }

    // MARK: the rows

    private func label(of row: Row) -> String {
        switch row {
        case .worker(let place, let isMember): (isMember ? "  " : "") + workers[place].name
        case .group(let name, let all):
            (unfolded.contains(name) ? "- " : "+ ") + "\(name) (\(all.count))"
        }
    }

    private func drawRows(into grid: inout Grid, _ now: Int64) {
        let layout = layout
        for (index, row) in zip(visible.indices, visible) {
            let line = headHeight + index - visible.startIndex
            for place in layout { draw(row, place, line, into: &grid, now) }
            if absence != nil { grid.ink(row: line) { _ in .faint } }
            if index == chosenIndex, !isPicture {
                grid.put(">", at: 0, line)
                grid.ink(row: line, \.chosen)
            }
        }
        guard shown.isEmpty, listHeight > 0 else { return }
        let text =
            absence != nil
            ? "" : workers.isEmpty ? "No workers." : "No worker matches the filter; press / to change it."
        put(text, &grid, at: 1, headHeight, .faint)
    }

    private func draw(
        _ row: Row, _ place: TopColumn.Place, _ line: Int, into grid: inout Grid, _ now: Int64
    ) {
        if place.column == .past { return drawPast(of: row, place, line, into: &grid, now) }
        let text: String
        var ink = Ink.plain
        switch row {
        case .worker(let index, _):
            let worker = workers[index]
            if place.column == .name {
                text = label(of: row)
            } else {
                text = cell(of: worker, place.column, now)
                if place.column == .state { ink = worker.ink }
            }
        case .group(_, let all):
            text = place.column == .name ? label(of: row) : cell(of: all, place.column, now)
            ink = .bold
        }
        if place.column.isNumber {
            grid.put(
                text, endingAt: place.start + place.width, line, limit: place.width, ink, isUnicode: isUnicode
            )
        } else {
            grid.put(text, at: place.start, line, limit: place.width, ink, isUnicode: isUnicode)
        }
    }

    private func cell(of worker: TopWorker, _ column: TopColumn, _ now: Int64) -> String {
        switch column {
        case .name: worker.name
        case .state: worker.standing
        case .dwell: TopWords.span(now - worker.since)
        case .memory: worker.memory.map(TopWords.size) ?? "-"
        case .givenBack: worker.givenBack > 0 ? TopWords.size(worker.givenBack) : "-"
        case .cpu: worker.cpu.map(TopWords.percent) ?? "-"
        case .connections: worker.connections.map(TopWords.count) ?? "-"
        case .queue: worker.queue > 0 ? TopWords.count(Int(clamping: worker.queue)) : "-"
        case .wakes: Self.dashed(worker.wakeCount(at: now))
        case .next: worker.deadline.map { "\(TopWords.span($0.at - now)) \($0.name)" } ?? "-"
        case .past: ""
        }
    }

    private static func dashed(_ count: Int) -> String { count > 0 ? TopWords.count(count) : "-" }

    private func cell(of all: [Int], _ column: TopColumn, _ now: Int64) -> String {
        func sum(_ value: (TopWorker) -> Int64?) -> Int64? {
            let known = all.compactMap { value(workers[$0]) }
            return known.isEmpty ? nil : known.reduce(0) { $0.addingReportingOverflow($1).partialValue }
        }
        switch column {
        case .name, .past, .dwell: return ""
        case .state:
            var counts: [API.State: Int] = [:]
            for place in all { counts[workers[place].state, default: 0] += 1 }
            return counts.sorted { $0.key.rank < $1.key.rank }.map { "\($0.value)\($0.key.letter)" }
                .joined(separator: " ")
        case .memory: return sum(\.memory).map(TopWords.size) ?? "-"
        case .givenBack: return sum { $0.givenBack > 0 ? $0.givenBack : nil }.map(TopWords.size) ?? "-"
        case .cpu: return sum(\.cpu).map(TopWords.percent) ?? "-"
        case .connections:
            return sum { $0.connections.map(Int64.init) }.map { TopWords.count(Int($0)) } ?? "-"
        case .queue: return Self.dashed(Int(clamping: sum(\.queue) ?? 0))
        case .wakes: return Self.dashed(all.reduce(0) { $0 + workers[$1].wakeCount(at: now) })
        case .next:
            let next = all.compactMap { workers[$0].deadline }.min { $0.at < $1.at }
            return next.map { "\(TopWords.span($0.at - now)) \($0.name)" } ?? "-"
        }
    }

    private func drawPast(
        of row: Row, _ place: TopColumn.Place, _ line: Int, into grid: inout Grid, _ now: Int64
    ) {
        var columns: [API.State?]
        switch row {
        case .worker(let index, _): columns = workers[index].track.columns(place.width, at: now)
        case .group(_, let all):
            columns = Array(repeating: nil, count: place.width)
            for member in all {
                let own = workers[member].track.columns(place.width, at: now)
                for (index, state) in own.enumerated() {
                    guard let state else { continue }
                    if columns[index].map({ $0.rank > state.rank }) ?? true { columns[index] = state }
                }
            }
        }
        for (index, state) in columns.enumerated() {
            guard let state else { continue }
            grid.put(
                state.mark(isUnicode: isUnicode), at: place.start + index, line, limit: 1, state.trackInk,
                isUnicode: isUnicode)
        }
    }

    // MARK: the last line

    private func drawFoot(into grid: inout Grid) {
        switch mode {
        case .confirming(_, _, let question):
            draw(TopPager.wrapped(question, to: columns), .attention.chosen, into: &grid)
        case .filtering:
            grid.clear(row: rows - 1)
            let text = "/" + filter.text
            // The end is what is being typed.
            let tail = text.cells >= columns ? "/" + String(filter.text.suffix(max(columns - 3, 1))) : text
            let end = put(tail, &grid, rows - 1, .bold)
            put(" ", &grid, at: end, rows - 1, Ink.plain.chosen)
        case .list, .paging:
            if let message {
                let lines = TopPager.wrapped(message.text, to: columns).prefix(4)
                draw(Array(lines), message.isBad ? .bad : .bold, into: &grid)
            } else if rows > 1, !isPicture {
                put(
                    "? help  q quit  / filter  o order  f fold  enter status  w why  l output", &grid,
                    rows - 1, .faint)
            }
        }
    }

    /// Over the last rows, as many as there are.
    private func draw(_ lines: [String], _ ink: Ink, into grid: inout Grid) {
        let lines = lines.prefix(rows)
        for (index, line) in lines.enumerated() {
            let row = rows - lines.count + index
            grid.clear(row: row)
            put(line, &grid, row, ink)
        }
    }

    private func draw(_ pager: inout TopPager, into grid: inout Grid) {
        let height = max(rows - 2, 1)
        let lines = pager.wrapped(to: columns)
        pager.move(by: 0, height: height, of: lines.count)
        put(pager.title, &grid, 0, Ink.bold.chosen)
        grid.ink(row: 0, \.chosen)
        let end = min(pager.offset + height, lines.count)
        for (index, line) in lines[pager.offset..<end].enumerated() { put(line, &grid, index + 1) }
        guard rows > 2 else { return }
        let place =
            lines.count > height ? "lines \(pager.offset + 1)-\(end) of \(lines.count)  " : ""
        let absent = absence == nil ? "" : "no supervisor  "
        put("\(absent)\(place)q back", &grid, rows - 1, absence == nil ? .faint : .bad)
    }
}

extension SupervisorInterface.State {
    /// Its mark where states stand one beside the other: the higher, the more it does.
    fileprivate func mark(isUnicode: Bool) -> String {
        switch self {
        case .notRunning: isUnicode ? "·" : "."
        case .suspended: isUnicode ? "▁" : "_"
        case .background: isUnicode ? "▃" : "-"
        case .inactive: isUnicode ? "▅" : "="
        case .active: isUnicode ? "▇" : "#"
        }
    }

    fileprivate var trackInk: Ink {
        switch self {
        case .active: Ink(.good)
        case .inactive, .background: .plain
        case .suspended: Ink(.asleep)
        case .notRunning: .faint
        }
    }
}

extension String {
    /// With plain quotation marks.
    fileprivate var replacingQuotes: String {
        String(String.UnicodeScalarView(unicodeScalars.map { "“”".unicodeScalars.contains($0) ? "\"" : $0 }))
    }
}
