package import Lifecycle

/// How workers hang together: what requires, wants, follows, excludes and wakes what.
package struct WorkerGraph: Hashable, Sendable {
    /// A worker.
    package struct Node: Hashable, Sendable {
        package let name: String
        package let state: State?
        /// What wakes it, in words.
        package let sources: [String]
        /// The group of workers of which one at a time is active.
        package let group: String?
    }

    /// How one worker depends on another.
    package enum Relation: String, CaseIterable, Hashable, Sendable {
        case requires
        case wants
        case after
        /// When it fails, the other one is launched.
        case onFailure
    }

    /// That one worker depends on another.
    package struct Edge: Hashable, Sendable {
        package let from: String
        package let to: String
        package let relation: Relation
    }

    /// Ordered by name.
    package private(set) var nodes: [Node] = []
    /// In the order of the nodes, then of the relations.
    package private(set) var edges: [Edge] = []

    /// The graph of these workers.
    package init(_ workers: [(name: String, state: State?, settings: Settings)]) {
        for (name, state, settings) in workers.sorted(by: { $0.name.precedes($1.name) }) {
            nodes.append(
                Node(
                    name: name, state: state, sources: settings.wakeSources,
                    group: settings.one("Foreground.ForegroundGroup")))
            let required = Set(settings.words("Worker.Requires") + settings.words("Worker.Wants"))
            for (relation, key) in [
                (Relation.requires, "Requires"), (.wants, "Wants"), (.after, "After"),
                (.onFailure, "OnFailure"),
            ] {
                // Of a worker that is required the order says nothing new.
                for other in settings.words("Worker.\(key)")
                // That one is a moment, and no worker.
                where other != "firstUnlock" && (relation != .after || !required.contains(other)) {
                    edges.append(Edge(from: name, to: Self.worker(other), relation: relation))
                }
            }
        }
    }

    /// The name without the ending of files, which references may have.
    private static func worker(_ reference: String) -> String {
        reference.hasSuffix(".worker") ? String(reference.dropLast(7)) : reference
    }

    /// The workers of each group, in order; those of one alone exclude no other.
    package var groups: [(name: String, members: [String])] {
        var groups: [String: [String]] = [:]
        for node in nodes { if let group = node.group { groups[group, default: []].append(node.name) } }
        return groups.filter { $0.value.count > 1 }.sorted { $0.key.precedes($1.key) }
            .map { (name: $0.key, members: $0.value) }
    }

    /// How far from the left each worker stands: right of all that depend on it; a circle counts once.
    package var depths: [String: Int] {
        var depths: [String: Int] = [:]
        for node in nodes { depths[node.name] = 0 }
        for edge in edges where edge.relation != .onFailure { depths[edge.to] = 0 }
        for _ in 0..<min(nodes.count, 64) {
            var isChanged = false
            for edge in edges where edge.relation != .onFailure {
                let depth = min((depths[edge.from] ?? 0) + 1, 12)
                if depths[edge.to] ?? 0 < depth {
                    depths[edge.to] = depth
                    isChanged = true
                }
            }
            if !isChanged { break }
        }
        return depths
    }

    /// The graph for Graphviz.
    package var dot: String {
        var text = "digraph workers {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n"
        for node in nodes {
            let lines = [node.name] + (node.state.map { [Palette.words($0)] } ?? []) + node.sources
            let label = lines.map { $0.dotString.dropFirst().dropLast() }.joined(separator: "\\n")
            text += "  \(node.name.dotString) [label=\"\(label)\"];\n"
        }
        for edge in edges {
            let style =
                edge.relation == .requires ? "solid" : edge.relation == .onFailure ? "dotted" : "dashed"
            text += "  \(edge.from.dotString) -> \(edge.to.dotString) "
            text += "[label=\"\(edge.relation.rawValue)\", style=\(style)];\n"
        }
        for group in groups {
            for (one, next) in zip(group.members, group.members.dropFirst()) {
                text += "  \(one.dotString) -> \(next.dotString) [dir=both, color=red, style=dashed, "
                text += "constraint=false, label=\(("excludes (" + group.name + ")").dotString)];\n"
            }
        }
        return text + "}\n"
    }
}
