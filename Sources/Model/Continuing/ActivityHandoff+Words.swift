internal import ConfigurationSyntax
package import Lifecycle

extension HandoffEnd {
    /// How it ended, in a clause.
    package var words: String {
        switch self {
        case .taken(let worker): "\(worker) has taken it"
        case .notTaken(let why): why
        case .notTold(let why): "its state could not be had: \(why)"
        case .askingOverran: "its state was not told within \(GivingPlan.askLimit.written())"
        case .carryingOverran: "no answer came within \(GivingPlan.carryLimit.written())"
        case .callLost: "the call that carried it ended"
        case .processEnded: "the worker's process ended"
        }
    }
}

extension HandoffRefusal {
    /// What is in the way, in a clause.
    package var sentence: String {
        switch self {
        case .tooMany(let most): "it offers the maximum of \(most) activities"
        case .tooLarge(let most): "all its activities together exceed \(most) bytes"
        case .tooOften: "it offers activities too often"
        case .notOffered(let type): "it does not offer an activity of the type \(type)"
        case .noneOffered: "it offers no activity"
        case .severalOffered(let types):
            "it offers several activities: \(types.map(\.text).joined(separator: ", ")); name one of them"
        case .busy(let type): "its activity \(type) is being handed over already"
        case .notConnected: "its connection, which tells the state of the activity, is closed"
        case .notNow(.running), .notNow(.notRunning): "it is not running"
        case .notNow(.launching): "its launch is not complete yet"
        case .notNow(.ending): "it is ending"
        case .notNow(.held): "another program has stopped it"
        case .noSuchHandoff: "no such handoff is under way"
        }
    }
}

extension HandoffNews {
    /// What happened, in a clause.
    package var words: String {
        switch self {
        case .began(let handoff): "its activity \(handoff.type) is being handed over"
        case .over(let handoff, .taken(let worker)): "\(worker) has taken its activity \(handoff.type)"
        case .over(let handoff, let end): "it keeps its activity \(handoff.type): \(end.words)"
        case .took(let type, let from): "it has taken the activity \(type)\(from.map { " of \($0)" } ?? "")"
        }
    }

    /// The requester, where that is known.
    package var requester: Requester? {
        switch self {
        case .began(let handoff), .over(let handoff, _): handoff.requester
        case .took: nil
        }
    }
}
