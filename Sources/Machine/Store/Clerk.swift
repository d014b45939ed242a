internal import Glibc

/// The store's thread: takes what is on the desk, writes it in one transaction, answers questions.
///
/// It sleeps without a limit while there is nothing to do.
@safe final class Clerk: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: made by the thread that starts it, used by its own thread alone from then on.

    /// What it has to say to whoever uses the store.
    enum Message: Sendable {
        case report(StoreEvent)
        case stored(Sequence)
        case answer(@Sendable () -> Void)
        case ended
    }

    private let settings: Store.Settings
    private let archive: Archive
    private let desk: Mailbox<Desk>
    private let say: @Sendable (Message) -> Void
    /// What was taken from the desk and could not be written.
    ///
    /// It is kept here and not on the desk: putting it back would keep the loop waiting for the desk.
    private var pending: Backlog
    /// When what waits has been gathered for long enough.
    private var gatheredAt: Int64?
    /// When it is tried again; nil while all is well.
    private var retryAt: Int64?
    private var retryDelay: RetryDelay
    /// How many questions were answered since memory was given back.
    private var answered = 0
    private static let manyAnswers = 16
    /// SQLite and the Swift above it need some tens of kilobytes.
    private static let stackSize = 512 << 10

    /// The monotonic clock in microseconds.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    private init(
        _ settings: Store.Settings, at desk: Mailbox<Desk>, say: @escaping @Sendable (Message) -> Void
    ) {
        self.settings = settings
        self.desk = desk
        self.say = say
        retryDelay = RetryDelay(first: settings.firstRetry, longest: 60_000_000)
        pending = Backlog(limit: settings.backlogLimit)
        archive = Archive(
            DatabaseFile(path: settings.path, schema: settings.schema, pageLimit: settings.pageLimit),
            retention: settings.retention, bootID: settings.bootID, clock: settings.clock)
    }

    /// Starts the thread, which takes no signal.
    static func start(
        _ settings: Store.Settings, at desk: Mailbox<Desk>, say: @escaping @Sendable (Message) -> Void
    ) {
        let clerk = Clerk(settings, at: desk, say: say)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, stackSize)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        // Inherited by the thread, so that there is no moment at which it could be given one.
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(clerk)
        let result = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Clerk>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        unsafe pthread_attr_destroy(&attributes)
        guard result != 0 else { return }
        unsafe box.release()
        say(.report(.unavailable(StoreError(.failed, "a thread for it cannot be made: error \(result)"))))
        say(.ended)
    }

    private func run() {
        while serve() {}
        // The last to close it clears its log away.
        archive.close()
        say(.ended)
    }

    // MARK: the desk

    /// Does what there is to do, once there is something; false when that was the last.
    private func serve() -> Bool {
        let (backlog, question, retention, isClosing) = desk.take { desk in next(&desk) }
        if let retention { archive.retention = retention }
        pending.absorb(backlog)
        if isClosing || !isBlocked { commit() }
        // One at a time: what is to be written meanwhile does not wait for all questions.
        if let question {
            answer(question)
            answered += 1
        }
        // The last one writes what there is and answers what was asked before.
        if isClosing { while let question = desk.with({ $0.questions.next() }) { answer(question) } }
        tellOddRows()
        prune()
        rest()
        return !isClosing
    }

    /// Tells of rows that were set aside, once.
    private func tellOddRows() {
        let count = archive.takeOddRows()
        if count > 0 { say(.report(.oddRows(count))) }
    }

    /// Has the memory of many answers given back, once no question waits.
    private func rest() {
        guard answered >= Self.manyAnswers, desk.with({ $0.questions.isEmpty }) else { return }
        answered = 0
        settings.rested()
    }

    /// Whether it is too early to try again.
    private var isBlocked: Bool { retryAt.map { Self.now < $0 } ?? false }

    private func next(
        _ desk: inout Desk
    )
        -> Mailbox<Desk>.Step<
            (backlog: Backlog, question: Question?, retention: Retention?, isClosing: Bool)
        >
    {
        if desk.isClosing || !desk.questions.isEmpty || desk.retention != nil {
            defer { desk.retention = nil }
            gatheredAt = nil
            return .take((desk.backlog.take(), desk.questions.next(), desk.retention, desk.isClosing))
        }
        guard !desk.backlog.isEmpty || !pending.isEmpty else { return .wait }
        if isBlocked, let retryAt { return .waitUntil(retryAt) }
        let now = Self.now
        let due = gatheredAt ?? now + settings.gathering
        gatheredAt = due
        let isDue = now >= due || desk.backlog.isUrgent || desk.backlog.count >= Store.fullLoad
        guard isDue || !pending.isEmpty else { return .waitUntil(due) }
        gatheredAt = nil
        return .take((desk.backlog.take(), nil, nil, false))
    }

    // MARK: writing

    private func commit() {
        guard !pending.isEmpty else { return }
        do throws(StoreError) {
            do throws(StoreError) { try archive.write(pending) } catch {
                guard error.code == .broken else { throw error }
                try setAside(because: error)
                try archive.write(pending)
            }
        } catch {
            return postpone(because: error)
        }
        let written = pending
        pending = Backlog(limit: settings.backlogLimit)
        if retryAt != nil { say(.report(.available)) }
        retryAt = nil
        retryDelay.succeeded()
        if !written.loss.isNone {
            say(
                .report(
                    .lost(history: written.loss.history, terminations: written.loss.terminations)))
        }
        if written.isAwaited { say(.stored(written.last)) }
    }

    private func postpone(because error: StoreError) {
        archive.close()
        if retryAt == nil { say(.report(.unavailable(error))) }
        retryAt = Self.now + retryDelay.failed()
    }

    private func setAside(because error: StoreError) throws(StoreError) {
        let path = try archive.setAside(because: error)
        say(.report(.setAside(path: path, because: error)))
    }

    /// Deletes what is not kept any more, a portion at a time, until there is other work.
    private func prune() {
        guard archive.isPruningDue, retryAt == nil else { return }
        do throws(StoreError) {
            while try archive.prune(), desk.with({ $0.isEmpty }) {}
        } catch {
            // Ignoring it: what is wrong with the file shows at the next write, and is told then.
            archive.close()
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
        case .mail(let body):
            do throws(StoreError) { body(.success(try archive.mail(within: settings.mailLimits))) } catch {
                readingFailed(error)
                body(.failure(error))
            }
        case .lastTerminations(let workers, let body):
            var found: [Stored<TerminationEntry>] = []
            do throws(StoreError) { found = try archive.lastTerminations(of: workers) } catch {
                readingFailed(error)
            }
            let result = found
            say(.answer { body(result) })
        }
    }

    private func page<Entry: Row>(_ query: Query, waiting: [Entry]) -> Page<Entry> {
        do throws(StoreError) { return try archive.page(query, waiting: waiting) } catch {
            readingFailed(error)
            return archive.page(query, onlyWaiting: waiting, error)
        }
    }

    private func readingFailed(_ error: StoreError) {
        archive.close()
        guard error.code == .broken else { return }
        // Ignoring a failure: a file that cannot be moved away cannot be written either, and that is told then.
        try? setAside(because: error)
    }
}
