internal import Lifecycle

/// A timeline as an SVG picture, in the manner of systemd-analyze plot.
package struct TimelineSVG {
    private let timeline: Timeline
    private let width = 1280.0
    private let rowHeight: Double
    private let gutter: Double
    private let top = 96.0
    private static let nameSize = 12.0

    /// A picture of `timeline`.
    package init(_ timeline: Timeline) {
        self.timeline = timeline
        rowHeight = timeline.lanes.count > 60 ? 16 : 22
        let widest = timeline.lanes.reduce(60.0) { max($0, $1.name.width(size: Self.nameSize)) }
        gutter = min(widest, 240).rounded(.up) + 28
    }

    private var right: Double { width - 24 }
    private var bottom: Double { top + rowHeight * Double(max(timeline.lanes.count, 1)) }

    /// The document.
    package func rendered() -> String {
        let height = bottom + 74
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width.px)" height="\(height.px)" \
            viewBox="0 0 \(width.px) \(height.px)" font-family="system-ui,'DejaVu Sans',sans-serif" font-size="12">
            <title>\(timeline.title.markup)</title>
            <style>
            \(Palette.styleSheet)
            text{fill:var(--ink)}.f{fill:var(--faint);font-size:11px}.m{text-anchor:middle}
            .l{stroke:var(--line)}.d{stroke:var(--strong);stroke-dasharray:3 3}
            .k{stroke:var(--ground);stroke-width:1;paint-order:stroke}
            \(Palette.states.map { ".\($0.rawValue){fill:var(--\($0.rawValue))}" }.joined())
            \(Timeline.MarkKind.allCases.map { ".\($0.rawValue){fill:var(--\($0.rawValue))}" }.joined())
            .short{fill:var(--short)}.critical{fill:var(--critical)}
            </style>
            <rect width="100%" height="100%" fill="var(--ground)"/>
            <text x="24" y="34" font-size="19" font-weight="600">\(timeline.title.fitted(size: 20, to: width - 48).markup)</text>
            <text x="24" y="54" class="f">\(subtitle.markup)</text>\n
            """
        addGround(to: &svg)
        for (index, lane) in timeline.lanes.enumerated() {
            add(lane, top + Double(index) * rowHeight, to: &svg)
        }
        if timeline.lanes.isEmpty {
            svg += "<text x=\"\((width / 2).px)\" y=\"\((top + 15).px)\" class=\"f m\">"
            svg += "No entries in this time.</text>\n"
        }
        for mark in timeline.marks { add(mark, middle: top - 8, what: mark.text, to: &svg) }
        addLegend(at: bottom + 46, to: &svg)
        return svg + "</svg>\n"
    }

    private var subtitle: String {
        let (calendar, count) = (timeline.calendar, timeline.lanes.count)
        return "\(calendar.moment(timeline.start)) – \(calendar.moment(timeline.end))"
            + (calendar.isSimulated ? " of virtual time" : "") + " · "
            + spanInWords(timeline.end - timeline.start) + " · \(count) worker\(count == 1 ? "" : "s")"
    }

    private func x(_ moment: Int64) -> Double {
        let share = Double(moment - timeline.start) / Double(timeline.end - timeline.start)
        return gutter + (right - gutter) * min(max(share, 0), 1)
    }

    /// Bands behind every other lane, shortage of memory, and the axis.
    private func addGround(to svg: inout String) {
        for index in stride(from: 0, to: timeline.lanes.count, by: 2) {
            svg +=
                "<rect x=\"12\" y=\"\((top + Double(index) * rowHeight).px)\" width=\"\((width - 24).px)\" "
            svg += "height=\"\(rowHeight.px)\" fill=\"var(--band)\"/>\n"
        }
        for pressure in timeline.pressure {
            let from = x(pressure.start)
            svg += "<rect x=\"\(from.px)\" y=\"\((top - 4).px)\" "
            svg += "width=\"\(max(x(pressure.end) - from, 1).px)\" height=\"\((bottom - top + 8).px)\" "
            svg += "class=\"\(pressure.level == .critical ? "critical" : "short")\"><title>memory "
            svg += "\(pressure.level.rawValue) for \(spanInWords(pressure.end - pressure.start)), from "
            svg += "\(timeline.calendar.moment(pressure.start))</title></rect>\n"
        }
        for tick in Axis(from: timeline.start, to: timeline.end, most: 13, timeline.calendar).ticks {
            let at = x(tick.at).px
            svg +=
                "<path d=\"M\(at) \((top - 4).px)V\((bottom + 4).px)\" class=\"\(tick.isDay ? "d" : "l")\"/>"
            svg += "<text x=\"\(at)\" y=\"\((top - 18).px)\" class=\"f m\">\(tick.label)</text>"
            svg += "<text x=\"\(at)\" y=\"\((bottom + 18).px)\" class=\"f m\">\(tick.label)</text>\n"
        }
    }

    private func add(_ lane: Timeline.Lane, _ y: Double, to svg: inout String) {
        let middle = y + rowHeight / 2
        let name = lane.name.fitted(size: Self.nameSize, to: gutter - 28)
        svg += "<g><text x=\"\((gutter - 10).px)\" y=\"\((middle + 4).px)\" text-anchor=\"end\">"
        svg += "\(name.markup)<title>\(lane.name.markup)</title></text>\n"
        for interval in lane.intervals {
            let (from, to) = (x(interval.start), x(interval.end))
            let height = max(rowHeight * Palette.height(interval.state), 1.5)
            svg +=
                "<rect x=\"\(from.px)\" y=\"\((middle - height / 2).px)\" width=\"\(max(to - from, 0.3).px)\" "
            svg += "height=\"\(height.px)\" class=\"\(interval.state.rawValue)\"><title>"
            svg += "\(description(interval).markup)</title></rect>\n"
        }
        // The gravest last: it stays visible.
        for kind in Timeline.MarkKind.allCases.reversed() {
            for mark in lane.marks where mark.kind == kind {
                add(mark, middle: middle, what: mark.text, to: &svg)
            }
        }
        svg += "</g>\n"
    }

    private func add(_ mark: Timeline.Mark, middle: Double, what: String, to svg: inout String) {
        let more = mark.count > 1 ? " (\(mark.count) such)" : ""
        let words = "\(timeline.calendar.moment(mark.at)) \(Palette.words(mark.kind)): \(what)\(more)"
        svg +=
            "<path transform=\"translate(\(x(mark.at).px) \(middle.px))\" d=\"\(Palette.shape(mark.kind))\" "
        svg += "class=\"k \(mark.kind.rawValue)\"><title>\(words.markup)</title></path>\n"
    }

    private func description(_ interval: Timeline.Interval) -> String {
        let why = interval.why.isEmpty ? "" : " (\(interval.why))"
        let folded = interval.folded > 0 ? ", with \(interval.folded) more changes" : ""
        return
            "\(Palette.words(interval.state)) for \(spanInWords(interval.end - interval.start))\(folded)\(why)"
            + ", from \(timeline.calendar.moment(interval.start))"
    }

    private func addLegend(at y: Double, to svg: inout String) {
        var at = 24.0
        func label(_ text: String, after gap: Double) {
            svg += "<text x=\"\((at + gap).px)\" y=\"\((y + 4).px)\">\(text)</text>\n"
            at += gap + text.width(size: 12) + 18
        }
        for state in Palette.states {
            let height = max(16 * Palette.height(state), 1.5)
            svg += "<rect x=\"\(at.px)\" y=\"\((y - height / 2).px)\" width=\"20\" height=\"\(height.px)\" "
            svg += "class=\"\(state.rawValue)\"/>"
            label(Palette.words(state), after: 26)
        }
        for kind in Timeline.MarkKind.allCases {
            svg += "<path transform=\"translate(\((at + 6).px) \(y.px))\" d=\"\(Palette.shape(kind))\" "
            svg += "class=\"\(kind.rawValue)\"/>"
            label(Palette.words(kind), after: 16)
        }
        for (style, text) in [("short", "memory short"), ("critical", "memory critical")] {
            svg += "<rect x=\"\(at.px)\" y=\"\((y - 7).px)\" width=\"14\" height=\"14\" class=\"\(style)\"/>"
            label(text, after: 20)
            at += 6
        }
    }
}
