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
        func stable(
            _ isBefore: (SupervisorInterface.WorkerSummary, SupervisorInterface.WorkerSummary) -> Bool
        ) -> [SupervisorInterface.WorkerSummary] {
            // By their places, which are moved more cheaply; sorted(by:) is stable.
            workers.indices.sorted { isBefore(workers[$0], workers[$1]) }.map { workers[$0] }
        }
        return switch self {
        case .name: stable { $0.name.precedes($1.name) }
        case .state: stable { $0.state.rank < $1.state.rank }
        case .since: stable { $0.since > $1.since }
        case .goal: stable { $0.purpose < $1.purpose }
        case .pid: stable { $0.pid ?? .max < $1.pid ?? .max }
        case .memory: stable { $0.memoryBytes ?? -1 > $1.memoryBytes ?? -1 }
        case .wakes: stable { $0.wakesBy ?? "~" < $1.wakesBy ?? "~" }
        case .description: stable { $0.description ?? "" < $1.description ?? "" }
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
