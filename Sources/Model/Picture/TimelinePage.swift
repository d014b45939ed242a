internal import Lifecycle

/// A timeline as one HTML page without anything beside it: to zoom, to filter, and with details under the pointer.
package struct TimelinePage {
    private let timeline: Timeline

    /// A page of `timeline`.
    package init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// The document.
    package func rendered() -> String {
        let title = timeline.title.markup
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src 'unsafe-inline'; script-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width,initial-scale=1"><title>\(title)</title>
            <style>\(Palette.styleSheet)\n\(Self.styleSheet)</style></head>
            <body><header><h1 title="\(title)">\(title)</h1><p id="range"></p>
            <div class="tools"><input id="filter" type="search" placeholder="Filter by name  ( / )" \
            aria-label="Filter by name"><span id="count"></span><span class="gap"></span>
            <button id="out" title="Zoom out ( - )">−</button><button id="in" title="Zoom in ( + )">+</button>
            <button id="fit" title="Show everything ( 0 )">Fit</button></div>
            <div class="legend" id="legend"></div></header>
            <main id="view"><canvas id="canvas"></canvas></main><div id="tip" hidden></div>
            <noscript>This page needs scripts; torpor timeline --svg makes a picture without any.</noscript>
            <script type="application/json" id="data">\(data)</script>
            <script>\(Self.script)</script></body></html>\n
            """
    }

    /// The timeline as JSON: each text once, intervals and marks as rows of numbers.
    private var data: String {
        var texts: [String] = []
        var numbers: [String: Int] = [:]
        func number(_ text: String) -> Int {
            if let known = numbers[text] { return known }
            numbers[text] = texts.count
            texts.append(text)
            return texts.count - 1
        }
        func row(_ mark: Timeline.Mark) -> String {
            let kind = Timeline.MarkKind.allCases.firstIndex(of: mark.kind) ?? 0
            return "[\(kind),\(mark.at - timeline.start),\(number(mark.text)),\(mark.count)]"
        }
        let lanes = timeline.lanes.map { lane in
            let intervals = lane.intervals.map { interval in
                let state = Palette.states.firstIndex(of: interval.state) ?? 0
                return "[\(state),\(interval.start - timeline.start),\(interval.end - timeline.start),"
                    + "\(number(interval.why)),\(interval.folded)]"
            }
            return "[\(lane.name.scriptString),[\(intervals.joined(separator: ","))],"
                + "[\(lane.marks.map(row).joined(separator: ","))]]"
        }
        let pressure = timeline.pressure.map {
            "[\($0.level == .critical ? 1 : 0),\($0.start - timeline.start),\($0.end - timeline.start)]"
        }
        let marks = timeline.marks.map(row)
        let zones = timeline.calendar.zones.map { "[\($0.from),\($0.offset)]" }
        func names(_ pairs: [(String, String)]) -> String {
            "[" + pairs.map { "[\"\($0)\",\"\($1)\"]" }.joined(separator: ",") + "]"
        }
        let states = names(Palette.states.map { ($0.rawValue, Palette.words($0)) })
        let kinds = names(Timeline.MarkKind.allCases.map { ($0.rawValue, Palette.words($0)) })
        let shapes = Timeline.MarkKind.allCases.map { "\"\(Palette.shape($0))\"" }.joined(separator: ",")
        let heights = Palette.states.map { "\(Palette.height($0))" }.joined(separator: ",")
        return "{\"start\":\(timeline.start),\"span\":\(timeline.end - timeline.start),"
            + "\"zones\":[\(zones.joined(separator: ","))],\"states\":\(states),\"heights\":[\(heights)],"
            + "\"kinds\":\(kinds),\"shapes\":[\(shapes)],"
            + "\"lanes\":[\(lanes.joined(separator: ",\n"))],\"pressure\":[\(pressure.joined(separator: ","))],"
            + "\"marks\":[\(marks.joined(separator: ","))],"
            + "\"texts\":[\(texts.map(\.scriptString).joined(separator: ","))]}"
    }
}
