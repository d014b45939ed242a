/// A moment of the monotonic clock, in microseconds since boot.
///
/// The model never reads a clock: whoever calls it says what time it is (`CLOCK_MONOTONIC`, clock_gettime(2)).
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since an arbitrary origin.
    public let microseconds: Int64

    /// The moment `microseconds` after the clock's origin.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The clock's origin.
    public static let zero = Instant(microseconds: 0)

    /// Whether `a` is earlier than `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }

    /// The moment `span` later; the far future saturates instead of trapping.
    public static func + (instant: Instant, span: TimeSpan) -> Instant {
        let (sum, overflow) = instant.microseconds.addingReportingOverflow(span.microseconds)
        return Instant(microseconds: overflow ? .max : sum)
    }

    /// The time from `b` to `a`; negative when `a` is earlier.
    public static func - (a: Instant, b: Instant) -> TimeSpan {
        TimeSpan(microseconds: a.microseconds - b.microseconds)
    }
}

/// A length of time, in microseconds (systemd.time(7) counts in them too).
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// The length in microseconds.
    public let microseconds: Int64

    /// A length of `microseconds`.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// A length of whole seconds.
    public static func seconds(_ seconds: Int64) -> TimeSpan { TimeSpan(microseconds: seconds * 1_000_000) }

    /// A length of whole milliseconds.
    public static func milliseconds(_ milliseconds: Int64) -> TimeSpan {
        TimeSpan(microseconds: milliseconds * 1000)
    }

    /// No time at all.
    public static let zero = TimeSpan(microseconds: 0)

    /// Whether `a` is shorter than `b`.
    public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.microseconds < b.microseconds }

    /// Both lengths together.
    public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: a.microseconds + b.microseconds)
    }

    /// What is left of `a` after `b`; negative when `b` is longer.
    public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: a.microseconds - b.microseconds)
    }
}
