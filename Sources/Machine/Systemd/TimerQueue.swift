internal import CSystemd
internal import Glibc

/// The armed timers of a loop, so that those which expire together fire in the order of their moments.
///
/// libsystemd serves sources of one priority that became ready in one wake-up in no particular order. A timer
/// that is called before its turn therefore calls the first one that is due, and waits for another call.
final class TimerQueue {
    private var armed: [Timer] = []
    private var armings: UInt64 = 0

    func insert(_ timer: Timer, at instant: Int64) {
        remove(timer)
        armings += 1
        timer.turn = Turn(instant: instant, arming: armings)
        timer.place = armed.count
        armed.append(timer)
    }

    func remove(_ timer: Timer) {
        guard let place = timer.place else { return }
        timer.place = nil
        // The last one fills the gap: the order is in the turns.
        let last = armed.removeLast()
        guard last !== timer else { return }
        armed[place] = last
        last.place = place
    }

    /// Of the timers with this priority that are due at `now`, the one whose turn it is.
    func first(dueAt now: Int64, _ priority: Priority) -> Timer? {
        var first: Timer?
        for timer in armed where timer.priority == priority && timer.turn.instant <= now {
            if let found = first, found.turn < timer.turn { continue }
            first = timer
        }
        return first
    }
}

/// When a timer is to fire, and which was armed first if two have the same moment.
struct Turn: Comparable {
    var instant: Int64
    var arming: UInt64

    static func < (a: Turn, b: Turn) -> Bool { (a.instant, a.arming) < (b.instant, b.arming) }
}

/// The handler of a time source.
@safe final class Timer: AnyHandler {
    let priority: Priority
    /// Meaningful while it is armed.
    var turn = Turn(instant: 0, arming: 0)
    /// Where it stands in the queue while it is armed.
    var place: Int?
    private let queue: TimerQueue
    private let body: (Int64) -> Void

    init(_ loop: EventLoop, _ place: CodePlace, priority: Priority, body: @escaping (Int64) -> Void) {
        self.queue = loop.timers
        self.priority = priority
        self.body = body
        super.init(loop, place)
    }

    override func released() { queue.remove(self) }

    /// Called by the timer's own source: lets the one fire whose turn it is, and comes again if that is
    /// another.
    func called() {
        var now: UInt64 = 0
        let event = unsafe sd_event_source_get_event(raw)
        guard unsafe sd_event_now(event, CLOCK_MONOTONIC, &now) >= 0,
            let first = queue.first(dueAt: Int64(clamping: now), priority), first !== self
        else { return fire() }
        unsafe sd_event_source_set_enabled(first.raw, CInt(SD_EVENT_OFF))
        unsafe sd_event_source_set_enabled(raw, CInt(SD_EVENT_ONESHOT))
        first.fire()
    }

    private func fire() {
        queue.remove(self)
        loop.serve(givenAt) { body(turn.instant) }
    }
}
