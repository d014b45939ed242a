package import Lifecycle

/// Answers that were dear to make, kept for a moment: the longer, the more they cost, so that making them anew takes a small
/// share of the time however often they are asked for.
///
/// It is pure: the caller says what time it is.
package struct TimedCache<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, until: Instant)] = [:]
    /// How long a value is kept at least.
    let least: TimeSpan
    /// A value that took some time to make is kept for so many times of that.
    private static var factor: Int64 { 20 }
    private static var mostCost: TimeSpan { .seconds(3) }
    private let most: Int

    /// Keeps values for `least`, and no more than `most` of them.
    package init(least: TimeSpan, most: Int = 4096) {
        self.least = least
        self.most = most
    }

    /// The value for `key`, while it holds.
    package func value(for key: Key, at now: Instant) -> Value? {
        guard let entry = entries[key], now < entry.until else { return nil }
        return entry.value
    }

    /// Keeps `value`, which took `cost` to make.
    package mutating func keep(_ value: Value, for key: Key, at now: Instant, cost: TimeSpan) {
        if entries.count >= most { entries = entries.filter { now < $0.value.until } }
        if entries.count >= most { entries = [:] }
        let span = TimeSpan(microseconds: min(cost, Self.mostCost).microseconds * Self.factor)
        entries[key] = (value, now + max(least, span))
    }

    /// Forgets them all.
    package mutating func removeAll() { entries = [:] }
}
