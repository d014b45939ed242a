/// How long what has failed is left alone before it is tried again: twice as long each time, up to a bound.
package struct RetryDelay: Hashable, Sendable {
    private let first: Int64
    private let longest: Int64
    private var upcoming: Int64

    /// `first` microseconds after the first failure, and no more than `longest` after any.
    package init(first: Int64, longest: Int64) {
        self.first = first
        self.longest = longest
        upcoming = first
    }

    /// It has failed: answers how long to wait, in microseconds.
    package mutating func failed() -> Int64 {
        defer { upcoming = upcoming > longest / 2 ? longest : 2 * upcoming }
        return upcoming
    }

    /// It has not: the next failure counts as the first.
    package mutating func succeeded() { upcoming = first }
}
