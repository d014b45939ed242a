internal import CSystemd
internal import Glibc

/// Calls its handler once when a moment of the wall clock has come, as sd_event_add_time(3) does for `CLOCK_REALTIME`.
///
/// The moment is a time of that clock: set forward past it, it has come; set back, it is as much further away.
@safe package struct WallTimeSource: ~Copyable {
    private let handle: SourceHandle

    /// A disarmed timer.
    package init(
        on loop: EventLoop, priority: Priority = .clients, file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping () -> Void
    ) throws(SystemdError) {
        handle = try unsafe SourceHandle(
            on: loop, priority: priority,
            handler: Handler<Void>(loop, CodePlace(file: file, line: line), handler),
            operation: "sd_event_add_time"
        ) { event, source, userdata in
            unsafe sd_event_add_time(
                event, source, CLOCK_REALTIME, UInt64(Int64.max), 1,
                { _, _, userdata in unsafe Handler.call(userdata, ()) }, userdata)
        }
        handle.setEnabledInMemory(.off)
    }

    /// Fires once when the wall clock reaches `moment`, in microseconds since 1970; at once if that has passed.
    ///
    /// Replaces the moment for which it was armed before. Once the loop has ended it does nothing.
    package func arm(at moment: Int64) {
        handle.loop.checkThread()
        handle.setTime(moment)
        handle.setEnabledInMemory(.oneshot)
    }

    /// Does not fire until it is armed again.
    package func disarm() { handle.setEnabledInMemory(.off) }
}
