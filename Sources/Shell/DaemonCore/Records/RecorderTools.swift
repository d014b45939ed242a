internal import Linux
package import Store
package import Systemd

/// A timer of a recorder's.
package protocol RecorderTimer: AnyObject {
    /// Fires once at this moment, in microseconds of the recorder's clock, instead of any other asked before.
    func arm(at moment: Int64)
}

/// What a recorder has of the machine besides its loop: its clock, its timers, and the thread of its store.
///
/// They are the machine's own unless a walk in virtual time has others.
package struct RecorderTools {
    /// The monotonic clock, in microseconds.
    package var monotonic: @Sendable () -> Int64 = { KernelClock.monotonic }
    /// Makes a timer on a loop that may fire so many microseconds late; nil where that cannot be done.
    package var timer: Timer = { LoopTimer(on: $0, accuracy: $1, $2) }
    package typealias Timer = (EventLoop, Int64, @escaping () -> Void) -> (any RecorderTimer)?
    /// Has a closure called on the loop, from the store's thread.
    package var deliver: @Sendable (EventLoop, @escaping @Sendable () -> Void) -> Void = { $0.call($1) }
    /// Has the last word on how the store is used.
    package var prepare: (inout Store.Settings) -> Void = { _ in }

    /// The machine's own.
    package init() {}
}

/// A timer of the event loop.
private final class LoopTimer: RecorderTimer {
    private let source = SourceBox<TimeSource>()

    init?(on loop: EventLoop, accuracy: Int64, _ body: @escaping () -> Void) {
        source.handle = try? TimeSource(on: loop, accuracy: accuracy, priority: .clients) { _ in body() }
        if source.handle == nil { return nil }
    }

    func arm(at moment: Int64) { source.handle?.arm(at: moment) }
}
