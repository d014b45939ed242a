// How they read in a sentence; logs, `status` and simulations say the same.

extension PressureBand {
    /// Where it stands, as an adverb.
    public var words: String {
        switch self {
        case .suspended: "suspended"
        case .background: "in the background"
        case .keptInBackground: "kept in the background"
        case .inactive: "inactive"
        case .active: "active"
        }
    }
}

extension PressureReport.Helpless {
    /// Why, as a clause.
    public var words: String {
        switch self {
        case .nobodyLeft: "there is nobody left who may go"
        case .holdsTooLittle: "what is left of ours holds too little"
        case .broughtNothing: "what was freed was gone again at once"
        case .mayBeOver: "it may be over by itself"
        }
    }
}

extension PressureVictim.Reason {
    /// Why somebody has to go, as a clause.
    public var words: String {
        switch self {
        case .pressure: "memory is critical"
        case .limit: "over its own memory limit"
        case .lastingWarning: "memory has been short for too long, and it has slept longest"
        }
    }
}
