package import ConfigurationSyntax
package import Lifecycle

/// An activity on its way from the worker that does it to one that continues it.
package struct ActivityHandoff: Hashable, Sendable {
    /// How far it is.
    package enum Stage: Hashable, Sendable {
        /// The worker is asked for the state, until this moment.
        case asking(until: Instant)
        /// The caller has the state and carries it to the other worker, until this moment.
        case given(until: Instant)

        /// When its time is over.
        package var due: Instant {
            switch self {
            case .asking(let due), .given(let due): due
            }
        }
    }

    /// Its id, which no other handoff of any machine has.
    package let id: String
    /// The number by which the worker answers.
    package let number: UInt32
    /// The type of the activity.
    package let type: ActivityType
    /// What it is about, for people.
    package let title: String?
    /// The requester.
    package let requester: Requester
    /// When it began.
    package let since: Instant
    /// Whether the worker was in the foreground then, and so is brought back where the activity stays with it.
    package let wasForeground: Bool
    /// How far it is.
    package internal(set) var stage: Stage

    package init(
        id: String, number: UInt32, _ type: ActivityType, title: String?, by requester: Requester,
        since: Instant, wasForeground: Bool, _ stage: Stage
    ) {
        self.id = id
        self.number = number
        self.type = type
        self.title = title
        self.requester = requester
        self.since = since
        self.wasForeground = wasForeground
        self.stage = stage
    }
}

/// A caller wants an activity handed on.
package struct HandoffRequest: Hashable, Sendable {
    /// The id of the handoff.
    package let id: String
    /// The type; nil is the only one that the worker offers.
    package let type: ActivityType?
    /// The state, as the text of a JSON object, in the place of the worker's; nil asks the worker.
    package let state: String?
    /// The requester.
    package let requester: Requester

    package init(id: String, _ type: ActivityType?, state: String? = nil, by requester: Requester) {
        self.id = id
        self.type = type
        self.state = state
        self.requester = requester
    }
}

/// How a worker stands that is to hand on an activity.
package struct GiverStanding: Hashable, Sendable {
    /// Whether there is a process that can be asked.
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        /// There is.
        case running
        /// There is none.
        case notRunning
        /// Its launch is not complete.
        case launching
        /// It is ending.
        case ending
        /// Another program has stopped it.
        case held
    }

    /// Whether there is a process that can be asked.
    package let condition: Condition
    /// Whether it is in the foreground.
    package let isForeground: Bool
    /// Whether its own connection is attached.
    package let isConnected: Bool
    /// The types whose state a hook of its file tells; none where it has no such hook.
    package let hookTypes: [ActivityType]

    package init(
        _ condition: Condition, isForeground: Bool, isConnected: Bool, hookTypes: [ActivityType]
    ) {
        self.condition = condition
        self.isForeground = isForeground
        self.isConnected = isConnected
        self.hookTypes = hookTypes
    }
}

extension WorkerLifecycle {
    /// Whether it has a process that can be asked for the state of an activity.
    package var givingCondition: GiverStanding.Condition {
        if isEnding { return .ending }
        if state == .notRunning { return currentLaunch == nil ? .notRunning : .launching }
        if isLaunching { return .launching }
        return isHeld ? .held : .running
    }
}

/// What becomes of the activities of a worker.
package enum GivingEvent: Hashable, Sendable {
    /// The worker offers an activity, or tells its newer state.
    case offered(ActivityType, title: String?, state: String?, asks: Bool, ActivityOffer.Source)
    /// The worker takes an offer back; nil all of that source.
    case withdrawn(ActivityType?, ActivityOffer.Source)
    /// A caller wants one handed on.
    case began(HandoffRequest, GiverStanding)
    /// The worker tells the state, as the text of a JSON object, by the number of the handoff.
    case answered(UInt32, String)
    /// The worker does not tell it, for this reason.
    case notAnswered(UInt32, String)
    /// The other worker has taken it, by the id of the handoff and the name of the worker.
    case taken(String, by: String)
    /// No other worker has taken it, for this reason.
    case notTaken(String, why: String)
    /// The call that carries it has ended without a word.
    case callEnded(String)
    /// The worker's own connection is gone.
    case disconnected
    /// The process of the worker ended.
    case processEnded
    /// The time of the handoff may be over.
    case due
    /// The supervisor took the worker over from one that was killed: no call of before lasts.
    case takenOver
}

/// What must be done about the activities of a worker.
package enum GivingEffect: Hashable, Sendable {
    /// How a worker is asked for the state.
    package enum Way: Hashable, Sendable {
        /// By its own connection.
        case connection
        /// By the hook of its file.
        case hook
    }

    /// An activity is offered that was not offered before.
    case offered(ActivityOffer)
    /// One is not offered any more.
    case withdrawn(ActivityType)
    /// A handoff begins.
    case began(ActivityHandoff)
    /// The worker is to be asked for the state; it is awake until the handoff is over.
    case ask(ActivityHandoff, Way)
    /// The caller gets the state, as the text of a JSON object.
    case give(ActivityHandoff, state: String)
    /// The worker is to leave the foreground: the other one has the activity.
    case leave
    /// The worker is to be in the foreground again, where it left that for the other one.
    case comeBack
    /// A handoff is over.
    case over(ActivityHandoff, HandoffEnd)
    /// What was asked is not done.
    case refused(HandoffRefusal)
}

/// How a handoff ends: in all cases but the first the worker keeps the activity.
package enum HandoffEnd: Hashable, Sendable {
    /// This worker has taken it.
    case taken(by: String)
    /// No worker has taken it, for this reason.
    case notTaken(String)
    /// The worker did not tell the state, for this reason.
    case notTold(String)
    /// The worker did not tell the state in time.
    case askingOverran
    /// No word came back in time whether it was taken.
    case carryingOverran
    /// The call that carried it ended without a word.
    case callLost
    /// The process of the worker ended.
    case processEnded
}

/// What there is to tell of a worker and activities.
package enum HandoffNews: Hashable, Sendable {
    /// One of its activities is being handed over.
    case began(ActivityHandoff)
    /// The handoff is over.
    case over(ActivityHandoff, HandoffEnd)
    /// It has taken an activity of this type, from this worker, where that is known.
    case took(ActivityType, from: String?)
}

/// Why an activity is not offered, or not handed on.
package enum HandoffRefusal: Hashable, Sendable, Error {
    /// The worker offers as many as it may.
    case tooMany(Int)
    /// All that it offers takes too many bytes.
    case tooLarge(Int)
    /// It has offered too often in a short time.
    case tooOften
    /// The worker does not offer an activity of that type.
    case notOffered(ActivityType)
    /// It offers none.
    case noneOffered
    /// It offers several, and the type was not said.
    case severalOffered([ActivityType])
    /// One of its activities is being handed on already.
    case busy(ActivityType)
    /// It offers the state by its connection alone, which is gone.
    case notConnected
    /// There is no process that can be asked.
    case notNow(GiverStanding.Condition)
    /// No such handoff is under way.
    case noSuchHandoff
}
