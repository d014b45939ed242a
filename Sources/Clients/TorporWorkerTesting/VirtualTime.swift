/// The time of a test: it passes when the test says so, and deadlines and background time are counted in it.
struct VirtualTime: Hashable, Sendable {
    /// What becomes due while time passes.
    enum Due: Hashable, Sendable {
        /// The callback of this number has no answer in time.
        case overdue(Int64)
        /// The background time is nearly over, and tasks run.
        case expiring
        /// The background time is over, and tasks run.
        case expired
    }

    /// How long all background tasks together may take.
    let taskLimit: Duration
    private(set) var now = Duration.zero
    /// When the background time began to count; nil while it does not.
    private var backgroundSince: Duration?
    /// Since when the worker sleeps; nil while it does not.
    private var suspendedSince: Duration?
    private var deadlines: [Int64: Duration] = [:]
    private var tasks: Set<Int64> = []
    private var hasWarned = false
    private var hasExpired = false

    init(taskLimit: Duration) {
        self.taskLimit = taskLimit
    }

    /// How long before the end of the background time it is announced: 5 s, or a tenth of a shorter limit.
    private var warning: Duration { min(.seconds(5), taskLimit / 10) }

    /// What is left of the background time; nil while it does not count.
    var remaining: Duration? { backgroundSince.map { max(.zero, taskLimit - (now - $0)) } }

    /// A callback was delivered that is to be answered within `limit`.
    mutating func began(_ callback: Int64, within limit: Duration?) {
        deadlines[callback] = limit.map { now + $0 }
    }

    /// It was answered.
    mutating func ended(_ callback: Int64) { deadlines[callback] = nil }

    /// A background task has begun.
    mutating func beganTask(_ token: Int64) { tasks.insert(token) }

    /// A background task has ended.
    mutating func endedTask(_ token: Int64) { tasks.remove(token) }

    /// All background tasks have ended with their connection.
    mutating func endTasks() { tasks = [] }

    /// The worker has entered the background, or left it: its time is counted afresh.
    mutating func inBackground(_ isThere: Bool) {
        backgroundSince = isThere ? now : nil
        (hasWarned, hasExpired) = (false, false)
    }

    /// The worker was suspended: no deadline runs from now on.
    mutating func suspend() { suspendedSince = suspendedSince ?? now }

    /// The worker was resumed; how long it slept, nil where it did not.
    mutating func resume() -> Duration? {
        guard let since = suspendedSince else { return nil }
        suspendedSince = nil
        return now - since
    }

    /// Time passes; what became due, in its order.
    mutating func advance(by duration: Duration) -> [Due] {
        guard suspendedSince == nil else {
            now += duration
            // What runs afresh after the sleep.
            for id in deadlines.keys { deadlines[id]? += duration }
            backgroundSince? += duration
            return []
        }
        now += duration
        var due: [(at: Duration, what: Due)] = []
        for (id, deadline) in deadlines where deadline <= now {
            due.append((deadline, .overdue(id)))
            deadlines[id] = nil
        }
        if let since = backgroundSince, !tasks.isEmpty {
            if !hasWarned, now >= since + taskLimit - warning {
                hasWarned = true
                due.append((since + taskLimit - warning, .expiring))
            }
            if !hasExpired, now >= since + taskLimit {
                hasExpired = true
                due.append((since + taskLimit, .expired))
            }
        }
        return due.sorted { $0.at < $1.at }.map(\.what)
    }
}
