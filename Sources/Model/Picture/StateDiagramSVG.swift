internal import Lifecycle

/// A state diagram as an SVG picture: the states have their places, and each way its label beside it.
package struct StateDiagramSVG {
    private let diagram: StateDiagram

    /// A picture of `diagram`.
    package init(_ diagram: StateDiagram) {
        self.diagram = diagram
    }

    private static let box = (width: 148.0, height: 56.0)
    private static let size = (width: 1280.0, height: 640.0)

    /// The middle of a state's box.
    private func place(_ state: State) -> (x: Double, y: Double) {
        switch state {
        case .notRunning: (120, 360)
        case .inactive: (620, 180)
        case .active: (1120, 180)
        case .background: (620, 520)
        case .suspended: (1120, 520)
        }
    }

    /// From where to where an arrow goes, where its label stands, and on which side its text begins.
    private func course(
        _ arrow: StateDiagram.Arrow
    ) -> (path: String, x: Double, y: Double, anchor: String, width: Double) {
        switch (arrow.from, arrow.to) {
        case (.notRunning, .inactive): ("M150 332C180 232 400 180 540 180", 30, 100, "start", 300)
        case (.notRunning, .background): ("M164 388C220 480 400 508 540 508", 262, 376, "start", 230)
        case (.inactive, .active): ("M694 168H1040", 867, 108, "middle", 300)
        case (.active, .inactive): ("M1046 194H700", 867, 214, "middle", 300)
        case (.inactive, .background): ("M606 208V486", 594, 262, "end", 250)
        case (.background, .inactive): ("M636 492V214", 650, 320, "start", 300)
        case (.background, .suspended): ("M694 508H1040", 867, 448, "middle", 300)
        case (.suspended, .background): ("M1046 534H700", 867, 554, "middle", 300)
        default: ("M540 532C360 536 120 520 120 394", 330, 562, "middle", 300)
        }
    }

    /// The document.
    package func rendered() -> String {
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.size.width.px)" height="\(Self.size.height.px)" \
            viewBox="0 0 \(Self.size.width.px) \(Self.size.height.px)" \
            font-family="system-ui,'DejaVu Sans',sans-serif" font-size="12">
            <title>\(diagram.name.markup)</title>
            <defs><marker id="tip" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="8" markerHeight="8" \
            orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="var(--faint)"/></marker></defs>
            <style>
            \(Palette.styleSheet)
            text{fill:var(--ink)}.f{fill:var(--faint);font-size:11px}.m{text-anchor:middle}
            .a{fill:none;stroke:var(--faint);stroke-width:1.5;marker-end:url(#tip)}
            .h{stroke:var(--ground);stroke-width:4;paint-order:stroke;stroke-linejoin:round}
            \(Palette.states.map { ".\($0.rawValue){stroke:var(--\($0.rawValue))}" }.joined())
            .b{fill:var(--band);stroke-width:2}.now{stroke-width:4;fill:var(--ground)}
            </style>
            <rect width="100%" height="100%" fill="var(--ground)"/>
            <text x="24" y="36" font-size="19" font-weight="600">\(diagram.name.fitted(size: 20, to: 700).markup)</text>
            <text x="24" y="56" class="f">\(diagram.description.fitted(size: 11, to: 700).markup)</text>\n
            """
        for arrow in diagram.arrows { svg += "<path class=\"a\" d=\"\(course(arrow).path)\"/>\n" }
        for state in Palette.states { add(state, to: &svg) }
        for arrow in diagram.arrows { addLabel(arrow, to: &svg) }
        for (index, note) in diagram.notes.prefix(4).enumerated() {
            svg +=
                "<text x=\"\((Self.size.width - 24).px)\" y=\"\((30.0 + Double(index) * 15).px)\" class=\"f\" "
            svg += "text-anchor=\"end\">\(note.fitted(size: 11, to: 500).markup)</text>\n"
        }
        return svg + "</svg>\n"
    }

    private func add(_ state: State, to svg: inout String) {
        let (x, y) = place(state)
        let isCurrent = state == diagram.current
        svg += "<rect x=\"\((x - Self.box.width / 2).px)\" y=\"\((y - Self.box.height / 2).px)\" "
        svg += "width=\"\(Self.box.width.px)\" height=\"\(Self.box.height.px)\" rx=\"12\" "
        svg += "class=\"b \(state.rawValue)\(isCurrent ? " now" : "")\"/>"
        svg += "<text x=\"\(x.px)\" y=\"\((y + (isCurrent ? -1 : 5)).px)\" class=\"m\" font-size=\"14\" "
        svg += "font-weight=\"600\">\(Palette.words(state))</text>"
        if isCurrent { svg += "<text x=\"\(x.px)\" y=\"\((y + 16).px)\" class=\"f m\">it is here</text>" }
        svg += "\n"
    }

    private static let mostLines = 5

    private func addLabel(_ arrow: StateDiagram.Arrow, to svg: inout String) {
        guard !arrow.lines.isEmpty else { return }
        let (_, x, y, anchor, width) = course(arrow)
        var lines = arrow.lines.flatMap { $0.wrapped(size: 11, to: width) }
        if lines.count > Self.mostLines {
            lines = Array(lines.prefix(Self.mostLines - 1)) + ["and \(lines.count - Self.mostLines + 1) more"]
        }
        // Above its arrow a label grows upwards.
        let isAbove =
            (arrow.from, arrow.to) == (.inactive, .active)
            || (arrow.from, arrow.to) == (.background, .suspended)
        let top = isAbove ? y + 48 - Double(lines.count - 1) * 15 : y
        svg += "<g class=\"h\"><title>\(arrow.lines.joined(separator: "; ").markup)</title>"
        for (index, line) in lines.enumerated() {
            svg += "<text x=\"\(x.px)\" y=\"\((top + Double(index) * 15).px)\" text-anchor=\"\(anchor)\" "
            svg += "class=\"f\">\(line.fitted(size: 11, to: width).markup)</text>"
        }
        svg += "</g>\n"
    }
}
