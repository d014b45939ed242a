internal import Records

/// What the loop has left for the store's thread.
struct WriteQueue {
    var backlog: Backlog
    var questions = QuestionQueue<Question>()
    /// How much is kept from now on, where that has changed.
    var retention: Retention?
    /// Whether the thread is to write what there is, and end.
    var isClosing = false

    init(limit: Backlog.Limit) {
        backlog = Backlog(limit: limit)
    }

    var isEmpty: Bool { backlog.isEmpty && questions.isEmpty && retention == nil && !isClosing }
}

/// What is to be read, and where the answer goes.
enum Question: Sendable {
    case history(Query, @Sendable (Page<HistoryEntry>) -> Void)
    case terminations(Query, @Sendable (Page<TerminationEntry>) -> Void)
    /// Answered by the store's thread itself: the caller waits for it, before there is a loop.
    case notifications(@Sendable (Result<[String: StoredNotifications], StoreError>) -> Void)
    case lastTerminations(of: [String], @Sendable ([Stored<TerminationEntry>]) -> Void)
}
