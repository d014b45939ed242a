package import ControlAPI

/// In which states a worker has been lately.
package struct StateTrack: Hashable, Sendable {
    private struct Step: Hashable, Sendable {
        var at: Int64
        var state: SupervisorInterface.State
    }

    private var steps: [Step] = []
    /// More changes than this are not kept: the oldest are forgotten.
    private static let most = 128
    /// How long one column is, in microseconds.
    package static let column: Int64 = 15_000_000

    /// Nothing is known.
    package init() {}

    /// It came into `state` at that time, in microseconds since 1970.
    package mutating func add(_ state: SupervisorInterface.State, at moment: Int64) {
        // A clock that was set back: what came later stays later.
        let moment = max(moment, steps.last?.at ?? moment)
        if let last = steps.last, last.state == state { return }
        if steps.count == Self.most { steps.removeFirst(Self.most / 4) }
        steps.append(Step(at: moment, state: state))
    }

    /// What is known of before, of a worker that is tracked already: `past` in the order in which it happened.
    package mutating func prepend(_ past: [(state: SupervisorInterface.State, at: Int64)]) {
        var whole = StateTrack()
        let first = steps.first?.at ?? .max
        for step in past where step.at < first { whole.add(step.state, at: step.at) }
        for step in steps { whole.add(step.state, at: step.at) }
        self = whole
    }

    /// The state of each column up to `now`, the latest last: the one that does most of those in its time; nil before anything is known.
    package func columns(_ count: Int, at now: Int64) -> [SupervisorInterface.State?] {
        var columns = [SupervisorInterface.State?](repeating: nil, count: max(count, 0))
        guard count > 0 else { return columns }
        let latest = Self.index(of: max(now, steps.last?.at ?? now))
        for (index, step) in steps.enumerated() {
            let end = index + 1 < steps.count ? Self.index(of: steps[index + 1].at) : latest
            let from = max(Self.index(of: step.at), latest - Int64(count) + 1)
            guard from <= end else { continue }
            for place in from...end {
                let column = Int(place - latest) + count - 1
                guard columns.indices.contains(column) else { continue }
                if columns[column].map({ $0.rank > step.state.rank }) ?? true { columns[column] = step.state }
            }
        }
        return columns
    }

    private static func index(of moment: Int64) -> Int64 {
        moment >= 0 ? moment / column : (moment - column + 1) / column
    }
}

extension SupervisorInterface.State {
    /// What does most comes first.
    var rank: Int {
        switch self {
        case .active: 0
        case .inactive: 1
        case .background: 2
        case .suspended: 3
        case .notRunning: 4
        }
    }

    /// Its letter, where many are counted.
    var letter: String {
        switch self {
        case .active: "a"
        case .inactive: "i"
        case .background: "b"
        case .suspended: "s"
        case .notRunning: "-"
        }
    }

    /// Whether it has processes that run.
    var runs: Bool {
        switch self {
        case .active, .inactive, .background: true
        case .suspended, .notRunning: false
        }
    }
}
