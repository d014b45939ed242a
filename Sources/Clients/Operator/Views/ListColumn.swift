internal import ControlAPI
internal import Picture

/// A column of `torpor list`, in the usual order.
package enum ListColumn: String, CaseIterable, Hashable, Sendable {
    case name
    case state
    case since
    case goal
    case pid
    case memory
    case wakes
    case description

    /// The columns whose names `text` has, separated by commas; nil where one is none.
    package static func columns(_ text: String) -> [ListColumn]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let columns = words.compactMap { ListColumn(rawValue: $0.lowercased()) }
        return columns.count == words.count ? columns : nil
    }

    var title: String {
        switch self {
        case .goal: "GOAL/REASON"
        case .wakes: "WAKES BY"
        case .name, .state, .since, .pid, .memory, .description: rawValue.uppercased()
        }
    }

    var isNumber: Bool { self == .pid || self == .memory }

    /// The workers in the order of the column: the largest and the latest first, and where they are equal as they come.
    func sorted(_ workers: [SupervisorInterface.WorkerSummary]) -> [SupervisorInterface.WorkerSummary] {
        // By keys taken once, and by places: a worker's summary is dear to copy; sorted(by:) is stable.
        func stable<Key>(
            _ key: (SupervisorInterface.WorkerSummary) -> Key, _ isBefore: (Key, Key) -> Bool
        ) -> [SupervisorInterface.WorkerSummary] {
            let keys = workers.map(key)
            return keys.indices.sorted { isBefore(keys[$0], keys[$1]) }.map { workers[$0] }
        }
        return switch self {
        case .name: stable(\.name) { $0.precedes($1) }
        case .state: stable(\.state.rank, <)
        case .since: stable(\.since, >)
        case .goal: stable(\.purpose, <)
        case .pid: stable({ $0.pid ?? .max }, <)
        case .memory: stable({ $0.memoryBytes ?? -1 }, >)
        case .wakes: stable({ $0.wakesBy ?? "~" }, <)
        case .description: stable({ $0.description ?? "" }, <)
        }
    }
}

extension SupervisorInterface.State {
    /// What does most comes first.
    fileprivate var rank: Int {
        switch self {
        case .active: 0
        case .inactive: 1
        case .background: 2
        case .suspended: 3
        case .notRunning: 4
        }
    }
}
