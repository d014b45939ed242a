/// A notification that waits for a worker, as it is kept until the worker has taken it.
package struct StoredNotification: Hashable, Sendable {
    /// Its number in the worker's queue.
    package var sequence: UInt64
    package var topic: String
    package var rule: String
    /// For how many posts it stands.
    package var count: Int64
    /// When the first and the last of them came: microseconds since 1970.
    package var first: Int64, last: Int64
    /// What was said last, as text in UTF-8: shared with its holder, not copied.
    package var payload: [UInt8]?
    /// Members that were added, and removed, as JSON; nil where there are none.
    package var added: String?, removed: String?
    /// How many of its topic were dropped before it.
    package var dropped: Int64
    /// How often the worker died while it was being delivered.
    package var deaths: Int64
    /// Whether it is kept from the worker for that.
    package var isSetAside: Bool

    /// A notification, by its parts.
    package init(
        sequence: UInt64, topic: String, rule: String, count: Int64, first: Int64, last: Int64,
        payload: [UInt8]? = nil, added: String? = nil, removed: String? = nil, dropped: Int64 = 0,
        deaths: Int64 = 0, isSetAside: Bool = false
    ) {
        self.sequence = sequence
        self.topic = topic
        self.rule = rule
        self.count = count
        self.first = first
        self.last = last
        self.payload = payload
        self.added = added
        self.removed = removed
        self.dropped = dropped
        self.deaths = deaths
        self.isSetAside = isSetAside
    }
}

/// A post that is scheduled for a worker.
package struct StoredSchedule: Hashable, Sendable {
    /// Its number.
    package var id: UInt64
    /// What it is about, and how it merges.
    package var topic: String, rule: String
    /// What is said.
    package var payload: String?
    /// Members that are added, and removed, as JSON; nil where there are none.
    package var added: String?, removed: String?
    /// Whether it wakes the worker, and whether it survives once it is posted.
    package var wakes: Bool, survives: Bool
    /// When it is due: microseconds since 1970.
    package var due: Int64
    /// How long it is to the next time, in microseconds; nil is once.
    package var period: Int64?
    /// The user and the process of the caller that has scheduled it; nil where that was the worker itself.
    package var posterUID: Int64?, posterPID: Int64?
    /// That caller's program, where it was known.
    package var posterProgram: String?

    /// A scheduled post, by its parts.
    package init(
        id: UInt64, topic: String, rule: String, payload: String? = nil, added: String? = nil,
        removed: String? = nil, wakes: Bool, survives: Bool, due: Int64, period: Int64? = nil,
        posterUID: Int64? = nil, posterPID: Int64? = nil, posterProgram: String? = nil
    ) {
        self.id = id
        self.topic = topic
        self.rule = rule
        self.payload = payload
        self.added = added
        self.removed = removed
        self.wakes = wakes
        self.survives = survives
        self.due = due
        self.period = period
        self.posterUID = posterUID
        self.posterPID = posterPID
        self.posterProgram = posterProgram
    }
}

/// All that is kept for one worker.
package struct StoredNotifications: Hashable, Sendable {
    /// What waits, by number.
    package var notifications: [StoredNotification] = []
    /// What the worker knows of topics whose rule is `net`.
    package var known: [String: String?] = [:]
    package var schedules: [StoredSchedule] = []
    /// The greatest number that was kept so far, of those that are gone too.
    package var lastSequence: UInt64 = 0

    /// Nothing.
    package init() {}
}
