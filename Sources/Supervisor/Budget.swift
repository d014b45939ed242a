internal import Lifecycle

/// How much of something others may have us do: `most` at once, and as much again as time brings (a token bucket).
///
/// Pure: time is an argument. It may be overdrawn by ``charge(_:)``, and grants nothing then until that is made up for.
struct Budget: Hashable, Sendable {
    /// What is there when nothing has been used for long.
    let most: Int
    /// What comes back with every second.
    let perSecond: Int
    private var left: Int
    /// Up to when what came back has been counted.
    private var countedAt: Instant?

    /// A full budget.
    init(most: Int, perSecond: Int) {
        self.most = most
        self.perSecond = perSecond
        left = most
    }

    /// Takes as much of `wanted` as there is at `now`, and returns that.
    mutating func grant(_ wanted: Int, at now: Instant) -> Int {
        refill(at: now)
        let granted = max(0, min(wanted, left))
        left -= granted
        return granted
    }

    /// Takes back what was granted and not used.
    mutating func giveBack(_ unused: Int) { left = min(most, left + unused) }

    /// Takes `cost` whether it is there or not; never more than twice what the budget holds.
    mutating func charge(_ cost: Int) { left = max(-most, left - cost) }

    private mutating func refill(at now: Instant) {
        guard let last = countedAt, now > last else {
            countedAt = countedAt ?? now
            return
        }
        let passed = (now - last).microseconds
        // Full again: nothing is to be computed, and nothing can overflow.
        if perSecond > 0, passed >= Int64(2 * most) * 1_000_000 / Int64(perSecond) + 1 {
            left = most
            countedAt = now
            return
        }
        let earned = passed * Int64(perSecond) / 1_000_000
        guard earned > 0 else { return }
        left = min(most, left + Int(earned))
        // What is left over of the time counts the next time.
        countedAt = last + TimeSpan(microseconds: earned * 1_000_000 / Int64(perSecond))
    }
}
