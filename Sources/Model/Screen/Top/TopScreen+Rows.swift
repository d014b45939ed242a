internal import ControlAPI

/// Which rows there are, in which order.
extension TopScreen {
    /// Puts the rows in order, where something has changed; keeps what is chosen in sight.
    package mutating func settle(at now: Int64) {
        self.now = now.bounded
        if isStale {
            isStale = false
            totals = TopTotals()
            for worker in workers { totals.add(worker) }
            shown = ordered()
        }
        keepChoice()
    }

    private func ordered() -> [Row] {
        let included = workers.indices.filter { filter.includes(workers[$0]) }
        let sorted = inOrder(included)
        guard folding != .none else { return sorted.map { .worker($0, isMember: false) } }
        var members: [String: [Int]] = [:]
        for place in sorted {
            if let group = group(of: workers[place]) { members[group, default: []].append(place) }
        }
        var rows: [Row] = []
        var done: Set<String> = []
        // A group stands where the first of its workers would.
        for place in sorted {
            guard let group = group(of: workers[place]), let all = members[group], all.count > 1 else {
                rows.append(.worker(place, isMember: false))
                continue
            }
            guard done.insert(group).inserted else { continue }
            rows.append(.group(group, all))
            if unfolded.contains(group) { rows += all.map { .worker($0, isMember: true) } }
        }
        return rows
    }

    private func group(of worker: TopWorker) -> String? {
        switch folding {
        case .none: nil
        case .template: worker.template
        case .group: worker.group
        }
    }

    /// The largest first, and where they are equal by name.
    private func inOrder(_ included: [Int]) -> [Int] {
        let sorted: [Int]
        if order == .name || order == .past {
            sorted = included
        } else {
            let keyed = included.map { (key: key(of: workers[$0]), place: $0) }
            sorted = keyed.sorted { $0.key != $1.key ? $0.key > $1.key : $0.place < $1.place }.map(\.place)
        }
        return isReversed ? sorted.reversed() : sorted
    }

    private func key(of worker: TopWorker) -> Int64 {
        switch order {
        case .name, .past: 0
        case .state: Int64(-worker.state.rank)
        case .dwell: worker.since
        case .memory: worker.memory ?? -1
        case .givenBack: worker.givenBack
        case .cpu: worker.cpu ?? -1
        case .connections: Int64(worker.connections ?? -1)
        case .queue: worker.queue
        case .wakes: Int64(worker.wakeCount(at: now))
        // The soonest first.
        case .next: worker.deadline.map { -$0.at } ?? .min
        }
    }

    // MARK: what is chosen

    func choice(of row: Row) -> Choice {
        switch row {
        case .worker(let place, _): .worker(workers[place].name)
        case .group(let name, _): .group(name)
        }
    }

    var chosenRow: Row? { shown.indices.contains(chosenIndex) ? shown[chosenIndex] : nil }

    /// The names that a verb would be about.
    var chosenNames: [String] {
        switch chosenRow {
        case .worker(let place, _)?: [workers[place].name]
        case .group(_, let all)?: all.map { workers[$0].name }
        case nil: []
        }
    }

    private mutating func keepChoice() {
        guard !shown.isEmpty else {
            (chosenIndex, offset) = (0, 0)
            return
        }
        guard choice != nil else {
            // Nothing was chosen yet: the first row, whichever that is.
            (chosenIndex, offset) = (0, 0)
            return
        }
        let isThere = shown.indices.contains(chosenIndex) && choice(of: shown[chosenIndex]) == choice
        if !isThere {
            if let choice, let index = shown.firstIndex(where: { self.choice(of: $0) == choice }) {
                chosenIndex = index
            } else {
                chosenIndex = min(max(chosenIndex, 0), shown.count - 1)
                choice = choice(of: shown[chosenIndex])
            }
        }
        let height = max(listHeight, 1)
        offset = min(max(offset, chosenIndex - height + 1), chosenIndex)
        offset = max(min(offset, shown.count - height), 0)
    }

    mutating func choose(_ index: Int) {
        guard !shown.isEmpty else { return }
        chosenIndex = min(max(index, 0), shown.count - 1)
        choice = choice(of: shown[chosenIndex])
        keepChoice()
    }
}
