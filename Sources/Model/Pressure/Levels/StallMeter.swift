internal import Lifecycle

/// One kind of stall, as triggers and the kernel's totals tell it.
struct StallMeter: Hashable, Sendable {
    private var threshold = Threshold()
    /// When a trigger fired last.
    private var firedAt: Instant?
    /// Where measuring begins, for the machine and for our own group.
    private var base: Base?
    /// When it was last known to be past its threshold.
    private(set) var lastHigh: Instant?

    private struct Base: Hashable {
        let at: Instant
        let machine: TimeSpan?
        let subtree: TimeSpan?
    }

    var isHigh: Bool { threshold.isPassed }

    /// A trigger fired: the threshold was passed within the last window.
    mutating func fired(at now: Instant) {
        threshold.pass()
        firedAt = now
        lastHigh = now
    }

    /// Takes in the totals: they are worth something once a window has passed, since the kernel counts in steps of two seconds.
    mutating func take(
        machine: TimeSpan?, subtree: TimeSpan?, highAt limit: Double, window: TimeSpan, at now: Instant
    ) {
        guard let base else {
            self.base = Base(at: now, machine: machine, subtree: subtree)
            return
        }
        let passed = now - base.at
        guard passed >= window, passed > .zero else { return }
        self.base = Base(at: now, machine: machine, subtree: subtree)
        func share(_ before: TimeSpan?, _ after: TimeSpan?) -> Double {
            // A total that went back is another group's.
            guard let before, let after, after > before else { return 0 }
            return Double((after - before).microseconds) / Double(passed.microseconds) * 100
        }
        let figure = max(share(base.subtree, subtree), share(base.machine, machine))
        // Triggers see what the totals do not tell yet: they are believed until they have been silent for two windows.
        if figure < limit, let firedAt, now - firedAt <= window + window { return }
        threshold.take(figure, highAt: limit)
        if figure >= limit { lastHigh = now }
    }
}
