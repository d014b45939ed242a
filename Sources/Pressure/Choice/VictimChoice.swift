internal import Lifecycle

/// Whom to shed next, or why nobody.
enum VictimChoice: Hashable {
    case victim(VictimOrder.Ranked)
    case nobody(PressureReport.Helpless, held: Int64)

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
    /// Sleepers go as long as they can give a good part of what is missing. What runs goes only where it settles the matter: not
    /// for memory that it cannot give, not for stalls that may be over, and not where what was shed before it was gone at once.
    static func among(_ snapshot: PressureSnapshot, _ standing: Standing) -> VictimChoice {
        let (gauge, settings) = (standing.gauge, standing.settings)
        let ranked = VictimOrder.ranked(snapshot, settings)
            .filter { !standing.passedOver.contains($0.candidate.name) }
        let held = sum(ranked[...])
        guard let first = ranked.first else { return .nobody(.nobodyLeft, held: 0) }
        // All stand still although there is memory: it is not memory of ours that they wait for.
        if !gauge.isShortOfMemory, !gauge.isStallOurs { return .nobody(.notShort, held: held) }
        let missing = gauge.shortage(settings) - standing.pretended
        if first.candidate.band == .suspended {
            let asleep = ranked.prefix { $0.candidate.band == .suspended }
            return sum(asleep) >= missing / 4 ? .victim(first) : .nobody(.holdsTooLittle, held: held)
        }
        // A quarter above what is too little it counts as over: for what is missing until there, nobody goes who runs.
        if gauge.isJustClearing(settings) { return .nobody(.mayBeOver, held: held) }
        if standing.fruitless >= settings.mostFruitless { return .nobody(.broughtNothing, held: held) }
        if !gauge.isCriticalByMemory, standing.lasted < settings.persistence {
            return .nobody(.mayBeOver, held: held)
        }
        // Where memory is falling, whoever takes it takes this too: then it settles nothing.
        let falling = Int64(min(gauge.decline * settings.horizon, 1e15))
        return held >= missing + falling ? .victim(first) : .nobody(.holdsTooLittle, held: held)
    }

    private static func sum(_ ranked: ArraySlice<VictimOrder.Ranked>) -> Int64 {
        ranked.reduce(0) { held, entry in
            let (sum, overflow) = held.addingReportingOverflow(entry.benefit)
            return overflow ? .max : sum
        }
    }
}
