package import Lifecycle

/// How long something took, each time: counts by upper bounds, as a histogram of OpenMetrics has them.
package struct DurationHistogram: Hashable, Sendable {
    /// The upper bounds, in microseconds and as they are written, in seconds; what took longer counts for all.
    ///
    /// From what a hook without a process takes to the longest of the time rules (1.4).
    package static let bounds: [(microseconds: Int64, text: String)] = [
        (1_000, "0.001"), (5_000, "0.005"), (10_000, "0.01"), (50_000, "0.05"), (100_000, "0.1"),
        (500_000, "0.5"), (1_000_000, "1.0"), (5_000_000, "5.0"), (10_000_000, "10.0"), (30_000_000, "30.0"),
    ]

    /// How many took at most as long as each bound and longer than the one before; the last has none.
    private var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all, in microseconds.
    package private(set) var sum: Int64 = 0

    /// Nothing has been counted.
    package init() {}

    /// Counts one.
    package mutating func count(_ took: TimeSpan) {
        let took = max(took.microseconds, 0)
        counts[Self.bounds.firstIndex { took <= $0.microseconds } ?? Self.bounds.count] &+= 1
        sum &+= took
    }

    /// How many there were, up to each bound; the last number is that of all.
    package var cumulated: [UInt64] {
        var total: UInt64 = 0
        return counts.map { count in
            total &+= count
            return total
        }
    }

    /// How many there were.
    package var total: UInt64 { counts.reduce(0, &+) }
}
