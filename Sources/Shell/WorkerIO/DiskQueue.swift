package import Linux
package import Systemd

/// Questions to file systems, one after the other, on threads that are there only while there is something to ask.
///
/// A file system that does not answer, as a FUSE whose server hangs, holds up its own question only: when one has waited for
/// `patience` the next one goes to another thread, up to `mostThreads` of them. Where no thread can be created, a question waits like one
/// that is not answered, or is refused: the loop never asks itself.
package final class DiskQueue {
    private let loop: EventLoop
    private let patience: Int64
    private let mostThreads: Int
    private let makeThread: () -> JobThread
    private var waiting: [Question] = []
    private var first = 0
    /// Threads without a question.
    private var idle: [JobThread] = []
    private var threadCount = 0
    /// When each question that is asked now was begun, by its number.
    private var asked: [UInt64: Int64] = [:]
    private var lastNumber: UInt64 = 0
    private let timer = SourceBox<TimeSource>()

    /// What is asked on a thread, and what it leaves for the loop.
    private typealias Question = (JobThread) -> Void

    /// A queue without questions; `makeThread` makes what the threads are created by.
    package init(
        on loop: EventLoop, patienceMicroseconds patience: Int64 = 3_000_000, mostThreads: Int = 8,
        makeThread: @escaping () -> JobThread = { JobThread() }
    ) {
        self.makeThread = makeThread
        self.loop = loop
        self.patience = patience
        self.mostThreads = mostThreads
    }

    /// How many questions have no answer yet.
    package var count: Int { asked.count + waiting.count - first }

    /// Has `ask` done on a thread, and `answer` on the loop with what came of it.
    ///
    /// Where no thread can be created it waits until one can; with `refused` it is not asked then, and that is told why, in a turn of its
    /// own: for questions whose answer a caller waits for.
    package func perform<Answer: Sendable>(
        _ ask: @escaping @Sendable () -> Answer, then answer: @escaping (Answer) -> Void,
        refused: ((LinuxError) -> Void)? = nil
    ) {
        waiting.append { [unowned self] thread in
            lastNumber += 1
            let number = lastNumber
            asked[number] = KernelClock.monotonic
            let told: (Answer) -> Void = { [weak self] result in
                self?.answered(number, thread)
                answer(result)
            }
            guard let refused else { return thread.perform(ask, on: loop, then: told) }
            thread.perform(ask, on: loop, then: told) { [weak self] error in
                self?.answered(number, thread)
                refused(error)
            }
        }
        goOn()
    }

    private func goOn() {
        while first < waiting.count, mayAsk {
            let question = waiting[first]
            first += 1
            if first == waiting.count { (waiting, first) = ([], 0) }
            begin(question)
        }
        // Only a question that waits makes a late answer matter.
        guard first < waiting.count, threadCount < mostThreads || !idle.isEmpty,
            let youngest = asked.values.max()
        else { return }
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: loop, accuracy: 10_000, priority: .clients) {
                [unowned self] _ in goOn()
            }
        }
        timer.handle?.arm(at: youngest + patience)
    }

    /// Whether nothing is asked, or all that is has waited for so long that it holds up the others.
    private var mayAsk: Bool {
        guard !idle.isEmpty || threadCount < mostThreads else { return false }
        let now = KernelClock.monotonic
        return asked.values.allSatisfy { now - $0 >= patience }
    }

    private func begin(_ question: @escaping Question) {
        let thread: JobThread
        if let free = idle.popLast() {
            thread = free
        } else {
            thread = makeThread()
            threadCount += 1
        }
        question(thread)
    }

    private func answered(_ number: UInt64, _ thread: JobThread) {
        asked[number] = nil
        idle.append(thread)
        goOn()
    }
}
