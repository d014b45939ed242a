package import Lifecycle

/// A budget that refills with time: so much of something at once, and so much in the long run.
///
/// It is pure: the caller says what time it is. What something costs may be known only after it was done; the bucket then
/// goes into debt, and nothing is left in it for as long as the refilling takes.
package struct TokenBucket: Hashable, Sendable {
    /// What a full bucket holds.
    package let capacity: Int64
    /// How long an empty one takes to be full.
    package let refill: TimeSpan
    /// When it is full again; the past where it is.
    package private(set) var fullAt: Instant

    /// A full bucket.
    package init(holding capacity: Int64, refilledIn refill: TimeSpan) {
        self.capacity = max(capacity, 1)
        self.refill = refill
        fullAt = Instant(microseconds: .min)
    }

    /// A full bucket, into which so many a second come.
    package init(holding capacity: Int64, perSecond rate: Int64) {
        self.init(
            holding: capacity,
            refilledIn: TimeSpan(microseconds: TimeSpan.seconds(max(capacity, 1)).microseconds / max(rate, 1))
        )
    }

    /// How long the refilling of `amount` takes.
    private func span(of amount: Int64) -> TimeSpan {
        let (product, overflow) = max(amount, 0).multipliedReportingOverflow(by: refill.microseconds)
        return TimeSpan(microseconds: overflow ? refill.microseconds : product / capacity)
    }

    /// From when on there is something in it.
    package var hasRoomFrom: Instant { fullAt + (span(of: 1) - refill) }

    /// Whether there is something in it.
    package func hasRoom(at now: Instant) -> Bool { now >= hasRoomFrom }

    /// Whether nothing is missing in it.
    package func isFull(at now: Instant) -> Bool { now >= fullAt }

    /// Takes `amount` out of it, whether that is in it or not.
    package mutating func take(_ amount: Int64, at now: Instant) {
        fullAt = max(fullAt, now) + span(of: amount)
    }

    /// Takes as much of `wanted` as there is in it, and returns that.
    package mutating func take(upTo wanted: Int64, at now: Instant) -> Int64 {
        let granted = max(0, min(wanted, left(at: now)))
        if granted > 0 { take(granted, at: now) }
        return granted
    }

    /// Puts back what was taken and not used.
    package mutating func putBack(_ unused: Int64) {
        fullAt = fullAt + (.zero - span(of: unused))
    }

    /// What is in it: whole ones only, none while it is in debt.
    private func left(at now: Instant) -> Int64 {
        let missing = (fullAt - now).microseconds
        guard missing > 0 else { return capacity }
        guard missing < refill.microseconds else { return 0 }
        // No more than the capacity, since the quotient is below one.
        let (quotient, remainder) = refill.microseconds.dividingFullWidth(
            missing.multipliedFullWidth(by: capacity))
        return capacity - quotient - (remainder > 0 ? 1 : 0)
    }

    /// Takes one out of it, if there is one.
    package mutating func takeOne(at now: Instant) -> Bool {
        guard hasRoom(at: now) else { return false }
        take(1, at: now)
        return true
    }
}
