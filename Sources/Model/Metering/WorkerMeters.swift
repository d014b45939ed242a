package import Lifecycle

/// What has been counted of one worker since its supervisor began.
///
/// Each count only grows. What would name a file, a peer or a caller is not counted apart: the number of series stays bounded.
package struct WorkerMeters: Hashable, Sendable {
    /// The state it is in now.
    package private(set) var state = State.notRunning
    /// Since when.
    package private(set) var since: Instant
    /// How often it has come into each state, in the order of `State.allCases`.
    package private(set) var entries = [UInt32](repeating: 0, count: State.allCases.count)
    /// How long it has been in each state, without the time since it came into the present one; in microseconds.
    private var dwelled = [Int64](repeating: 0, count: State.allCases.count)
    /// Launches, by what they were for.
    package private(set) var launches: [LaunchReason: UInt32] = [:]
    /// Wakes and launches by events, by the event.
    package private(set) var wakes: [LaunchReason: UInt32] = [:]
    /// Ends of its processes, by their causes.
    package private(set) var ends: [TerminationRecord.Cause: UInt32] = [:]
    /// Memory that its sleep and its evictions have given back, in bytes.
    package private(set) var givenBack: Int64 = 0
    /// Warnings.
    package private(set) var warnings: UInt32 = 0

    /// A worker that has no process, known since `now`.
    package init(since now: Instant) { since = now }

    /// Goes on from the state in which a predecessor has left the worker: that is no change.
    package mutating func takeOver(_ state: State, at now: Instant) { (self.state, since) = (state, now) }

    /// Counts a change of state.
    package mutating func changed(by transition: Transition) {
        dwelled[state.index] += max((transition.at - since).microseconds, 0)
        (state, since) = (transition.to, transition.at)
        entries[state.index] &+= 1
        if case .launched(let reason) = transition.cause { launches[reason, default: 0] &+= 1 }
    }

    /// Counts an event that wakes or launches it.
    package mutating func woken(by reason: LaunchReason) { wakes[reason, default: 0] &+= 1 }
    /// Counts the end of a process.
    package mutating func ended(by cause: TerminationRecord.Cause) { ends[cause, default: 0] &+= 1 }
    /// Counts memory that was given back, in bytes.
    package mutating func gave(back bytes: Int64) { givenBack &+= max(bytes, 0) }
    /// Counts a warning.
    package mutating func warned() { warnings &+= 1 }

    /// How long it has been in `state` by `now`.
    package func time(in state: State, at now: Instant) -> TimeSpan {
        let present = state == self.state ? max((now - since).microseconds, 0) : 0
        return TimeSpan(microseconds: dwelled[state.index] + present)
    }

    /// How often it has come into `state`.
    package func entries(into state: State) -> UInt32 { entries[state.index] }

    /// Adds what was counted of another worker, for the sum of those that have no series of their own.
    package mutating func add(_ other: WorkerMeters, at now: Instant) {
        for state in State.allCases {
            entries[state.index] &+= other.entries[state.index]
            dwelled[state.index] += other.time(in: state, at: now).microseconds
        }
        launches.merge(other.launches, uniquingKeysWith: &+)
        wakes.merge(other.wakes, uniquingKeysWith: &+)
        ends.merge(other.ends, uniquingKeysWith: &+)
        givenBack &+= other.givenBack
        warnings &+= other.warnings
    }
}

extension State {
    /// Its place among all states.
    fileprivate var index: Int {
        switch self {
        case .notRunning: 0
        case .inactive: 1
        case .active: 2
        case .background: 3
        case .suspended: 4
        }
    }
}
