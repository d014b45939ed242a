package import Lifecycle

/// What a simulated life came to: counts, and times in each state.
package struct Tally: Hashable, Sendable {
    /// Processes started.
    package private(set) var launches = 0
    /// Processes that ended, and launches that came to nothing, by cause.
    package private(set) var ends: [TerminationRecord.Cause: Int] = [:]
    /// Callbacks given to the worker.
    package private(set) var told = 0
    /// Callbacks that belonged to a change and that it was not given.
    package private(set) var notTold = 0
    /// Times that SIGKILL was sent.
    package private(set) var kills = 0
    /// How long it was in each state.
    package private(set) var times: [State: TimeSpan] = [:]
    private var state = State.notRunning
    private var since = Instant.zero

    /// Nothing yet.
    package init() {}

    /// How long it was in `state`.
    package subscript(state: State) -> TimeSpan { times[state, default: .zero] }

    /// For how much of the time for which it had a process it was awake, in tenths of a percent, rounded down; nil where it had none.
    package var awakeShare: Int? {
        let awake = [.inactive, .active, .background].reduce(TimeSpan.zero) { $0 + self[$1] }
        let all = awake + self[.suspended]
        guard all > .zero else { return nil }
        // Ten years in microseconds, a thousand times, fit.
        return Int(awake.microseconds * 1000 / all.microseconds)
    }

    /// Counts what a model decided at `now`.
    package mutating func count(_ effects: [Effect], at now: Instant) {
        for effect in effects {
            switch effect {
            case .launch: launches += 1
            case .deliver: told += 1
            case .kill: kills += 1
            case .record(let record): ends[record.cause, default: 0] += 1
            case .publish(let transition):
                notTold += transition.notTold.rawValue.nonzeroBitCount
                finish(at: now)
                state = transition.to
            case .freeze, .thaw, .stop, .inspectResources, .readCPU, .beginUse, .inspectUse, .throttle, .arm,
                .disarm,
                .launchCompleted, .savedState, .answerTask, .holdOver, .drop, .refuse, .warn, .report:
                break
            }
        }
    }

    /// Counts the time up to `now` to the present state.
    package mutating func finish(at now: Instant) {
        times[state] = self[state] + (now - since)
        since = now
    }

    /// Both together.
    package static func + (a: Tally, b: Tally) -> Tally {
        var sum = a
        sum.launches += b.launches
        sum.told += b.told
        sum.notTold += b.notTold
        sum.kills += b.kills
        sum.ends.merge(b.ends, uniquingKeysWith: +)
        sum.times.merge(b.times, uniquingKeysWith: +)
        return sum
    }
}
