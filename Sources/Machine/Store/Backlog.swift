internal import Records

/// How many of each may wait to be written.
package struct BacklogLimit: Hashable, Sendable {
    /// Entries of the history.
    package var history: Int
    /// Ends of processes.
    package var terminations: Int

    /// So many, or as many as a daemon keeps.
    package init(history: Int = 16_384, terminations: Int = 1024) {
        (self.history, self.terminations) = (history, terminations)
    }
}

/// What waits to be written, bounded: while nothing can be written, the oldest history goes first.
struct Backlog {
    typealias Limit = BacklogLimit

    /// What was given up.
    struct Loss: Hashable, Sendable {
        var history = 0
        var terminations = 0

        var isNone: Bool { history == 0 && terminations == 0 }
    }

    private(set) var history: [HistoryEntry] = []
    private(set) var terminations: [TerminationEntry] = []
    private(set) var notifications = NotificationBacklog()
    /// The last batch that is in it, or was.
    private(set) var last = Sequence(0)
    /// Whether a caller waits for any of it.
    private(set) var isAwaited = false
    /// What was given up since that was last told.
    var loss = Loss()
    let limit: Limit

    init(limit: Limit = Limit()) {
        self.limit = limit
    }

    /// Whether it is written at once: a caller waits for it, or an end is to be kept, of which there is no second word.
    var isUrgent: Bool { isAwaited || !terminations.isEmpty }
    var isEmpty: Bool { history.isEmpty && terminations.isEmpty && notifications.isEmpty && !isAwaited }
    var count: Int { history.count + terminations.count + notifications.count }

    mutating func append(_ write: Write) {
        switch write {
        case .history(let entry): history.append(entry)
        case .termination(let entry): terminations.append(entry)
        case .notifications(let worker, let changes): return notifications.append(changes, of: worker)
        }
        bound()
    }

    /// Ends a batch and gives it its number.
    mutating func seal(isAwaited: Bool) -> Sequence {
        last = Sequence(last.rawValue + 1)
        self.isAwaited = self.isAwaited || isAwaited
        return last
    }

    /// Everything that waits; nothing does then.
    mutating func take() -> Backlog {
        var taken = Backlog(limit: limit)
        taken.last = last
        swap(&taken, &self)
        // What was lost is told by the code that has taken it.
        return taken
    }

    /// Adds what has come later.
    mutating func absorb(_ later: consuming Backlog) {
        history += later.history
        terminations += later.terminations
        notifications.absorb(later.notifications)
        last = max(last, later.last)
        isAwaited = isAwaited || later.isAwaited
        loss.history += later.loss.history
        loss.terminations += later.loss.terminations
        bound()
    }

    private mutating func bound() {
        loss.history += Self.cut(&history, to: limit.history)
        loss.terminations += Self.cut(&terminations, to: limit.terminations)
    }

    /// Drops the oldest, several at a time: each drop moves all the others.
    private static func cut<Entry>(_ entries: inout [Entry], to limit: Int) -> Int {
        guard entries.count > limit else { return 0 }
        let dropped = min(entries.count, entries.count - limit + limit / 16)
        entries.removeFirst(dropped)
        return dropped
    }
}
