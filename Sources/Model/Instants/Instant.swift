/// A moment of the monotonic clock, in microseconds since boot.
///
/// The model never reads a clock: the caller passes the time (`CLOCK_MONOTONIC`, clock_gettime(2)).
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since an arbitrary origin.
    public let microseconds: Int64

    /// The moment `microseconds` after the clock's origin.
    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The clock's origin.
    public static let zero = Instant(microseconds: 0)

    /// Whether `a` is earlier than `b`.
    @inlinable
    public static func < (a: Instant, b: Instant) -> Bool { a.microseconds < b.microseconds }

    /// The moment `span` later; the far future and the far past saturate instead of trapping.
    @inlinable
    public static func + (instant: Instant, span: TimeSpan) -> Instant {
        Instant(microseconds: instant.microseconds.saturatingSum(span.microseconds))
    }

    /// The time from `b` to `a`; negative when `a` is earlier, and saturating.
    @inlinable
    public static func - (a: Instant, b: Instant) -> TimeSpan {
        TimeSpan(microseconds: a.microseconds.saturatingDifference(b.microseconds))
    }
}

/// A length of time, in microseconds (systemd.time(7) counts in them too).
///
/// Spans come from files, clients and workers: all arithmetic with them saturates instead of trapping.
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// The length in microseconds.
    public let microseconds: Int64

    /// A length of `microseconds`.
    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// A length of whole seconds.
    @inlinable
    public static func seconds(_ seconds: Int64) -> TimeSpan {
        TimeSpan(microseconds: seconds.saturatingProduct(1_000_000))
    }

    /// A length of whole milliseconds.
    @inlinable
    public static func milliseconds(_ milliseconds: Int64) -> TimeSpan {
        TimeSpan(microseconds: milliseconds.saturatingProduct(1000))
    }

    /// A length of zero.
    public static let zero = TimeSpan(microseconds: 0)

    /// Whether `a` is shorter than `b`.
    @inlinable
    public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.microseconds < b.microseconds }

    /// The sum of both lengths.
    @inlinable
    public static func + (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: a.microseconds.saturatingSum(b.microseconds))
    }

    /// The difference of both lengths; negative if `b` is longer.
    @inlinable
    public static func - (a: TimeSpan, b: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: a.microseconds.saturatingDifference(b.microseconds))
    }
}

extension Int64 {
    /// The sum, saturating at the limits.
    @inlinable
    func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// The difference, saturating at the limits.
    @inlinable
    func saturatingDifference(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }

    /// The product with a positive factor, saturating at the limits.
    @inlinable
    func saturatingProduct(_ factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? (self > 0 ? .max : .min) : product
    }
}
