internal import Linux

/// A time in which an event loop served one thing and nothing else.
package struct LoopPause: Hashable, Sendable {
    /// How long it was, in microseconds.
    package let length: Int64
    /// When it ended, in microseconds of the monotonic clock.
    package let end: Int64
    /// What was served: where in the source its handler is given, as MODULE/FILE:LINE.
    package let place: String
    /// What the handler did, as it said itself (`EventLoop.doing`); nil where it said nothing.
    package let work: String?

    /// A pause as it was.
    package init(length: Int64, end: Int64, place: String, work: String?) {
        self.length = length
        self.end = end
        self.place = place
        self.work = work
    }
}

/// Where a handler is given: what tells one pause from another without a name for each source.
struct CodePlace: Sendable {
    let file: StaticString
    let line: UInt

    var text: String { "\(file):\(line)" }
}

/// The longest pauses of an event loop: of all time, and of late.
package struct LoopPauses: Sendable {
    /// How long a pause counts as late at least, and half of how long at most, in microseconds.
    package static let window: Int64 = 600_000_000

    /// The longest of all; nil while there was none.
    package private(set) var longest: LoopPause?
    private var before: LoopPause?
    private var present: LoopPause?
    private var turn: Int64 = 0

    /// None so far.
    package init() {}

    /// Whether a pause that ends at `end` would be told: it is the longest of its window, or of all.
    package mutating func counts(_ length: Int64, end: Int64) -> Bool {
        turnOver(end)
        return length > present?.length ?? -1
    }

    /// Takes down a pause that counts.
    package mutating func note(_ pause: LoopPause) {
        turnOver(pause.end)
        if pause.length > present?.length ?? -1 { present = pause }
        if pause.length > longest?.length ?? -1 { longest = pause }
    }

    /// The longest of the last window and what has passed of this one; nil where there was none.
    ///
    /// `now` is a time of the monotonic clock, in microseconds.
    package mutating func recent(at now: Int64) -> LoopPause? {
        turnOver(now)
        guard let before else { return present }
        guard let present, present.length > before.length else { return before }
        return present
    }

    private mutating func turnOver(_ now: Int64) {
        let next = now / Self.window
        guard next != turn else { return }
        before = next == turn + 1 ? present : nil
        present = nil
        turn = next
    }
}

extension EventLoop {
    /// Serves one thing, and takes down how long that took if it was long.
    func serve(_ place: CodePlace, _ body: () -> Void) {
        let begin = KernelClock.monotonic
        doing = nil
        body()
        let end = KernelClock.monotonic
        guard pauses.counts(end - begin, end: end) else { return }
        pauses.note(LoopPause(length: end - begin, end: end, place: place.text, work: doing))
    }
}
