package import Lifecycle

/// What watches one sleeper: an exhaustive state machine, so that nothing of it is open when the worker runs.
///
/// `drop` comes in the answer to the event that asks for it, before anything else in it.
package struct Eyes: Hashable, Sendable {
    /// How far it is.
    package enum State: Hashable, Sendable {
        /// The worker runs, or has no process: nothing is open.
        case closed
        /// It sleeps, and what it has open is looked up; the answer carries this number.
        case planning(UInt32)
        /// Duplicates are open.
        case watching(Watching)
        /// Its sockets are looked at from time to time.
        case sampling(EyePlan.Shortfall)
        /// It sleeps unwatched.
        case blind(EyePlan.Blindness)
    }

    /// Whether a wake has been asked for: once for each sleep.
    package struct Watching: Hashable, Sendable {
        /// How many duplicates are open.
        package var count: Int
        /// Among them an epoll instance of the worker's.
        package var hasEventPoll: Bool
    }

    /// What happened.
    package enum Event: Hashable, Sendable {
        /// It sleeps, which was confirmed, by a request of the supervisor's.
        case slept
        /// What it has open has been looked up: the plan of request `number`.
        case planned(UInt32, EyePlan)
        /// So many duplicates are open, of which one is an epoll instance.
        case fetched(count: Int, hasEventPoll: Bool)
        /// They could not be made, or not enough of them.
        case refused(EyePlan.Shortfall, canSample: Bool)
        /// One of its processes has something to read, or the time to look has come, and the filter has judged this.
        case judged(WakeFilter.Verdict)
        /// It is to run, to hear a signal or to be killed, or another program lets it run; or it is handed over.
        case waking
    }

    /// What is to be done, in this order.
    package enum Action: Hashable, Sendable {
        /// Look up what it has open; answer with `planned`.
        case plan(UInt32)
        /// Duplicate these; answer with `fetched` or `refused`.
        case fetch([EyePlan.Borrowed])
        /// Close every duplicate.
        case drop
        /// Look at its sockets from time to time.
        case sample
        /// Look at them again after this time, whatever else happens.
        case lookAgain(TimeSpan)
        /// Ask for its wake.
        case wake(WakeFilter.Reason)
        /// Say how it is watched.
        case tell
    }

    package private(set) var state = State.closed
    private var number: UInt32 = 0
    private var hasWoken = false

    /// The eyes of a worker that runs.
    package init() {}

    /// Whether duplicates of the worker's descriptors are open.
    package var holdsDescriptors: Bool { if case .watching = state { true } else { false } }

    /// What follows from an event; nothing where it means nothing any more.
    package mutating func handle(_ event: Event) -> [Action] {
        switch (event, state) {
        case (.slept, .closed):
            number &+= 1
            hasWoken = false
            state = .planning(number)
            return [.plan(number)]
        case (.slept, .planning), (.slept, .watching), (.slept, .sampling), (.slept, .blind): return []
        case (.planned(let answer, let plan), .planning(let asked)):
            guard answer == asked else { return [] }
            return follow(plan)
        case (.planned, .closed), (.planned, .watching), (.planned, .sampling), (.planned, .blind): return []
        case (.fetched(let count, let hasEventPoll), .watching):
            state = .watching(Watching(count: count, hasEventPoll: hasEventPoll))
            return [.tell]
        case (.fetched, .closed), (.fetched, .planning), (.fetched, .sampling), (.fetched, .blind):
            // They are not wanted any more.
            return [.drop]
        case (.refused(let shortfall, canSample: true), .watching):
            state = .sampling(shortfall)
            return [.drop, .sample, .tell]
        case (.refused(_, canSample: false), .watching):
            state = .blind(.unreadable)
            return [.drop, .tell]
        case (.refused, .closed), (.refused, .planning), (.refused, .sampling), (.refused, .blind): return []
        case (.judged(let verdict), .watching), (.judged(let verdict), .sampling):
            switch verdict {
            case .wake(let reason):
                guard !hasWoken else { return [] }
                hasWoken = true
                return [.wake(reason)]
            case .lookAgain(let span): return hasWoken ? [] : [.lookAgain(span)]
            case .leave: return []
            }
        case (.judged, .closed), (.judged, .planning), (.judged, .blind): return []
        case (.waking, .closed): return []
        case (.waking, .planning), (.waking, .sampling), (.waking, .blind):
            state = .closed
            return [.drop]
        case (.waking, .watching):
            state = .closed
            return [.drop]
        }
    }

    private mutating func follow(_ plan: EyePlan) -> [Action] {
        switch plan {
        case .borrowed(let wanted):
            // From here on duplicates may be open: whoever lets it run drops them first.
            state = .watching(Watching(count: 0, hasEventPoll: false))
            return [.fetch(wanted)]
        case .sampled(let shortfall):
            state = .sampling(shortfall)
            return [.sample, .tell]
        case .none(let why):
            state = .blind(why)
            return [.tell]
        }
    }
}
