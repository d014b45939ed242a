/// A change of what is kept for a worker; of several of one thing the last counts.
package enum NotificationChange: Hashable, Sendable {
    /// Keep this notification, in the place of the one with its number.
    case put(StoredNotification)
    /// The notification of this number is gone.
    case delete(UInt64)
    /// The worker knows this value of a topic.
    case knows(String, String?)
    /// What it knows of a topic is not kept.
    case forgets(String)
    /// Keep this scheduled post, in the place of the one with its number.
    case schedule(StoredSchedule)
    /// The scheduled post of this number is gone.
    case cancel(UInt64)

    /// What it changes.
    var key: Key {
        switch self {
        case .put(let notification): .notification(notification.sequence)
        case .delete(let sequence): .notification(sequence)
        case .knows(let topic, _), .forgets(let topic): .known(topic)
        case .schedule(let schedule): .schedule(schedule.id)
        case .cancel(let id): .schedule(id)
        }
    }

    /// A thing that is kept for a worker.
    enum Key: Hashable, Sendable {
        case notification(UInt64)
        case known(String)
        case schedule(UInt64)
    }
}

/// The changes of what is kept for workers that wait to be written, in their order.
///
/// Nothing of it is ever given up. Of several changes of one thing the last counts: while they cannot be written, the others are
/// dropped from time to time, so that it is never much longer than what is kept is.
struct NotificationBacklog {
    /// Changes of what is kept for one worker.
    struct Portion {
        let worker: String
        var changes: [NotificationChange]
    }

    private(set) var portions: [Portion] = []
    /// How many changes there are.
    private(set) var count = 0
    /// How many there were when those that do not count were dropped last.
    private var countOfLast = 0
    private static let mostBefore = 16_384

    var isEmpty: Bool { portions.isEmpty }

    mutating func append(_ changes: [NotificationChange], of worker: String) {
        guard !changes.isEmpty else { return }
        count += changes.count
        if let last = portions.indices.last, portions[last].worker == worker {
            portions[last].changes += changes
        } else {
            portions.append(Portion(worker: worker, changes: changes))
        }
        if count > 2 * countOfLast + Self.mostBefore { keepLastOfEach() }
    }

    mutating func absorb(_ later: NotificationBacklog) {
        guard !portions.isEmpty else { return self = later }
        for portion in later.portions { append(portion.changes, of: portion.worker) }
    }

    /// Drops all changes of a thing but the last.
    mutating func keepLastOfEach() {
        struct Thing: Hashable {
            let worker: String
            let key: NotificationChange.Key
        }
        var seen: Set<Thing> = []
        for index in portions.indices.reversed() {
            let portion = portions[index]
            portions[index].changes = portion.changes.reversed().filter { change in
                seen.insert(Thing(worker: portion.worker, key: change.key)).inserted
            }.reversed()
        }
        portions.removeAll(where: \.changes.isEmpty)
        count = seen.count
        countOfLast = count
    }
}
