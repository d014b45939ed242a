internal import ConfigurationSyntax

/// Circles of `After=`, which no daemon can start in order: one reference of each is left out and noted.
enum ReferenceCircles {
    /// Leaves out references of `drafts` that close a circle; `names` are those of all drafts by their ids.
    static func open(_ drafts: inout [(WorkerDraft, WorkerName)], _ names: [String: WorkerName]) {
        var places: [WorkerName: Int] = [:]
        for (index, draft) in drafts.enumerated() { places[draft.1] = index }
        var states = [State](repeating: .new, count: drafts.count)
        for start in drafts.indices where states[start] == .new {
            // Depth first, without recursion: chains may be as long as there are drafts.
            var path: [(draft: Int, next: Int)] = [(start, 0)]
            states[start] = .open
            while let (draft, next) = path.last {
                guard next < drafts[draft].0.references.count else {
                    states[draft] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let reference = drafts[draft].0.references[next]
                guard reference.key == "After", let name = names[reference.id], let other = places[name],
                    other != draft
                else { continue }
                switch states[other] {
                case .done: continue
                case .open:
                    drafts[draft].0.references.remove(at: next)
                    path[path.count - 1].next -= 1
                    drafts[draft].0.note(reference.source, "After= \(reference.label) closes a circle")
                case .new:
                    states[other] = .open
                    path.append((other, 0))
                }
            }
        }
    }

    private enum State { case new, open, done }
}
