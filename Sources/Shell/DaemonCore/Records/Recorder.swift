package import ControlAPI
internal import DequeModule
package import History
package import Lifecycle
internal import Linux
package import Records
package import Store
package import SupervisorPorts
package import Systemd

/// Records what happens to workers: hands it to the store without waiting, and asks the store when a client asks.
package final class Recorder {
    private let loop: EventLoop
    private let store: Store
    /// What is to be kept, until the moment at which it is put into words and left with the store.
    private var happened: [Happening] = []
    private var ends: [TerminationEntry] = []
    private var gathering: (any RecorderTimer)?
    /// Why nothing can be written at present.
    package private(set) var problem: StoreError?
    /// The callers that wait until a batch is on the disk, in the order of batches.
    private var waiting = Deque<Waiting>()
    /// Why what was kept before cannot be read, and nothing can be added to it.
    package private(set) var isUnread: String?
    private var unreadCode: StoreError.Code?
    private var reading: (any RecorderTimer)?
    private var readingBackoff: Backoff
    private let tools: RecorderTools
    /// The last that was left with the store, and the last that is known to be on the disk.
    private var lastLeft = Sequence(0)
    private var lastStored = Sequence(0)
    /// Hears what was kept, on the loop, when it can be read after all.
    package var wasRead: ([String: StoredInbox]) -> Void = { _ in }
    /// Hears what the store reports, on the loop.
    package var report: (StoreEvent) -> Void = { _ in }

    /// Keeps it in `directory`, no longer than `maxAge` (nil is for ever), and no more than `maxSize` bytes of it.
    package init(
        in directory: String, maxAge: TimeSpan?, maxSize: UInt64, on loop: EventLoop,
        bootID: String = Machine.bootID, firstRetry: TimeSpan = .seconds(1),
        tools: RecorderTools = RecorderTools()
    ) {
        self.tools = tools
        readingBackoff = Backoff(first: firstRetry, longest: .seconds(300))
        self.loop = loop
        let box = LoopConfined(WeakBox(), on: loop)
        var settings = Store.Settings(
            path: directory + "/torpor.db", retention: Self.retention(maxAge, maxSize), bootID: bootID)
        settings.rested = { ThisProcess.giveMemoryBack() }
        tools.prepare(&settings)
        let deliver = tools.deliver
        store = Store(
            settings,
            deliver: { deliver(loop, $0) }, report: { event in box.value.recorder?.heard(event) },
            stored: { sequence in box.value.recorder?.stored(upTo: sequence) })
        box.value.recorder = self
        // Without it, each is left at once.
        gathering = tools.timer(loop, Self.gatheringTime) { [unowned self] in flush() }
        reading = tools.timer(loop, 100_000) { [unowned self] in readAgain() }
    }

    /// Keeps it no longer than `maxAge` from now on, and no more than `maxSize` bytes of it.
    package func retain(maxAge: TimeSpan?, maxSize: UInt64) { store.retain(Self.retention(maxAge, maxSize)) }

    private static func retention(_ maxAge: TimeSpan?, _ maxSize: UInt64) -> Retention {
        Retention(maxAge: maxAge?.microseconds, maxSize: Int64(clamping: maxSize))
    }

    /// Leaves what the history keeps of `notice`, and the record of an end.
    ///
    /// Costs the loop less than a microsecond at once, and a few in a turn of its own with all that happened within some
    /// milliseconds, whatever the disk does: a caller that waits for what happened is answered before that.
    package func record(_ notice: Notice, of worker: String, at now: Instant) {
        record(notice, of: worker, at: now, exitDetails: nil)
    }

    /// Leaves an entry of the history.
    package func record(_ entry: HistoryEntry) {
        // What happened before it comes before it.
        flush()
        lastLeft = store.write(.history(entry))
    }

    /// The same, with what else is known of an end; returns the record of it.
    @discardableResult
    package func record(
        _ notice: Notice, of worker: String, at now: Instant, exitDetails: @autoclosure () -> ExitDetails?
    ) -> TerminationEntry? {
        switch notice {
        case .changed:
            // What happens most often.
            happened.append(
                Happening(notice: notice, worker: worker, at: now, answered: answers.take(of: worker)))
            leaveSoon()
            return nil
        case .completed(let callback, let completion, let took):
            let change = happened.firstIndex { event in
                if case .changed = event.notice { event.worker == worker && event.at == now } else { false }
            }
            if let change {
                // The change that waited for it, which is told first.
                let words = AnsweredCallbacks.words(callback, completion, took)
                happened[change].answered = [happened[change].answered, words].compactMap(\.self).joined(
                    separator: ", ")
            } else {
                answers.note(callback, completion, took, of: worker)
            }
            return nil
        default: if !notice.isStored { return nil }
        }
        happened.append(Happening(notice: notice, worker: worker, at: now, answered: nil))
        defer { leaveSoon() }
        guard case .ended(let record) = notice else { return nil }
        let end = TerminationEntry(record, of: worker, exitDetails: exitDetails(), now: now)
        ends.append(end)
        return end
    }

    private func leaveSoon() {
        if happened.count == Self.mostGathered || gathering == nil {
            flush()
        } else if happened.count == 1 {
            gathering?.arm(at: tools.monotonic() + Self.gatheringTime)
        }
    }

    private var answers = AnsweredCallbacks()

    private struct Happening {
        let notice: Notice
        let worker: String
        let at: Instant
        /// The callbacks that were answered before it or with it, and after how long.
        var answered: String?
    }

    private static let mostGathered = 64
    /// How long what happened may wait for more, in microseconds: less than the store takes to write it.
    private static let gatheringTime: Int64 = 5000

    /// Leaves with the store what is to be kept of what has happened, without waiting for the turn of its own.
    package func flush() {
        guard !happened.isEmpty else { return }
        let now = Instant(microseconds: tools.monotonic())
        let entries = happened.compactMap { event in
            var entry = HistoryEntry(event.notice, of: event.worker, at: event.at, now: now)
            if entry?.kind == .changed { entry?.message = event.answered }
            return entry
        }
        lastLeft = store.write(Batch(entries.map { .history($0) } + ends.map { .termination($0) }))
        happened.removeAll(keepingCapacity: true)
        ends = []
    }

    /// Asks for ends of processes; the answer comes on the loop.
    package func terminations(
        _ query: Query, by asker: Asker = .ourselves, then answer: @escaping (Page<TerminationEntry>) -> Void
    ) {
        flush()
        let answer = LoopConfined(answer, on: loop)
        store.terminations(query, by: asker) { answer.value($0) }
    }

    /// Asks for entries of the history; the answer comes on the loop.
    package func history(
        _ query: Query, by asker: Asker = .ourselves, then answer: @escaping (Page<HistoryEntry>) -> Void
    ) {
        flush()
        let answer = LoopConfined(answer, on: loop)
        store.history(query, by: asker) { answer.value($0) }
    }

    /// Asks for the last end of each of these workers; the answer comes on the loop.
    package func lastTerminations(
        of workers: [String], then answer: @escaping ([Stored<TerminationEntry>]) -> Void
    ) {
        flush()
        let answer = LoopConfined(answer, on: loop)
        store.lastTerminations(of: workers) { answer.value($0) }
    }

    /// Writes what is left, when nothing more comes; a disk that takes nothing is not waited for very long.
    package func close() {
        flush()
        store.close()
    }

    /// Answers when all that was written before is on the disk, or cannot be.
    package func settle(then answer: @escaping () -> Void) {
        flush()
        keep([NotificationChange](), of: "") { _ in answer() }
    }

    /// Whether all that has happened is on the disk, as ``settle(then:)`` has it written; while the disk takes nothing, there is nothing
    /// to wait for.
    package var isSettled: Bool { happened.isEmpty && (problem != nil || lastLeft <= lastStored) }

    // MARK: notifications

    private struct Waiting {
        let sequence: Sequence
        let answer: (String?) -> Void
    }

    /// Why nothing can be promised to be kept at present; nil when all is well.
    package var obstacle: String? { problem?.description ?? isUnread }

    /// Leaves changes of what is kept for a worker; answers when they are on the disk, or cannot be written.
    package func keep(_ changes: [NotificationChange], of worker: String, then answer: ((String?) -> Void)?) {
        let writes = [Write.notifications(worker: worker, changes)]
        guard let answer, problem == nil else {
            // While nothing can be written, it waits in memory and no caller waits for it.
            lastLeft = store.write(Batch(writes))
            answer?(problem?.description)
            return
        }
        let sequence = store.write(Batch(writes, isAwaited: true))
        lastLeft = sequence
        waiting.append(Waiting(sequence: sequence, answer: answer))
    }

    /// All that is kept for workers; waits for it, for the start.
    ///
    /// What cannot be read is said, nothing is added to it, and it is tried again.
    package func storedNotifications() -> [String: StoredNotifications] {
        do throws(StoreError) { return try store.notifications() } catch {
            if error.code == .broken { report(.unavailable(error)) } else { cannotRead(error) }
            return [:]
        }
    }

    private func cannotRead(_ error: StoreError) {
        if isUnread == nil { report(.unreadable(error)) }
        isUnread = "cannot read the stored data: \(error)"
        unreadCode = error.code
        reading?.arm(at: tools.monotonic() + readingBackoff.failed().microseconds)
    }

    private func readAgain() {
        let answer: (Result<[String: StoredNotifications], StoreError>) -> Void = { [weak self] in
            self?.readAgain($0)
        }
        let confined = LoopConfined(answer, on: loop)
        store.notifications { confined.value($0) }
    }

    private func readAgain(_ result: Result<[String: StoredNotifications], StoreError>) {
        var kept: [String: StoredNotifications] = [:]
        switch result {
        case .success(let notifications): kept = notifications
        // A file that was set aside is another one now, and usable.
        case .failure(let error) where error.code == .broken: report(.unavailable(error))
        case .failure(let error): return cannotRead(error)
        }
        isUnread = nil
        readingBackoff.succeeded()
        report(.readable)
        wasRead(kept.mapValues { StoredInbox($0) })
    }

    private func stored(upTo sequence: Sequence) {
        lastStored = max(lastStored, sequence)
        while let first = waiting.first, first.sequence <= sequence { waiting.removeFirst().answer(nil) }
    }

    private func cannotStore(_ error: StoreError) {
        let all = waiting
        waiting = []
        for one in all { one.answer(error.description) }
    }

    private func heard(_ event: StoreEvent) {
        switch event {
        case .unavailable(let error):
            problem = error
            cannotStore(error)
        case .available: problem = nil
        case .unreadable, .readable, .setAside, .lost, .oddRows: break
        }
        report(event)
    }

    private static let failureRemedy =
        "see 'dmesg' for the disk, and MemoryMax= and TasksMax= of the unit; torpord retries automatically"

    /// Whether what happens outlives the daemon.
    package func finding(directory: String) -> SupervisorInterface.Finding {
        // What was kept before and cannot be read is the cause of whatever else fails there.
        if let isUnread, problem?.code != .full {
            return .init(
                capability: "history", available: false,
                detail: "\(isUnread); persistent posts are refused",
                remedy: unreadCode == .failed
                    ? Self.failureRemedy
                    : "make \(directory)/torpor.db readable for torpord, which retries automatically")
        }
        guard let problem else {
            return .init(
                capability: "history", available: true,
                detail: "the history is stored in \(directory)/torpor.db",
                remedy: nil)
        }
        let remedy =
            switch problem.code {
            case .full: "free space on the disk of \(directory), or lower HistoryMaxSize= in torpord.conf"
            case .failed: Self.failureRemedy
            default: "make \(directory) writable for torpord, or use --state-dir"
            }
        return .init(capability: "history", available: false, detail: "\(problem)", remedy: remedy)
    }
}

/// Finds the recorder from the store that it holds.
private final class WeakBox {
    weak var recorder: Recorder?
}

extension Recorder {
    /// Leaves what was decided about memory with the history.
    package func record(_ news: MemoryNews, at now: Instant) {
        if let entry = news.historyEntry(at: WallClock.microseconds(of: now, now: now)) { record(entry) }
    }
}
