internal import ControlAPI

/// The processes of a worker as `torpor status` shows them: a child below its parent, as systemd-cgls(1) draws it.
struct ProcessTreeView {
    private let all: [SupervisorInterface.WorkerProcess]
    private let children: [Int64: [SupervisorInterface.WorkerProcess]]

    /// A view of these processes.
    init(_ all: [SupervisorInterface.WorkerProcess]) {
        let known = Set(all.map(\.pid))
        self.all = all
        // A parent that is not among them is as none; one that is its own would never end.
        children = Dictionary(grouping: all) {
            known.contains($0.parent) && $0.parent != $0.pid ? $0.parent : Self.top
        }
    }

    /// No process has this number.
    private static let top: Int64 = 0
    /// How many more levels are drawn than any real tree has: what parents say is read while it changes, and may go in a circle.
    private static let deepest = 64

    /// One line for each process.
    func lines(_ style: Style) -> [String] {
        var lines: [String] = []
        draw(below: Self.top, indent: "", depth: 0, style, into: &lines)
        return lines
    }

    private func draw(
        below parent: Int64, indent: String, depth: Int, _ style: Style, into lines: inout [String]
    ) {
        guard depth < Self.deepest else { return }
        let here = children[parent] ?? []
        for (index, process) in here.enumerated() {
            let isLast = index == here.count - 1
            let branch = style.isUnicode ? (isLast ? "└─" : "├─") : (isLast ? "`-" : "|-")
            let memory = process.residentBytes.map { style.paint(" (\(size($0)))", .faint) } ?? ""
            lines.append(indent + branch + "\(process.pid) " + process.name.printable + memory)
            let rest = style.isUnicode ? "│ " : "| "
            draw(
                below: process.pid, indent: indent + (isLast ? "  " : rest), depth: depth + 1, style,
                into: &lines)
        }
    }
}
