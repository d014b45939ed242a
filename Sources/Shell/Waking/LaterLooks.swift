package import Lifecycle
internal import Linux
internal import Systemd
internal import WorkerIO

/// Looks that are due a fixed time after they were asked for, all the same, so that they come due in that order: one timer for all.
package final class LaterLooks {
    private let loop: EventLoop
    private var waiting: [(due: Instant, look: () -> Void)] = []
    private let timer = SourceBox<TimeSource>()

    init(on loop: EventLoop) { self.loop = loop }

    /// Has `look` called at `due`, or a little later.
    package func enter(at due: Instant, _ look: @escaping () -> Void) {
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, accuracy: 100_000, priority: .clients) {
                [unowned self] _ in lookAll()
            }
        }
        waiting.append((due, look))
        if waiting.count == 1 { timer.handle?.arm(at: due.microseconds) }
    }

    private func lookAll() {
        let now = Instant(microseconds: KernelClock.monotonic)
        let due = waiting.prefix { $0.due <= now }
        waiting.removeFirst(due.count)
        if let next = waiting.first { timer.handle?.arm(at: next.due.microseconds) }
        for one in due { one.look() }
    }
}
