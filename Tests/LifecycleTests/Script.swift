@testable import Lifecycle

/// What happens next in the life of a worker under test.
///
/// Said without the ids and generations that only the model knows.
enum Cue: Sendable {
    case event(Event)
    /// The callback in flight completes.
    case completes(Completion = .done)
    /// The oldest activity is over.
    case finishes
    /// The timer runs out, at its due.
    case expires(Timer, traced: Bool = false)
    /// Time passes.
    case passes(TimeSpan)

    static func wants(_ goal: Goal) -> Cue { .event(.requested(Request(goal, by: Vocabulary.human))) }

    static func idles() -> Cue { .event(.requested(Request(.suspended, by: .idle))) }

    static func exits(_ status: ExitStatus = .exited(0)) -> Cue { .event(.exited(status, oomKilled: false)) }

    /// A wake source fires that brings nothing.
    static let wakes = Cue.event(.woken(Wake(.path, intoForeground: false)))

    /// What it has used of the processors is looked at: a second in all.
    static let read = Cue.event(.cpuRead(CPUReading(used: .seconds(1))))

    static func brings(_ kind: Inbound.Kind, id: UInt32 = 1) -> Cue {
        .event(
            .woken(
                Wake(.url, intoForeground: kind.needsForeground, bringing: Inbound(id: id, kind))))
    }
}

/// A worker, its clock, and all that it has asked for.
struct Life {
    var worker: WorkerLifecycle
    var now: Instant
    private(set) var effects: [Effect] = []

    init(_ policy: Policy, at now: Instant = .zero + .seconds(1000), _ cues: [Cue] = []) {
        worker = WorkerLifecycle(policy: policy)
        self.now = now
        play(cues)
    }

    /// Plays `cues` and returns what they brought.
    @discardableResult mutating func play(_ cues: [Cue]) -> [Effect] {
        // Not the end of `effects`, cut off: where the caller does not take that, the optimiser of Swift 6.3 frees it before it has been copied.
        var brought: [Effect] = []
        for cue in cues {
            switch cue {
            case .passes(let span):
                now = now + span
            case .event(let event):
                brought += worker.handle(event, at: now)
            case .completes(let completion):
                brought += worker.handle(
                    .completed(id: worker.process?.slot?.id ?? 0, completion), at: now)
            case .finishes:
                brought += worker.handle(
                    .completed(id: worker.process?.activities.first?.id ?? 0, .done), at: now)
            case .expires(let timer, let traced):
                let armed = worker.timers[timer]
                now = max(now, armed?.due ?? now)
                brought += worker.handle(
                    .expired(timer, generation: armed?.generation ?? 0, traced: traced), at: now)
            }
        }
        effects += brought
        return brought
    }

    @discardableResult mutating func play(_ cues: Cue...) -> [Effect] { play(cues) }

    /// How long until a timer runs out; nil when it is not armed.
    func remaining(_ timer: Timer) -> TimeSpan? {
        worker.timers[timer].map { $0.due - now }
    }

    /// Every termination record so far.
    var records: [TerminationRecord] {
        effects.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }
}

/// The ways to the places where a test begins.
extension [Cue] {
    /// A worker of `Type=app` with every receiver, started and attached; willFinishLaunching is in flight.
    static let attached: [Cue] = [
        .wants(.active), .event(.launched(pid: 7)), .event(.attached(.all)),
    ]
    /// The same, in the foreground, with nothing in flight.
    static let active = attached + [.completes(), .completes(), .completes()]
    /// On the way out, with didEnterBackground in flight.
    static let entering = active + [.wants(.background), .completes()]
    /// Held in the background with nothing left to tell.
    static let background = entering + [.completes(), .completes(.refused)]
    /// Asleep, put there by us.
    static let asleep = background + [.idles(), .event(.frozen)]
}

extension [Cue] {
    /// A daemon that was launched into the background by a wake source, and was looked at once.
    static let restless: [Cue] = [.wakes, .event(.launched(pid: 7)), Cue.read]
}

/// What a worker and its observers see: changes of state and callbacks.
enum Seen: Equatable, CustomStringConvertible {
    case moved(State, State)
    case told(Callback)

    var description: String {
        switch self {
        case .moved(let from, let to): "\(from) → \(to)"
        case .told(let callback): "\(callback)"
        }
    }
}

extension [Effect] {
    var seen: [Seen] {
        compactMap {
            switch $0 {
            case .publish(let transition): .moved(transition.from, transition.to)
            case .deliver(let delivery): .told(delivery.callback)
            default: nil
            }
        }
    }
}
