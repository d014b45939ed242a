package import Lifecycle

/// What a worker has used of the processors over its idle time: readings, of which the oldest is as old as that time.
package struct UseWindow: Hashable, Sendable {
    private struct Reading: Hashable, Sendable {
        var at: Instant
        var used: TimeSpan
    }

    private var readings: [Reading] = []
    /// What had been used when it fell asleep, while it sleeps.
    private var asleep: TimeSpan?

    /// Nothing has been read.
    package init() {}

    /// How many readings are kept.
    private static let most = 64

    /// How old the latest reading may be when the worker falls asleep: what it uses on the way counts for its next sleep.
    private static let freshness = TimeSpan.milliseconds(50)

    /// It has fallen asleep, and uses nothing until it wakes: what it has used is known by then, so that the wake need not wait for `read`.
    ///
    /// When it falls asleep for idleness that was read just before.
    package mutating func slept(at now: Instant, read: () -> TimeSpan?) {
        asleep = readings.last.flatMap { now - $0.at <= Self.freshness ? $0.used : nil } ?? read()
    }

    /// Counts from now on: from what it had used when it fell asleep, or where it has not, from what `read` tells.
    package mutating func begin(at now: Instant, read: () -> TimeSpan?) {
        guard let used = asleep ?? read() else { return }
        asleep = nil
        readings = [Reading(at: now, used: used)]
    }

    /// The share of one CPU, in percent, since the latest reading that is at least `span` old; nil where nothing was read before.
    ///
    /// Where no reading is that old it is the share since the first. What was used before a process ended may be missing from `used`: there
    /// is no share then until the next reading.
    package mutating func share(_ used: TimeSpan, at now: Instant, over span: TimeSpan) -> Double? {
        defer {
            readings.append(Reading(at: now, used: used))
            if readings.count > Self.most { readings.removeFirst() }
        }
        while readings.count > 1, now - readings[1].at >= span { readings.removeFirst() }
        guard let first = readings.first, now > first.at else { return nil }
        guard used >= first.used else {
            readings = []
            return nil
        }
        return Double((used - first.used).microseconds) * 100 / Double((now - first.at).microseconds)
    }
}
