internal import Lifecycle

/// The workers that may be evicted, in order.
enum VictimOrder {
    /// A candidate and what its end would bring.
    struct Ranked: Hashable {
        let candidate: PressureCandidate
        let benefit: Int64
    }

    /// All that may be shed and would bring something, first to die first.
    ///
    /// A worker that has just fallen asleep comes after all older sleepers, whatever else they are: it may be wanted at once again.
    static func ranked(
        _ snapshot: PressureSnapshot, _ settings: PressureSettings, at now: Instant
    ) -> [Ranked] {
        evictable(snapshot)
            .sorted { a, b in
                let fresh = isFresh(a.candidate, settings, at: now)
                let other = isFresh(b.candidate, settings, at: now)
                if a.candidate.band == .suspended, b.candidate.band == .suspended, fresh != other {
                    return other
                }
                return precedes(a, b, settings)
            }
    }

    /// Those that sleep and may go because there has been a warning for too long: the one that has slept longest first.
    ///
    /// Whether one was prelaunched makes no difference here, and what does not die silently comes after what does, as always. A
    /// worker that has just fallen asleep has not slept long: it stays for the time being.
    static func longestAsleep(
        _ snapshot: PressureSnapshot, _ settings: PressureSettings, at now: Instant
    ) -> [Ranked] {
        evictable(snapshot)
            .filter { $0.candidate.band == .suspended && !isFresh($0.candidate, settings, at: now) }
            .sorted { a, b in
                let (x, y) = (a.candidate, b.candidate)
                if x.diesSilently != y.diesSilently { return x.diesSilently }
                guard x.asleepSince == y.asleepSince else {
                    // Where it is not known, that was before everything that is.
                    guard let earlier = x.asleepSince else { return true }
                    guard let later = y.asleepSince else { return false }
                    return earlier < later
                }
                if x.priority != y.priority { return x.priority < y.priority }
                return x.name < y.name
            }
    }

    /// All that may be shed and would bring something.
    private static func evictable(_ snapshot: PressureSnapshot) -> [Ranked] {
        snapshot.candidates
            .filter { $0.evictable != .no && !$0.isEnding }
            .map { Ranked(candidate: $0, benefit: $0.benefit(snapshot.sample)) }
            .filter { $0.benefit > 0 }
    }

    private static func isFresh(
        _ candidate: PressureCandidate, _ settings: PressureSettings, at now: Instant
    ) -> Bool {
        guard candidate.band == .suspended, let since = candidate.asleepSince else { return false }
        return now - since < settings.freshSleep
    }

    private static func precedes(_ a: Ranked, _ b: Ranked, _ settings: PressureSettings) -> Bool {
        let (x, y) = (a.candidate, b.candidate)
        if x.band != y.band { return x.band < y.band }
        // A running worker is warned in any case: only among suspended ones it makes a difference.
        if x.band == .suspended {
            // A connection that is open is lost with it, and a client that finds no open socket is refused.
            if x.isUnconnected != y.isUnconnected { return x.isUnconnected }
            if x.keepsDoors != y.keepsDoors { return x.keepsDoors }
            if x.diesSilently != y.diesSilently { return x.diesSilently }
            if x.isPrelaunched != y.isPrelaunched { return x.isPrelaunched }
        }
        if x.priority != y.priority { return x.priority < y.priority }
        if settings.biggestFirst, a.benefit != b.benefit { return a.benefit > b.benefit }
        if !settings.biggestFirst, x.lastActive != y.lastActive {
            guard let earlier = x.lastActive else { return true }
            guard let later = y.lastActive else { return false }
            return earlier < later
        }
        return x.name < y.name
    }
}
