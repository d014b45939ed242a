internal import Lifecycle

/// The next worker to evict, or why there is none.
enum VictimChoice: Hashable {
    case victim(VictimOrder.Ranked)
    case nobody(PressureReport.NoVictim, Shortfall)

    /// What the choice depends on besides the snapshot.
    struct Standing {
        let gauge: PressureGauge
        let settings: PressureSettings
        /// How many victims in a row have brought nothing.
        let fruitless: Int
        /// Those that did not go, or that are only pretended to have gone.
        let passedOver: Set<String>
        /// What those would have brought that are only pretended to have gone.
        let pretended: Int64
        /// For how long it has been critical without a victim.
        let lasted: TimeSpan
    }

    /// The choice in a critical situation.
    ///
    /// Sleepers go one after the other, however little each brings: they come back by the next event.
    ///
    /// What runs goes however little it brings, too, where the workers cause the shortage: where all workers together, those that must not
    /// be evicted included, hold as much as is missing. Where they do not, other programs on the machine have taken the memory, and no
    /// worker that is in use dies for what is not the workers' matter (2.3, whose shortage): its end would not help, the other programs
    /// would take what it held, and the next one would have to follow. For the same reason it does not go where the ends before it brought
    /// nothing, nor for a stall that may be over by itself.
    static func among(_ snapshot: PressureSnapshot, _ eligibility: Standing, at now: Instant) -> VictimChoice
    {
        let (gauge, settings) = (eligibility.gauge, eligibility.settings)
        let ranked = VictimOrder.ranked(snapshot, settings, at: now)
            .filter { !eligibility.passedOver.contains($0.candidate.name) }
        // Where memory is falling, the program that takes it takes this too: then an eviction changes nothing.
        let shortfall = Shortfall(
            missing: max(0, gauge.shortage(settings) - eligibility.pretended),
            falling: Int64(max(0, min(gauge.decline * settings.horizon, 1e15))),
            within: TimeSpan(microseconds: Int64(settings.horizon * 1e6)),
            used: sum(
                snapshot.candidates.lazy
                    .filter { !eligibility.passedOver.contains($0.name) }
                    .map { $0.benefit(snapshot.sample) }),
            evictable: sum(ranked.lazy.map(\.benefit)))
        guard let first = ranked.first else { return .nobody(.nobodyLeft, shortfall) }
        if first.candidate.band == .suspended { return .victim(first) }
        // A quarter above what is too little it counts as over: for what is missing until there, no running worker is evicted.
        if gauge.isJustClearing(settings) { return .nobody(.mayBeOver, shortfall) }
        if eligibility.fruitless >= settings.mostFruitless { return .nobody(.broughtNothing, shortfall) }
        if !gauge.isCriticalByMemory, eligibility.lasted < settings.persistence {
            return .nobody(.mayBeOver, shortfall)
        }
        return shortfall.noVictim.map { .nobody($0, shortfall) } ?? .victim(first)
    }

    private static func sum(_ sizes: some Sequence<Int64>) -> Int64 {
        sizes.reduce(0) { held, size in
            let (sum, overflow) = held.addingReportingOverflow(size)
            return overflow ? .max : sum
        }
    }
}
