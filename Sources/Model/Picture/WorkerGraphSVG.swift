internal import Lifecycle

/// The graph of workers as an SVG picture: what depends stands left, what is depended on right of it.
package struct WorkerGraphSVG {
    private let graph: WorkerGraph
    private let title: String
    private static let box = (width: 220.0, gapX: 90.0, gapY: 18.0)

    /// A picture of `graph`, called `title`.
    package init(_ graph: WorkerGraph, title: String) {
        self.graph = graph
        self.title = title
    }

    private struct Place {
        let x: Double
        let y: Double
        let height: Double
    }

    /// The document.
    package func rendered() -> String {
        let (places, width, height) = layout()
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width.px)" height="\(height.px)" \
            viewBox="0 0 \(width.px) \(height.px)" font-family="system-ui,'DejaVu Sans',sans-serif" font-size="12">
            <title>\(title.markup)</title>
            <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" \
            orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="var(--faint)"/></marker></defs>
            <style>
            \(Palette.styleSheet)
            text{fill:var(--ink)}.f{fill:var(--faint);font-size:11px}
            .e{fill:none;stroke:var(--faint);stroke-width:1.4;marker-end:url(#tip)}
            .wants,.after{stroke-dasharray:6 4}.onFailure{stroke:var(--crash);stroke-dasharray:2 4}
            .x{fill:none;stroke:var(--eviction);stroke-width:1.6;stroke-dasharray:5 4}
            \(Palette.states.map { ".\($0.rawValue){stroke:var(--\($0.rawValue))}" }.joined())
            .b{fill:var(--band);stroke-width:2}.u{stroke:var(--strong)}
            </style>
            <rect width="100%" height="100%" fill="var(--ground)"/>
            <text x="24" y="36" font-size="19" font-weight="600">\(title.markup)</text>
            <text x="24" y="56" class="f">\(legend)</text>\n
            """
        for edge in graph.edges {
            guard let from = places[edge.from], let to = places[edge.to] else { continue }
            add(edge, from, to, to: &svg)
        }
        for group in graph.groups {
            for (one, next) in zip(group.members, group.members.dropFirst()) {
                guard let from = places[one], let to = places[next] else { continue }
                let side = from.x + 8
                svg +=
                    "<path class=\"x\" d=\"M\(side.px) \((from.y + from.height).px)L\((to.x + 8).px) \(to.y.px)\">"
                svg +=
                    "<title>\(one.markup) and \(next.markup) exclude each other (\(group.name.markup))</title></path>\n"
            }
        }
        for node in graph.nodes {
            if let place = places[node.name] { add(node, place, to: &svg) }
        }
        let known = Set(graph.nodes.map(\.name))
        for (name, place) in places.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            add(.init(name: name, state: nil, sources: [], group: nil), place, to: &svg)
        }
        return svg + "</svg>\n"
    }

    private let legend =
        "solid: requires · dashed: wants, after · red dots: launched on failure · orange: one at a time in the foreground"

    /// Columns by depth; in a column by name.
    private func layout() -> (places: [String: Place], width: Double, height: Double) {
        let depths = graph.depths
        var nodes: [String: WorkerGraph.Node] = [:]
        for node in graph.nodes { nodes[node.name] = node }
        var places: [String: Place] = [:]
        var bottoms = [Double](repeating: 84, count: (depths.values.max() ?? 0) + 1)
        for (name, depth) in depths.sorted(by: { $0.key.precedes($1.key) }) {
            let lines = min(nodes[name]?.sources.count ?? 0, Self.mostSources)
            let height = 34 + Double(lines) * 14 + (lines > 0 ? 6 : 0)
            let x = 24 + Double(depth) * (Self.box.width + Self.box.gapX)
            places[name] = Place(x: x, y: bottoms[depth], height: height)
            bottoms[depth] += height + Self.box.gapY
        }
        let width = 48 + Double(bottoms.count) * (Self.box.width + Self.box.gapX) - Self.box.gapX
        return (places, max(width, 700), (bottoms.max() ?? 84) + 10)
    }

    private static let mostSources = 6

    private func add(_ edge: WorkerGraph.Edge, _ from: Place, _ to: Place, to svg: inout String) {
        let (x0, y0) = (from.x + Self.box.width, from.y + from.height / 2)
        let (x1, y1) = (to.x, to.y + to.height / 2)
        // Back to the left, or to itself: around the right side.
        let bend = x1 > x0 ? (x1 - x0) / 2 : 60
        let end = x1 > x0 ? x1 : to.x + Self.box.width
        let handle = x1 > x0 ? x1 - bend : end + bend
        svg +=
            "<path class=\"e \(edge.relation.rawValue)\" d=\"M\(x0.px) \(y0.px)C\((x0 + bend).px) \(y0.px) "
        svg +=
            "\(handle.px) \(y1.px) \(end.px) \(y1.px)\"><title>\(edge.from.markup) \(edge.relation.rawValue) "
        svg += "\(edge.to.markup)</title></path>\n"
    }

    private func add(_ node: WorkerGraph.Node, _ place: Place, to svg: inout String) {
        svg += "<g><rect x=\"\(place.x.px)\" y=\"\(place.y.px)\" width=\"\(Self.box.width.px)\" "
        svg += "height=\"\(place.height.px)\" rx=\"9\" class=\"b \(node.state?.rawValue ?? "u")\"/>"
        let words = node.state.map(Palette.words) ?? "not known"
        svg += "<title>\(node.name.markup): \(words)</title>"
        let room = Self.box.width - 40 - words.width(size: 11)
        svg += "<text x=\"\((place.x + 12).px)\" y=\"\((place.y + 21).px)\" font-weight=\"600\">"
        svg += "\(node.name.fitted(size: 12.5, to: room).markup)</text>"
        svg += "<text x=\"\((place.x + Self.box.width - 12).px)\" y=\"\((place.y + 21).px)\" class=\"f\" "
        svg += "text-anchor=\"end\">\(words)</text>"
        var sources = node.sources
        if sources.count > Self.mostSources {
            sources =
                Array(sources.prefix(Self.mostSources - 1)) + [
                    "and \(sources.count - Self.mostSources + 1) more"
                ]
        }
        for (index, source) in sources.enumerated() {
            svg +=
                "<text x=\"\((place.x + 12).px)\" y=\"\((place.y + 38 + Double(index) * 14).px)\" class=\"f\">"
            svg += "⚡ \(source.fitted(size: 11, to: Self.box.width - 44).markup)</text>"
        }
        svg += "</g>\n"
    }
}
