/// A column of the live screen, in the order in which they stand.
package enum TopColumn: String, Hashable, Sendable, CaseIterable {
    case name, state, dwell, memory, givenBack, cpu, connections, queue, wakes, next, past

    /// What stands above it.
    package var title: String {
        switch self {
        case .name: "NAME"
        case .state: "STATE"
        case .dwell: "FOR"
        case .memory: "MEM"
        case .givenBack: "BACK"
        case .cpu: "CPU%"
        case .connections: "CON"
        case .queue: "QUE"
        case .wakes: "W/H"
        case .next: "NEXT"
        case .past: "PAST"
        }
    }

    /// What it is ordered by, in words; nil of the one that rows are not ordered by.
    package var order: String? {
        switch self {
        case .name: "name"
        case .state: "state"
        case .dwell: "latest change"
        case .memory: "memory"
        case .givenBack: "memory given back"
        case .cpu: "CPU"
        case .connections: "connections"
        case .queue: "queue"
        case .wakes: "wakes per hour"
        case .next: "next deadline"
        case .past: nil
        }
    }

    /// Those that rows are ordered by.
    package static let ordering = allCases.filter { $0.order != nil }

    var isNumber: Bool {
        switch self {
        case .name, .state, .next, .past: false
        case .dwell, .memory, .givenBack, .cpu, .connections, .queue, .wakes: true
        }
    }

    private var least: Int {
        switch self {
        case .name: 12
        case .state: 10
        case .dwell, .memory, .givenBack: 5
        case .cpu: 4
        case .connections, .queue, .wakes: 3
        case .next, .past: 8
        }
    }

    /// The order in which columns are left out where there is no room.
    private static let dispensable: [TopColumn] = [
        .past, .connections, .queue, .wakes, .givenBack, .next, .cpu, .memory, .dwell, .state,
    ]

    /// A column in its place.
    package struct Place: Hashable, Sendable {
        package let column: TopColumn
        package let start: Int
        package let width: Int
    }

    /// The columns that fit into `width`, behind a first cell that is free; `longestName` is how wide names are.
    package static func places(in width: Int, longestName: Int) -> [Place] {
        var columns = allCases
        func needed(_ columns: [TopColumn], name: Int) -> Int {
            columns.reduce(0) { $0 + 1 + ($1 == .name ? name : $1.least) }
        }
        for column in dispensable where needed(columns, name: 8) > width {
            columns.removeAll { $0 == column }
        }
        var widths = Dictionary(uniqueKeysWithValues: columns.map { ($0, $0 == .name ? 8 : $0.least) })
        var left = width - needed(columns, name: 8)
        func grow(_ column: TopColumn, to most: Int) {
            guard left > 0, let known = widths[column], most > known else { return }
            let more = min(left, most - known)
            widths[column] = known + more
            left -= more
        }
        grow(.name, to: min(longestName, 12))
        grow(.name, to: min(longestName, 32))
        grow(.next, to: 10)
        grow(.past, to: 20)
        grow(.next, to: 20)
        grow(.past, to: 60)
        grow(.name, to: longestName)
        if columns.count < allCases.count { grow(.name, to: .max) }
        var next = 1
        return columns.map { column in
            let width = max(widths[column] ?? 0, 0)
            defer { next += width + 1 }
            return Place(column: column, start: next, width: width)
        }
    }
}
