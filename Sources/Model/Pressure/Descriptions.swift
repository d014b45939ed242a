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
        case .nobodyLeft: "no worker is left that may be evicted"
        case .holdsTooLittle: "the workers that may be evicted hold too little"
        case .broughtNothing: "what was freed was gone again at once"
        case .mayBeOver: "it may be over by itself"
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
