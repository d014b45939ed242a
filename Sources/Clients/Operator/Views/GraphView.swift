internal import Lifecycle
package import Picture

/// What `torpor graph` shows in a terminal.
package enum GraphView {
    /// The ways of one worker from state to state, with what is done on them; its own state is marked.
    package static func rendered(_ diagram: StateDiagram, _ style: Style) -> String {
        var text = style.paint(style.dot, .good) + " " + style.paint(diagram.name.printable, .strong)
        if !diagram.description.isEmpty { text += " - " + diagram.description.printable }
        text += "\n"
        for note in diagram.notes { text += fitted("  " + note.printable, style) + "\n" }
        for state in [State.notRunning, .inactive, .active, .background, .suspended] {
            let isHere = state == diagram.current
            text += "\n" + style.paint(state.rawValue, isHere ? .good : .strong)
            text += (isHere ? " " + style.paint("(it is here)", .good) : "") + "\n"
            for arrow in diagram.arrows where arrow.from == state {
                text += "  \(style.arrow) \(arrow.to.rawValue)\n"
                for line in arrow.lines { text += fitted("      " + line.printable, style) + "\n" }
            }
        }
        return text
    }

    /// Each worker with what wakes it, and what it depends on.
    package static func rendered(_ graph: WorkerGraph, _ style: Style) -> String {
        var text = ""
        for node in graph.nodes {
            let state = node.state?.rawValue ?? "not known"
            text += style.paint(node.name.printable, .strong) + " (\(state))\n"
            for relation in WorkerGraph.Relation.allCases {
                let others = graph.edges.filter { $0.from == node.name && $0.relation == relation }.map(
                    \.to.printable)
                guard !others.isEmpty else { continue }
                let words = relation == .onFailure ? "on failure launches" : relation.rawValue
                text += fitted("  \(words) \(others.joined(separator: ", "))", style) + "\n"
            }
            if let group = graph.groups.first(where: { $0.members.contains(node.name) }) {
                let others = group.members.filter { $0 != node.name }.map(\.printable)
                let words = "excludes \(others.joined(separator: ", ")) (\(group.name.printable))"
                text += fitted("  " + words, style) + "\n"
            }
            for source in node.sources { text += fitted("  woken by \(source.printable)", style) + "\n" }
        }
        return text
    }

    private static func fitted(_ line: String, _ style: Style) -> String {
        guard let width = style.width else { return line }
        return line.ellipsized(to: max(width, 12), unicode: style.isUnicode)
    }
}
