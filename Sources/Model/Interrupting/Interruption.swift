package import Lifecycle

/// Why a worker is kept inactive for a time although it is to be active (1.4).
package struct Interruption: Hashable, Sendable {
    /// What interrupts, which determines what ends it.
    package enum Kind: Hashable, Sendable {
        /// The lock of a session of the worker's user, by the session's id: until it is unlocked or ends.
        case sessionLock(String)
        /// A caller, for a purpose: as long as its call lasts.
        case call(String)
        /// A caller, for a purpose: until a caller ends it.
        case request(String)
        /// The worker itself, for a purpose: until it ends it, or its process ends.
        case worker(String)
        /// An alert about a topic: until it is answered, or the worker's process ends.
        case alert(String)
    }

    /// Why an interruption is over.
    package enum End: String, Hashable, Sendable, CaseIterable {
        /// What began it ended it.
        case ended
        /// The session was unlocked, or has ended.
        case unlocked
        /// The alert was answered.
        case answered
        /// Its time is over.
        case limit
        /// The process of the worker ended.
        case processEnded
        /// The call of which it was a part ended with a supervisor.
        case callLost
    }

    /// Its number, which no other interruption of the worker has.
    package let number: UInt32
    /// What interrupts.
    package let kind: Kind
    /// The requester.
    package let requester: Requester
    /// When it began.
    package let since: Instant
    /// When it is over at the latest; nil where its time is not limited.
    package let due: Instant?

    package init(number: UInt32, _ kind: Kind, by requester: Requester, since: Instant, due: Instant?) {
        self.number = number
        self.kind = kind
        self.requester = requester
        self.since = since
        self.due = due
    }

    /// Whether it ends with the process of the worker.
    package var endsWithProcess: Bool {
        switch kind {
        case .worker, .alert: true
        case .sessionLock, .call, .request: false
        }
    }
}

/// What becomes of the interruptions of a worker.
package enum InterruptionEvent: Hashable, Sendable {
    /// One begins, by a requester, for this time at most; not for the lock of a session, of which `locked` tells.
    case began(Interruption.Kind, by: Requester, limit: TimeSpan?)
    /// The call of this one ends.
    case ended(UInt32)
    /// The worker ends this one, which is its own.
    case endedByWorker(UInt32)
    /// A caller ends one that a caller has begun without a command: this one, or the one that began last.
    case endRequested(UInt32?)
    /// An alert is answered: this one, or the one that began first.
    case answered(UInt32?)
    /// These are all locked sessions of its user.
    case locked(Set<String>)
    /// The process of the worker ended.
    case processEnded
    /// The time of one may be over.
    case due
    /// The supervisor took the worker over from one that was killed: no call of before lasts.
    case takenOver
}

/// What must be done about the interruptions of a worker.
package enum InterruptionEffect: Hashable, Sendable {
    /// One began.
    case began(Interruption)
    /// One is over.
    case over(Interruption, Interruption.End)
    /// The model of the worker's life is to be told: `interrupted` or `interruptionEnded`.
    case tell(Event)
    /// What was asked is not done.
    case refused(InterruptionRefusal)
}

/// Why an interruption does not begin, or is not ended.
package enum InterruptionRefusal: Hashable, Sendable, Error {
    /// The worker has as many as it may have.
    case tooMany(Int)
    /// It has none that a caller began and may end.
    case noneRequested
    /// It has no alert that waits for an answer.
    case noAlert
    /// It has none of this number that may be ended so.
    case noSuch(UInt32)
}
