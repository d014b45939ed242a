// How they read in a sentence; logs, `status` and simulations say the same.

extension PressureBand {
    /// Where it stands, as an adverb.
    package var words: String {
        switch self {
        case .suspended: "suspended"
        case .background: "in the background"
        case .keptInBackground: "kept in the background"
        case .inactive: "inactive"
        case .active: "active"
        }
    }
}

extension PressureReport.NoVictim {
    /// Why, as a clause.
    package var words: String {
        switch self {
        case .nobodyLeft: "no evictable worker is left"
        case .holdsTooLittle: "all workers together use less memory than is missing"
        case .keepsFalling:
            "other programs would take what an eviction frees, as available memory keeps falling"
        case .broughtNothing: "freed memory was used up again at once"
        case .mayBeOver: "the shortage may end by itself"
        }
    }
}

extension PressureVictim.Reason {
    /// Why a worker has to go, as a clause.
    package var words: String {
        switch self {
        case .pressure: "memory is critical"
        case .limit: "over its own memory limit"
        case .lastingWarning: "memory has been short for too long, and it has slept longest"
        }
    }
}
