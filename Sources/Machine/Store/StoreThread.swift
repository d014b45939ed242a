internal import Lifecycle
internal import Linux
internal import Records

/// The store's thread: takes what is on the write queue, writes it in one transaction, answers questions.
///
/// It sleeps without a limit while there is nothing to do.
@safe final class StoreThread: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: made by the thread that starts it, used by its own thread alone from then on.

    /// What it has to say to the store's user.
    enum Message: Sendable {
        case report(StoreEvent)
        case stored(Sequence)
        case answer(@Sendable () -> Void)
        case ended
    }

    private let settings: Store.Settings
    private let database: Database
    private let writeQueue: SignalledBox<WriteQueue>
    private let say: @Sendable (Message) -> Void
    /// What was taken from the write queue and could not be written.
    ///
    /// It is kept here and not on the write queue: putting it back would keep the loop waiting for the write queue.
    private var pending: Backlog
    /// When what waits has been gathered for long enough.
    private var gatheredAt: Int64?
    /// When it is tried again; nil while all is well.
    private var retryAt: Int64?
    private var backoff: Backoff
    /// How many questions were answered since memory was last freed.
    private var answered = 0
    private static let manyAnswers = 16
    /// SQLite and the Swift above it need some tens of kilobytes.
    private static let stackSize = 512 << 10

    private init(
        _ settings: Store.Settings, at writeQueue: SignalledBox<WriteQueue>, isLate: Bool,
        say: @escaping @Sendable (Message) -> Void
    ) {
        self.settings = settings
        self.writeQueue = writeQueue
        self.say = say
        backoff = Backoff(first: settings.firstRetry, longest: .seconds(5))
        pending = Backlog(limit: settings.backlogLimit)
        database = Database(
            DatabaseFile(path: settings.path, schema: settings.schema, pageLimit: settings.pageLimit),
            retention: settings.retention, bootID: settings.bootID, clock: settings.clock)
        // That it goes on is said with the first that is written.
        if isLate { retryAt = settings.monotonic() }
        if let server = settings.server { database.failure = { server.failure($0) } }
    }

    /// Starts the thread, which takes no signal; `isLate` when that has failed before.
    static func start(
        _ settings: Store.Settings, at writeQueue: SignalledBox<WriteQueue>, isLate: Bool,
        say: @escaping @Sendable (Message) -> Void
    ) throws(StoreError) {
        let storeThread = StoreThread(settings, at: writeQueue, isLate: isLate, say: say)
        if let server = settings.server { return try server.begin(storeThread) }
        do throws(LinuxError) {
            try DetachedThread.start(stackSize: stackSize) { storeThread.run() }
        } catch {
            throw StoreError(.failed, "cannot create the store thread: \(error)")
        }
    }

    private func run() {
        while perform(writeQueue.take { writeQueue in next(&writeQueue) }) {}
        end()
    }

    private func end() {
        // The last to close it clears its log away.
        database.close()
        say(.ended)
    }

    /// Does what is due, where there is no thread to wait; returns when something is due next, and nil where nothing is.
    func serve() -> Int64? {
        while true {
            switch writeQueue.with({ writeQueue in next(&writeQueue) }) {
            case .take(let work):
                guard perform(work) else {
                    end()
                    return nil
                }
            case .wait: return nil
            case .waitUntil(let moment): return moment
            }
        }
    }

    /// Lets go of the file without writing what waits.
    func abandon() { database.close() }

    // MARK: the write queue

    private typealias Work = (
        backlog: Backlog, question: Question?, retention: Retention?, isClosing: Bool
    )

    /// Does what was taken; false when that was the last.
    private func perform(_ work: Work) -> Bool {
        let (backlog, question, retention, isClosing) = work
        if let retention { database.retention = retention }
        pending.absorb(backlog)
        if isClosing || !isBlocked { commit() }
        // One at a time: what is to be written meanwhile does not wait for all questions.
        if let question {
            answer(question)
            answered += 1
        }
        // The last one writes what there is and answers what was asked before.
        if isClosing { while let question = writeQueue.with({ $0.questions.next() }) { answer(question) } }
        tellOddRows()
        prune()
        rest()
        return !isClosing
    }

    /// Tells of rows that were set aside, once.
    private func tellOddRows() {
        let count = database.takeOddRows()
        if count > 0 { say(.report(.oddRows(count))) }
    }

    /// Frees the memory of many answers, once no question waits.
    private func rest() {
        guard answered >= Self.manyAnswers, writeQueue.with({ $0.questions.isEmpty }) else { return }
        answered = 0
        settings.rested()
    }

    /// Whether it is too early to try again.
    private var isBlocked: Bool { retryAt.map { settings.monotonic() < $0 } ?? false }

    private func next(_ writeQueue: inout WriteQueue) -> SignalledBox<WriteQueue>.Step<Work> {
        if writeQueue.isClosing || !writeQueue.questions.isEmpty || writeQueue.retention != nil {
            defer { writeQueue.retention = nil }
            gatheredAt = nil
            return .take(
                (
                    writeQueue.backlog.take(), writeQueue.questions.next(), writeQueue.retention,
                    writeQueue.isClosing
                ))
        }
        guard !writeQueue.backlog.isEmpty || !pending.isEmpty else { return .wait }
        if isBlocked, let retryAt { return .waitUntil(retryAt) }
        let now = settings.monotonic()
        let due = gatheredAt ?? now + settings.gathering
        gatheredAt = due
        let isDue = now >= due || writeQueue.backlog.isUrgent || writeQueue.backlog.count >= Store.fullLoad
        guard isDue || !pending.isEmpty else { return .waitUntil(due) }
        gatheredAt = nil
        return .take((writeQueue.backlog.take(), nil, nil, false))
    }

    // MARK: writing

    private func commit() {
        guard !pending.isEmpty else { return }
        do throws(StoreError) {
            do throws(StoreError) { try database.write(pending) } catch {
                guard error.code == .broken else { throw error }
                try setAside(because: error)
                try database.write(pending)
            }
        } catch {
            return postpone(because: error)
        }
        let written = pending
        pending = Backlog(limit: settings.backlogLimit)
        if retryAt != nil { say(.report(.available)) }
        retryAt = nil
        backoff.succeeded()
        if !written.loss.isNone {
            say(
                .report(
                    .lost(history: written.loss.history, terminations: written.loss.terminations)))
        }
        if written.isAwaited { say(.stored(written.last)) }
    }

    private func postpone(because error: StoreError) {
        database.close()
        if retryAt == nil { say(.report(.unavailable(error))) }
        retryAt = settings.monotonic() + backoff.failed().microseconds
    }

    private func setAside(because error: StoreError) throws(StoreError) {
        let path = try database.setAside(because: error)
        say(.report(.setAside(path: path, because: error)))
    }

    /// Deletes what is not kept any more, a portion at a time, until there is other work.
    private func prune() {
        guard database.isPruningDue, retryAt == nil else { return }
        do throws(StoreError) {
            while try database.prune(), writeQueue.with({ $0.isEmpty }) {}
        } catch {
            // Ignoring it: what is wrong with the file shows at the next write, and is told then.
            database.close()
        }
    }

    // MARK: answering

    private func answer(_ question: Question) {
        switch question {
        case .history(let query, let body):
            let page = page(query, waiting: pending.history)
            say(.answer { body(page) })
        case .terminations(let query, let body):
            let page = page(query, waiting: pending.terminations)
            say(.answer { body(page) })
        case .notifications(let body):
            do throws(StoreError) {
                body(.success(try database.notifications(within: settings.notificationLimits)))
            } catch {
                readingFailed(error)
                body(.failure(error))
            }
        case .lastTerminations(let workers, let body):
            var found: [Stored<TerminationEntry>] = []
            do throws(StoreError) { found = try database.lastTerminations(of: workers) } catch {
                readingFailed(error)
            }
            let result = found
            say(.answer { body(result) })
        }
    }

    private func page<Entry: Row>(_ query: Query, waiting: [Entry]) -> Page<Entry> {
        do throws(StoreError) { return try database.page(query, waiting: waiting) } catch {
            readingFailed(error)
            return database.page(query, onlyWaiting: waiting, error)
        }
    }

    private func readingFailed(_ error: StoreError) {
        database.close()
        guard error.code == .broken else { return }
        // Ignoring a failure: a file that cannot be moved away cannot be written either, and that is told then.
        try? setAside(because: error)
    }
}
