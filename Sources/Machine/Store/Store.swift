internal import Lifecycle
internal import Linux
package import Records
internal import Synchronization

/// What must outlive the process: a SQLite database, and the one thread that waits for its disk.
///
/// A writer leaves a batch and goes on; batches that wait together are committed together. Answers, news and
/// `stored(upTo:)` come back by `deliver`. While the disk takes nothing, what is to be written waits in memory, bounded:
/// the oldest history is given up first, ends of processes last, and how much that was is recorded when it goes on.
///
/// What is committed survives the end of the process, however that comes. What a caller waits for, such as a post, is told as stored when the disk
/// has it (fdatasync(2), one for all that were left meanwhile), and survives a power cut; of the rest a power cut may take the last moments.
package final class Store: Sendable {
    /// Where and how much.
    package struct Settings: Sendable {
        /// The file of the database; its directory is made where it is missing.
        package var path: String
        /// How much is kept.
        package var retention: Retention
        /// Which boot this is (/proc/sys/kernel/random/boot_id).
        package var bootID: String
        /// How long writes without a waiting caller are gathered, in microseconds.
        var gathering: Int64 = 20_000
        /// How soon it is tried again after a failure, at first.
        var firstRetry = TimeSpan.seconds(1)
        /// Called by the store's thread when it has answered many questions and none waits: a moment to free memory.
        package var rested: @Sendable () -> Void = {}
        package var backlogLimit = BacklogLimit()
        var notificationLimits = NotificationLimits()
        var schema = Schema.current
        var pageLimit: Int?
        var clock: @Sendable () -> Int64 = { KernelClock.wall }
        /// The clock by which it waits, in microseconds.
        package var monotonic: @Sendable () -> Int64 = { KernelClock.monotonic }
        /// Serves it in the place of a thread of its own; nil is that thread.
        package var server: StoreServer?

        /// A database at `path`.
        package init(path: String, retention: Retention, bootID: String) {
            self.path = path
            self.retention = retention
            self.bootID = bootID
        }
    }

    /// Has a closure called by the thread of the store's user.
    package typealias Deliver = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let writeQueue: SignalledBox<WriteQueue>
    private let monotonic: @Sendable () -> Int64
    private let server: StoreServer?
    private let deliver: Deliver
    private let ended = SignalledBox(false)
    /// Why there is no thread yet; nil when it has been started.
    private let threadless = Mutex<Threadless?>(nil)

    private struct Threadless {
        let error: StoreError
        let retryAt: Int64
        var backoff: Backoff
        let start: @Sendable (_ isLate: Bool) throws(StoreError) -> Void
    }

    /// How many writes without a waiting caller are written without gathering more.
    static let fullLoad = 256

    /// A store that opens its file, on a thread of its own, when there is something to do.
    ///
    /// `report` hears of what goes wrong, and that it goes on; `stored` that all awaited batches up to this one are
    /// committed. The store's thread calls `deliver`, which carries them and the answers to questions to where they belong.
    package init(
        _ settings: Settings, deliver: @escaping Deliver, report: @escaping @Sendable (StoreEvent) -> Void,
        stored: @escaping @Sendable (_ upTo: Sequence) -> Void = { _ in }
    ) {
        let writeQueue = SignalledBox(WriteQueue(limit: settings.backlogLimit))
        self.writeQueue = writeQueue
        self.deliver = deliver
        (monotonic, server) = (settings.monotonic, settings.server)
        let ended = ended
        let say: @Sendable (StoreThread.Message) -> Void = { event in
            switch event {
            case .report(let event): deliver { report(event) }
            case .stored(let sequence): deliver { stored(sequence) }
            case .answer(let body): deliver(body)
            case .ended:
                ended.post {
                    $0 = true; return true
                }
            }
        }
        let start: @Sendable (Bool) throws(StoreError) -> Void = { isLate throws(StoreError) in
            try StoreThread.start(settings, at: writeQueue, isLate: isLate, say: say)
        }
        do throws(StoreError) { try start(false) } catch {
            say(.report(.unavailable(error)))
            var backoff = Backoff(first: settings.firstRetry, longest: .seconds(5))
            let retryAt = settings.monotonic() + backoff.failed().microseconds
            threadless.withLock {
                $0 = Threadless(error: error, retryAt: retryAt, backoff: backoff, start: start)
            }
        }
    }

    /// Tries again to start a thread that could not be started, when that is due, or at once for the last time; why there is none still.
    @discardableResult
    private func startLate(isLast: Bool = false) -> StoreError? {
        threadless.withLock { threadless in
            guard var waiting = threadless else { return nil }
            guard isLast || monotonic() >= waiting.retryAt else { return waiting.error }
            do throws(StoreError) {
                try waiting.start(true)
                threadless = nil
                return nil
            } catch {
                let retryAt = monotonic() + waiting.backoff.failed().microseconds
                threadless = Threadless(
                    error: error, retryAt: retryAt, backoff: waiting.backoff, start: waiting.start)
                return error
            }
        }
    }

    /// Leaves `batch` to be written, in this order; returns its number.
    @discardableResult
    package func write(_ batch: Batch) -> Sequence {
        leave(isAwaited: batch.isAwaited) { backlog in
            for write in batch.writes { backlog.append(write) }
        }
    }

    /// Leaves one thing to be written, for which no caller waits.
    @discardableResult
    package func write(_ write: Write) -> Sequence {
        leave(isAwaited: false) { $0.append(write) }
    }

    private func leave(isAwaited: Bool, _ append: (inout Backlog) -> Void) -> Sequence {
        var sequence = Sequence(0)
        writeQueue.post { writeQueue in
            let wasEmpty = writeQueue.isEmpty
            let wasUrgent = writeQueue.backlog.isUrgent
            let before = writeQueue.backlog.count
            append(&writeQueue.backlog)
            sequence = writeQueue.backlog.seal(isAwaited: isAwaited)
            // Awake or about to be, the thread finds it by itself.
            return wasEmpty || writeQueue.backlog.isUrgent && !wasUrgent
                || before < Self.fullLoad && writeQueue.backlog.count >= Self.fullLoad
        }
        server?.wanted()
        startLate()
        return sequence
    }

    /// Asks for a part of the history, with all that was left before.
    ///
    /// Where too many questions of the asker wait already, the answer is an empty page whose problem is `crowded`, and comes at once.
    package func history(
        _ query: Query, by asker: Asker = .ourselves,
        then answer: @escaping @Sendable (Page<HistoryEntry>) -> Void
    ) {
        if let error = startLate() {
            return deliver { answer(Page(rows: [], hasOlder: false, problem: error)) }
        }
        guard !ask(.history(query, answer), by: asker) else { return }
        deliver { answer(Page(rows: [], hasOlder: false, problem: .crowded)) }
    }

    /// Asks for ends of processes, with all that were left before; refused as ``history(_:by:then:)`` is.
    package func terminations(
        _ query: Query, by asker: Asker = .ourselves,
        then answer: @escaping @Sendable (Page<TerminationEntry>) -> Void
    ) {
        if let error = startLate() {
            return deliver { answer(Page(rows: [], hasOlder: false, problem: error)) }
        }
        guard !ask(.terminations(query, answer), by: asker) else { return }
        deliver { answer(Page(rows: [], hasOlder: false, problem: .crowded)) }
    }

    /// Asks for the last end of each of these workers; none where it cannot be read.
    package func lastTerminations(
        of workers: [String], then answer: @escaping @Sendable ([Stored<TerminationEntry>]) -> Void
    ) {
        guard startLate() == nil else { return deliver { answer([]) } }
        ask(.lastTerminations(of: workers, answer))
    }

    /// All that is kept for workers, by their names; waits for it, at most `patience` microseconds: for the start.
    package func notifications(patience: Int64 = 10_000_000) throws(StoreError) -> [String:
        StoredNotifications]
    {
        if let error = startLate() { throw error }
        let answer = SignalledBox<Result<[String: StoredNotifications], StoreError>?>(nil)
        ask(
            .notifications { result in
                answer.post {
                    $0 = result
                    return true
                }
            })
        server?.serve()
        let deadline = KernelClock.monotonic + patience
        let result: Result<[String: StoredNotifications], StoreError> = answer.take { result in
            if let result { return .take(result) }
            return KernelClock.monotonic < deadline
                ? .waitUntil(deadline) : .take(.failure(StoreError(.failed, "the disk does not answer")))
        }
        return try result.get()
    }

    /// The same without waiting: the answer comes as all do.
    package func notifications(
        then answer: @escaping @Sendable (Result<[String: StoredNotifications], StoreError>) -> Void
    ) {
        let deliver = deliver
        if let error = startLate() { return deliver { answer(.failure(error)) } }
        ask(.notifications { result in deliver { answer(result) } })
    }

    /// Keeps so much from now on, and deletes what is more than that.
    package func retain(_ retention: Retention) {
        writeQueue.post { writeQueue in
            writeQueue.retention = retention
            return true
        }
        server?.wanted()
    }

    @discardableResult
    private func ask(_ question: Question, by asker: Asker = .ourselves) -> Bool {
        var isTaken = false
        writeQueue.post { writeQueue in
            isTaken = writeQueue.questions.add(question, by: asker)
            return isTaken
        }
        server?.wanted()
        return isTaken
    }

    /// Writes what there is and ends the thread; false when that has not happened within `patience` microseconds.
    ///
    /// What is left or asked afterwards is lost.
    @discardableResult
    package func close(patience: Int64 = 5_000_000) -> Bool {
        writeQueue.post { writeQueue in
            writeQueue.isClosing = true
            return true
        }
        guard startLate(isLast: true) == nil else { return false }
        server?.serve()
        let deadline = KernelClock.monotonic + patience
        return ended.take { hasEnded in
            if hasEnded { return .take(true) }
            return KernelClock.monotonic < deadline ? .waitUntil(deadline) : .take(false)
        }
    }
}
