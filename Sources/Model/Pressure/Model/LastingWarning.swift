internal import Lifecycle

/// How long there has been a warning: one that lasts ends those that have slept longest.
struct LastingWarning: Hashable, Sendable {
    /// Since when it is a warning, without having been normal or critical.
    private var since: Instant?
    /// It had lasted too long before it became critical: until it is normal again it still does.
    private var isOverdue = false
    /// When sleepers are looked for again, where there was none.
    private var next: Instant?

    /// Whether it has lasted so long that sleepers have to go; `limit` nil is never.
    func isTooLong(_ limit: TimeSpan?, at now: Instant) -> Bool {
        guard let limit else { return false }
        return isOverdue || since.map { now - $0 >= limit } ?? false
    }

    /// Whether sleepers are to be looked for.
    func isDue(_ limit: TimeSpan?, at now: Instant) -> Bool {
        isTooLong(limit, at: now) && next.map { $0 <= now } ?? true
    }

    /// No worker may be evicted: one look in a while is enough.
    mutating func foundNobody(until next: Instant) { self.next = next }

    /// The level is another one.
    mutating func levelChanged(to level: PressureLevel, _ limit: TimeSpan?, at now: Instant) {
        switch level {
        case .normal: self = LastingWarning()
        case .warning:
            since = now
            next = nil
        case .critical:
            isOverdue = isTooLong(limit, at: now)
            since = nil
        }
    }
}
