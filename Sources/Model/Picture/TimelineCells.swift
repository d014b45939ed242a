package import Lifecycle

/// A timeline in columns of a terminal.
package struct TimelineCells: Hashable, Sendable {
    /// What stands in one column of a lane.
    package struct Cell: Hashable, Sendable {
        /// The state in which the worker was longest; nil where none is known.
        package var state: State?
        /// The gravest that happened.
        package var mark: Timeline.MarkKind?
    }

    /// The lanes, in order, each with a cell for every column.
    package let lanes: [[Cell]]
    /// How short memory was at the most, in every column.
    package let pressure: [Timeline.Shortage?]

    /// `timeline` in `columns` columns.
    package init(_ timeline: Timeline, columns: Int) {
        let columns = max(columns, 1)
        let span = timeline.end - timeline.start
        func column(_ moment: Int64) -> Int {
            let share = Double(moment - timeline.start) / Double(span)
            return min(max(Int(share * Double(columns)), 0), columns - 1)
        }
        lanes = timeline.lanes.map { lane in
            var cells = Array(repeating: Cell(), count: columns)
            var longest = Array(repeating: 0.0, count: columns)
            var sums: [State: Double] = [:]
            var current = 0
            func settle() {
                // In the order of the cases: a draw always ends alike.
                for state in State.allCases {
                    guard let sum = sums[state], sum > longest[current] else { continue }
                    longest[current] = sum
                    cells[current].state = state
                }
                sums = [:]
            }
            for interval in lane.intervals {
                let unit = Double(columns) / Double(span)
                let from = Double(interval.start - timeline.start) * unit
                let to = Double(interval.end - timeline.start) * unit
                for index in column(interval.start)...column(max(interval.end - 1, interval.start)) {
                    if index != current {
                        settle()
                        current = index
                    }
                    let share = min(to, Double(index + 1)) - max(from, Double(index))
                    if share > 0 { sums[interval.state, default: 0] += share }
                }
            }
            settle()
            for mark in lane.marks {
                let index = column(mark.at)
                guard let known = cells[index].mark else {
                    cells[index].mark = mark.kind
                    continue
                }
                if mark.kind.gravity < known.gravity { cells[index].mark = mark.kind }
            }
            return cells
        }
        var pressure = [Timeline.Shortage?](repeating: nil, count: columns)
        for short in timeline.pressure {
            for index in column(short.start)...column(max(short.end - 1, short.start))
            where pressure[index] != .critical {
                pressure[index] = short.level
            }
        }
        self.pressure = pressure
    }
}

extension Timeline.MarkKind {
    /// Its place from the gravest on.
    fileprivate var gravity: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
