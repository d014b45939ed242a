package import Lifecycle
package import Notifications

/// What waits for a worker at one moment.
package struct PendingView {
    package let waiting: [QueuedNotification]
    /// What the worker has died of twice.
    package let setAside: [QueuedNotification]
    package let inFlight: [QueuedNotification]
    package let schedules: [ScheduleBook.Entry]
    package let bytes: Int
    /// Why what was handed out was not taken the last time, and when it is handed out again.
    package let problem: String?
    package let retryIn: TimeSpan?

    /// What there is in `box` at `now`; nothing, where there is none.
    package init(of box: Inbox?, at now: Instant) {
        let queue = box?.queue
        waiting = queue?.contents ?? []
        setAside = queue?.setAside ?? []
        inFlight = queue?.inFlight ?? []
        bytes = queue?.bytes ?? 0
        schedules = box?.book.entries ?? []
        problem = box?.plan.problem?.description
        retryIn = box?.nextDue.map { $0 - now }
    }
}
