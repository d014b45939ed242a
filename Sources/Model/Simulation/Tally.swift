public import Lifecycle

/// What a simulated life came to: counts, and times in each state.
public struct Tally: Hashable, Sendable {
    /// Processes started.
    public private(set) var launches = 0
    /// Processes that ended, and launches that came to nothing, by cause.
    public private(set) var ends: [TerminationRecord.Cause: Int] = [:]
    /// Callbacks given to the worker.
    public private(set) var told = 0
    /// Callbacks that belonged to a change and that it was not given.
    public private(set) var notTold = 0
    /// Times that SIGKILL was sent.
    public private(set) var kills = 0
    /// How long it was in each state.
    public private(set) var times: [State: TimeSpan] = [:]
    private var state = State.notRunning
    private var since = Instant.zero

    /// Nothing yet.
    public init() {}

    /// How long it was in `state`.
    public subscript(state: State) -> TimeSpan { times[state, default: .zero] }

    /// Counts what a model decided at `now`.
    public mutating func count(_ effects: [Effect], at now: Instant) {
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
            case .freeze, .thaw, .stop, .inspectResources, .readCPU, .throttle, .arm, .disarm,
                .launchCompleted, .savedState, .answerTask, .holdOver, .drop, .refuse, .warn, .report:
                break
            }
        }
    }

    /// Counts the time up to `now` to the present state.
    public mutating func finish(at now: Instant) {
        times[state] = self[state] + (now - since)
        since = now
    }

    /// Both together.
    public static func + (a: Tally, b: Tally) -> Tally {
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
