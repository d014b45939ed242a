internal import Linux
internal import Systemd

/// Asks file systems on a thread, and waits a moment for what they answer: one that does not answer keeps that thread, and not the loop.
///
/// Belongs to the loop's thread.
final class FileWork {
    private enum Progress<Answer: Sendable>: Sendable {
        case running
        case answered(Answer)
        /// The loop waits no longer.
        case late
    }

    /// How long the loop waits, in microseconds: a disk that is busy answers in that time.
    private static let patience: Int64 = 50_000

    private let loop: EventLoop
    private var thread = JobThread()

    init(on loop: EventLoop) { self.loop = loop }

    /// What `work` answers; nil where that takes too long: then `late` is told of it on the loop, if it ever comes.
    ///
    /// Fails where no thread can be made (pthread_create(3)).
    func answer<Answer: Sendable>(
        of work: @escaping @Sendable () -> Answer, late: @escaping (Answer) -> Void
    ) throws(LinuxError) -> Answer? {
        let progress = SignalledBox(Progress<Answer>.running)
        let (loop, late) = (loop, LoopConfined(late, on: loop))
        try thread.perform {
            let answer = work()
            var isLate = false
            progress.post { progress in
                if case .late = progress { isLate = true }
                progress = .answered(answer)
                return true
            }
            if isLate { loop.call { late.value(answer) } }
        }
        let end = KernelClock.monotonic + Self.patience
        let answer = progress.take { progress -> SignalledBox<Progress<Answer>>.Step<Answer?> in
            if case .answered(let answer) = progress { return .take(answer) }
            guard KernelClock.monotonic < end else {
                progress = .late
                return .take(nil)
            }
            return .waitUntil(end)
        }
        // What comes next does not wait behind it.
        if answer == nil { thread = JobThread() }
        return answer
    }

    /// The same for what nothing is done with afterwards.
    func perform(_ work: @escaping @Sendable () -> Void) {
        // Ignoring a failure: what could not be removed is cleared away by the next one that binds there.
        _ = try? answer(of: work) { _ in }
    }
}
