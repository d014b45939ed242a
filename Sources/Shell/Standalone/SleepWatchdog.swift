internal import Linux
internal import Systemd

/// Answers the watchdog above while the child sleeps and cannot (3.5); it causes no wake-up while the child runs.
final class SleepWatchdog {
    private let half: Int64
    private let timer = SourceBox<TimeSource>()

    /// A watchdog of `period` microseconds that is answered by `answer`, at half of it.
    init(on loop: EventLoop, period: Int64, answer: @escaping () -> Void) throws {
        half = max(1, period / 2)
        timer.handle = try TimeSource(on: loop) { [unowned self] _ in
            answer()
            arm()
        }
    }

    /// Whether the child sleeps.
    var isAsleep = false {
        didSet {
            guard isAsleep != oldValue else { return }
            // The child's last sign of life may be nearly half a period old.
            if isAsleep { timer.handle?.arm(at: KernelClock.monotonic) } else { timer.handle?.disarm() }
        }
    }

    private func arm() {
        timer.handle?.arm(at: KernelClock.monotonic + half)
    }
}
