internal import Linux
internal import Notifications
internal import SupervisorPorts
internal import Systemd

/// Tells when local time does not simply go on: the clock is set, a day begins, the offset from UTC changes.
///
/// One timer on the clock of the day does it all; it wakes the supervisor once a day.
final class TimeWatch {
    private let timer: WallClockTimer
    private let source = SourceBox<IOSource>()
    private let offset: (Int64) -> Int64
    private var turn: DayTurn
    private let turned: (String) -> Void

    /// Watches from now on; `turned` is told by what: `clock`, `midnight` or `offset`.
    init(on loop: EventLoop, offset: @escaping (Int64) -> Int64, turned: @escaping (String) -> Void) throws {
        timer = try WallClockTimer()
        self.offset = offset
        self.turned = turned
        turn = DayTurn(after: Self.now, offset: offset)
        source.handle = try IOSource(
            on: loop, descriptor: timer.rawValue, events: .readable, priority: .clients
        ) { [unowned self] _ in
            switch timer.read() {
            case .due: tell(turn.kind.rawValue)
            case .clockSet: tell(TopicState.Time.clockSet)
            case .none: break
            }
        }
        // It has not been armed before: the clock cannot have been set since.
        _ = try timer.arm(at: turn.seconds)
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// The zone is another: the next turn is too.
    func zoneChanged() {
        if arm() { turned(TopicState.Time.clockSet) }
    }

    private static var now: Int64 { KernelClock.wall / 1_000_000 }

    private func tell(_ reason: String) {
        let wasSet = arm()
        turned(reason)
        if wasSet, reason != TopicState.Time.clockSet { turned(TopicState.Time.clockSet) }
    }

    /// Waits for the next turn; true where the clock was set since it was armed last, which nothing else will tell.
    private func arm() -> Bool {
        var wasSet = false
        // Set again in this very moment: on from there. It is told once.
        for _ in 0..<4 {
            turn = DayTurn(after: Self.now, offset: offset)
            // Ignoring a refusal: the descriptor is a timer and the moment is valid.
            if (try? timer.arm(at: turn.seconds)) ?? true { break }
            wasSet = true
        }
        return wasSet
    }
}
