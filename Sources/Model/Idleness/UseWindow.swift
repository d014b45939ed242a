package import Lifecycle

/// What a worker has used of the processors over its idle time: readings, of which the oldest is as old as that time.
package struct UseWindow: Hashable, Sendable {
    private struct Reading: Hashable, Sendable {
        var at: Instant
        var used: TimeSpan
    }

    private var readings: [Reading] = []

    /// Nothing has been read.
    package init() {}

    /// How many readings are kept.
    private static let most = 64

    /// Counts from this reading on.
    package mutating func begin(_ used: TimeSpan, at now: Instant) {
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
