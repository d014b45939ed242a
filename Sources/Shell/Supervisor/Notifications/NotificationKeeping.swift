internal import Notifications

/// Where what survives us is kept (2.4), outlasting processes and the supervisor.
///
/// Asked on the loop's thread, where nothing of it waits; answers come in a later turn of the loop.
protocol NotificationKeeping: AnyObject {
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
struct KeptLetters {
    var entries: [QueuedNotification] = []
    var known: [Topic: [UInt8]?] = [:]
    var lastSequence: UInt64 = 0
    var schedules: [ScheduleBook.Entry] = []
}
