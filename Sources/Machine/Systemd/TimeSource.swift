internal import CSystemd
internal import Glibc

/// Calls its handler once when a moment of the monotonic clock has come, as sd_event_add_time(3) does.
///
/// One source serves many deadlines in turn: it is made disarmed, and arming or disarming it costs no system
/// call of its own, since the loop sets one timer descriptor for all. Timers of one priority fire in the
/// order of their moments, even those that are found expired together, and those of one moment in the order
/// in which they were armed.
@safe package struct TimeSource: ~Copyable {
    private let handle: SourceHandle
    private let timer: Timer

    /// A disarmed timer whose handler gets the moment for which it was armed.
    ///
    /// It may fire up to `accuracy` microseconds late, so that wake-ups can be shared; 1 is the most exact,
    /// and what is smaller counts as 1 (libsystemd would read 0 as 250 ms).
    package init(
        on loop: EventLoop, accuracy: Int64 = 1, priority: Priority = .deadlines,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (Int64) -> Void
    ) throws(SystemdError) {
        let timer = Timer(loop, CodePlace(file: file, line: line), priority: priority, body: handler)
        handle = try unsafe SourceHandle(
            on: loop, priority: priority, handler: timer, operation: "sd_event_add_time"
        ) { event, source, userdata in
            unsafe sd_event_add_time(
                event, source, CLOCK_MONOTONIC, UInt64(Int64.max), UInt64(max(accuracy, 1)),
                { _, _, userdata in
                    guard let userdata = unsafe userdata else { return 0 }
                    let timer = unsafe Unmanaged<Timer>.fromOpaque(userdata).takeUnretainedValue()
                    withExtendedLifetime(timer) { timer.called() }
                    return 0
                }, userdata)
        }
        self.timer = timer
        handle.setEnabledInMemory(.off)
    }

    /// Fires once when `CLOCK_MONOTONIC` reaches `instant`, in microseconds; at once if that has passed.
    ///
    /// Replaces the moment for which it was armed before. Once the loop has ended it does nothing.
    package func arm(at instant: Int64) {
        handle.loop.checkThread()
        handle.setTime(instant)
        handle.setEnabledInMemory(.oneshot)
        handle.loop.timers.insert(timer, at: instant)
    }

    /// Does not fire until it is armed again, even if its moment has come and only the call is outstanding.
    package func disarm() {
        handle.setEnabledInMemory(.off)
        handle.loop.timers.remove(timer)
    }

    /// How many microseconds late it may fire.
    package var accuracy: Int64 {
        handle.loop.checkThread()
        var microseconds: UInt64 = 0
        guard let raw = unsafe try? handle.raw() else { return 0 }
        handle.expect(
            unsafe sd_event_source_get_time_accuracy(raw, &microseconds),
            "sd_event_source_get_time_accuracy")
        return Int64(clamping: microseconds)
    }

    /// Whether it is armed and has not fired.
    package var isArmed: Bool {
        handle.loop.checkThread()
        return timer.place != nil
    }
}
