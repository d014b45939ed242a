/// How long what has failed is left alone before it is tried again: twice as long after each failure in a row, up to a bound.
package struct Backoff: Hashable, Sendable {
    private let first: TimeSpan
    private let longest: TimeSpan
    private var failures = 0

    /// `first` after the first failure, and no more than `longest` after any other.
    package init(first: TimeSpan, longest: TimeSpan) {
        self.first = first
        self.longest = longest
    }

    /// The delay after a failure before which there were `failures` in a row.
    package func delay(after failures: Int) -> TimeSpan {
        let (delay, overflow) = first.microseconds.multipliedReportingOverflow(
            by: 1 << Int64(min(failures, 40)))
        return max(first, overflow ? longest : min(TimeSpan(microseconds: delay), longest))
    }

    /// It has failed: answers how long to wait.
    package mutating func failed() -> TimeSpan {
        defer { failures += 1 }
        return delay(after: failures)
    }

    /// It has not: the next failure counts as the first.
    package mutating func succeeded() { failures = 0 }
}
