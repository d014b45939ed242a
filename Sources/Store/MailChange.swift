/// A change of what is kept for a worker; of several of one thing the last counts.
public enum MailChange: Hashable, Sendable {
    /// Keep this notification, in the place of the one with its number.
    case put(KeptNotification)
    /// The notification of this number is gone.
    case delete(UInt64)
    /// The worker knows this value of a topic.
    case knows(String, String?)
    /// What it knows of a topic is not kept.
    case forgets(String)
    /// Keep this scheduled post, in the place of the one with its number.
    case schedule(KeptSchedule)
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

/// The changes of what is kept for workers that wait to be written: the last of each thing.
///
/// It is as long as what is kept is, however often that has changed; nothing of it is ever given up.
struct MailBacklog {
    private(set) var changes: [String: [MailChange.Key: MailChange]] = [:]

    var isEmpty: Bool { changes.isEmpty }
    private(set) var count = 0

    mutating func append(_ change: MailChange, of worker: String) {
        if changes[worker, default: [:]].updateValue(change, forKey: change.key) == nil { count += 1 }
    }

    mutating func absorb(_ later: MailBacklog) {
        guard !changes.isEmpty else { return self = later }
        for (worker, own) in later.changes {
            for change in own.values { append(change, of: worker) }
        }
    }
}
