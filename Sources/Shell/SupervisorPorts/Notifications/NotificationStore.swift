package import Notifications

/// Stores the notifications that outlast processes and the supervisor.
///
/// Asked on the loop's thread, where nothing of it waits; answers come in a later turn of the loop.
package protocol NotificationStore: AnyObject {
    /// Why nothing can be kept at present; nil when all is well.
    var obstacle: String? { get }
    /// Keeps the changes of a worker's queue, all or none of them; answers nil when they are on the disk, or why they are not.
    func keep(
        _ changes: [NotificationQueue.Change], of worker: String, then answer: ((String?) -> Void)?)
    /// Keeps what is scheduled for a worker, in the place of what has its number; answers as the other does.
    func keep(_ entry: ScheduleBook.Entry, of worker: String, then answer: ((String?) -> Void)?)
    /// Nothing of this number is scheduled any more.
    func drop(schedule id: UInt64, of worker: String, then answer: ((String?) -> Void)?)
}

/// What was kept for a worker in the life of another supervisor.
package struct StoredInbox {
    package var entries: [QueuedNotification] = []
    package var known: [Topic: [UInt8]?] = [:]
    package var lastSequence: UInt64 = 0
    package var schedules: [ScheduleBook.Entry] = []

    /// What was kept, by its parts.
    package init(
        entries: [QueuedNotification] = [], known: [Topic: [UInt8]?] = [:], lastSequence: UInt64 = 0,
        schedules: [ScheduleBook.Entry] = []
    ) {
        self.entries = entries
        self.known = known
        self.lastSequence = lastSequence
        self.schedules = schedules
    }
}
