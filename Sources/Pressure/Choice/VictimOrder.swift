internal import Lifecycle

/// Who goes, and in which order (2.3).
enum VictimOrder {
    /// A candidate and what its end would bring.
    struct Ranked: Hashable {
        let candidate: PressureCandidate
        let benefit: Int64
    }

    /// All that may be shed and would bring something, first to die first.
    static func ranked(_ snapshot: PressureSnapshot, _ settings: PressureSettings) -> [Ranked] {
        snapshot.candidates
            .filter { $0.evictable != .no && !$0.isEnding }
            .map { Ranked(candidate: $0, benefit: $0.benefit(snapshot.sample)) }
            .filter { $0.benefit >= settings.leastBenefit }
            .sorted { precedes($0, $1, settings) }
    }

    private static func precedes(_ a: Ranked, _ b: Ranked, _ settings: PressureSettings) -> Bool {
        let (x, y) = (a.candidate, b.candidate)
        if x.band != y.band { return x.band < y.band }
        // Whoever runs is told in any case: only among sleepers it makes a difference.
        if x.band == .suspended {
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
