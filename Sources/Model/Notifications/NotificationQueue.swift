/// What was posted to a worker and that it has not taken yet (2.4).
///
/// Pure. Posts merge by their rules with what waits of their topic; a flush hands out all that waits, oldest topic first, and
/// keeps it until it is taken. What is posted meanwhile waits for the next flush. Nothing that has been handed out
/// is changed: when it is not taken it comes back, and only then merges with what came after it. The worker may know by then what it said,
/// so that what undoes it is told: a `net` value is unknown until one is taken, and the members of a `set` are told what became of them.
package struct NotificationQueue: Hashable, Sendable {
    /// How much may wait.
    package struct Limits: Hashable, Sendable {
        /// Topics at one time.
        package var topics = 256
        /// Entries of one topic whose rule is `each`; the oldest fold into a count past it.
        package var each = 1000
        /// Members of a set that one post names, and that came or went in the end.
        package var members = 1024
        /// The same of a set of the system's: its members are what an administrator has named, or what the kernel has.
        package var systemMembers = 16_384
        /// Bytes of everything together.
        package var bytes = 4 << 20
        /// Notifications that are set aside; past it the oldest of them is removed.
        package var setAside = 64

        /// The defaults.
        package init() {}
    }

    /// What became of a post.
    package enum Outcome: Hashable, Sendable {
        /// It waits, in the entry of this number.
        case waits(UInt64)
        /// It has undone what waited: there is nothing left to tell of its topic.
        case vanished
        /// It cannot be taken.
        case refused(Reason)
    }

    /// Why a post cannot be taken.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// Too many topics wait already.
        case tooManyTopics
        /// A set has too many members.
        case tooManyMembers
        /// The queue is full.
        case full
        /// The topic allows only its own rule.
        case wrongRule
    }

    /// What has to be kept, or no longer, of what survives; in this order.
    package enum Change: Hashable, Sendable {
        /// Keep this, in the place of what has its number.
        case put(QueuedNotification)
        /// Nothing of this number is to be kept.
        case delete(UInt64)
        /// The worker knows this value of the topic now.
        case knows(Topic, [UInt8]?)
        /// What the worker knows of the topic is not remembered any more.
        case forgets(Topic)
    }

    /// How much may wait.
    package var limits: Limits
    /// What waits of each topic.
    var waiting: [Topic: TopicSlot] = [:]
    /// What has been handed out and not taken yet, in order.
    package var inFlight: [QueuedNotification] { outgoing.live }
    /// The same, by number and topic.
    var outgoing = Outgoing()
    /// What is kept from the worker because the worker has died twice while it was being delivered, in the order of their numbers.
    package internal(set) var setAside: [QueuedNotification] = []
    /// The value that the worker knows of each `net` topic, as far as it is remembered: not of too many, and no big ones.
    var known: [Topic: [UInt8]?] = [:]
    /// The biggest value that is remembered of what a worker knows.
    static let biggestKnown = 4096
    /// The greatest number that what is restored may have: numbers go on from it.
    package static let greatestSequence: UInt64 = 1 << 62
    /// The greatest number given out so far.
    package internal(set) var lastSequence: UInt64 = 0
    /// What waits and is in flight, in bytes, about.
    package internal(set) var bytes = 0
    /// What has to be kept, since it was taken off last: of entries only which.
    var marks: [Mark] = []
    /// Those that wait again, and that the worker may have taken: they were handed out, and came back.
    var doubtful: Set<UInt64> = []

    /// A change, of which the entry is looked up when it is asked for: it may change many times before.
    enum Mark: Hashable, Sendable {
        case put(Topic, UInt64)
        case other(Change)
    }

    /// An empty queue.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// A queue of what was kept; what was handed out before waits again, and numbers go on after `last`.
    ///
    /// Each may have been handed out by the supervisor that has kept it: what they say the worker may know, or not.
    package init(
        restoring entries: [QueuedNotification], knowing known: [Topic: [UInt8]?] = [:],
        after last: UInt64 = 0, limits: Limits = Limits()
    ) {
        self.init(asItStood: entries.map { $0.back }, knowing: known, after: last, limits: limits)
        for entry in entries where entry.rule == .net { self.known[entry.topic] = nil }
    }

    /// A queue of entries that are known with all that was kept of them in memory.
    private init(
        asItStood entries: [QueuedNotification], knowing known: [Topic: [UInt8]?], after last: UInt64,
        limits: Limits
    ) {
        self.limits = limits
        self.known = known
        lastSequence = min(last, Self.greatestSequence)
        for entry in entries.sorted(by: { $0.sequence < $1.sequence })
        where entry.sequence <= Self.greatestSequence {
            lastSequence = max(lastSequence, entry.sequence)
            if entry.isSetAside {
                setAside.append(entry)
                continue
            }
            waiting[entry.topic, default: TopicSlot(entries: [])].entries.append(entry)
            bytes += entry.size
        }
    }

    /// A queue as it stood in another supervisor, with what it had handed out, in order, and what waited.
    package init(
        restoring waiting: [QueuedNotification], inFlight: [QueuedNotification],
        knowing known: [Topic: [UInt8]?], after last: UInt64, limits: Limits = Limits()
    ) {
        self.init(asItStood: waiting, knowing: known, after: last, limits: limits)
        outgoing = Outgoing(inFlight)
        bytes += inFlight.reduce(0) { $0 + $1.size }
    }

    /// The value that the worker knows of each `net` topic, as far as it is remembered.
    package var knownValues: [Topic: [UInt8]?] { known }

    /// Whether nothing waits.
    package var isEmpty: Bool { waiting.isEmpty }

    /// Whether anything waits of other topics than `topics`.
    package func waits(besides topics: Set<Topic>) -> Bool {
        topics.isEmpty ? !isEmpty : waiting.contains { !topics.contains($0.key) }
    }

    /// Whether anything waits of one of `topics`.
    package func waits(of topics: Set<Topic>) -> Bool {
        !topics.isEmpty && waiting.contains { topics.contains($0.key) }
    }

    /// Whether something has been handed out and is not taken yet.
    package var isInFlight: Bool { !outgoing.isEmpty }

    /// Whether anything of a system topic waits or is in flight: it dies with the process that keeps the queue.
    package var holdsSystemTopics: Bool {
        waiting.contains { $0.key.system != nil }
            || isInFlight && inFlight.contains { $0.topic.system != nil }
    }

    /// How many entries wait or are in flight.
    package var count: Int { waiting.values.reduce(outgoing.count) { $0 + $1.live.count } }

    /// All that waits, as the next flush would hand it out.
    package var contents: [QueuedNotification] {
        waiting.values.sorted { ($0.live.first?.sequence ?? 0) < ($1.live.first?.sequence ?? 0) }
            .flatMap(\.live)
    }

    /// Whether anything has to be kept that was not asked for.
    package var hasChanges: Bool { !marks.isEmpty }

    /// What has to be kept since it was asked last.
    package mutating func takeChanges() -> [Change] {
        var changes: [Change] = []
        changes.reserveCapacity(marks.count)
        // Looked for only when something is out that may not have been kept yet.
        var out: [UInt64: QueuedNotification]?
        for mark in marks {
            switch mark {
            case .other(let change): changes.append(change)
            case .put(let topic, let sequence):
                if let entry = waiting[topic]?.unmark(sequence) {
                    changes.append(.put(entry))
                } else if isInFlight {
                    let entries = out ?? Dictionary(inFlight.map { ($0.sequence, $0) }) { $1 }
                    out = entries
                    if let entry = entries[sequence] { changes.append(.put(entry)) }
                }
            // What is gone by now has a mark of its own for that.
            }
        }
        marks.removeAll(keepingCapacity: marks.capacity <= 1024)
        return changes
    }

    /// Has all that waits and is in flight kept once more.
    package mutating func keepAnew() {
        for entry in contents + inFlight where entry.survives {
            marks.append(.put(entry.topic, entry.sequence))
        }
        for entry in setAside { marks.append(.other(.put(entry))) }
    }

    // MARK: posting

    /// The rule by which what waits of `topic` merges; nil where nothing waits.
    package func ruleWaiting(of topic: Topic) -> MergeRule? { waiting[topic]?.live.last?.rule }

    /// Takes in a post.
    package mutating func post(_ post: Post) -> Outcome {
        if let system = post.topic.system, system.rule != post.rule { return .refused(.wrongRule) }
        // Counted before anything is done with them.
        guard post.members <= limits.members else { return .refused(.tooManyMembers) }
        let room = limits.bytes - bytes
        if post.rule != .each {
            let known = post.rule == .net ? willKnow(post.topic) : nil
            // In place, and found once.
            switch waiting[post.topic]?.merge(
                post, knowing: known, room: room,
                members: post.topic.system == nil ? limits.members : limits.systemMembers)
            {
            case .merged(let sequence, let grown, let isNew):
                bytes += grown
                if isNew { marks.append(.put(post.topic, sequence)) }
                return .waits(sequence)
            case .undone(let sequence, let freed, let survives, let isLast):
                bytes -= freed
                if isLast { waiting[post.topic] = nil }
                if survives { marks.append(.other(.delete(sequence))) }
                return .vanished
            case .full: return .refused(.full)
            case .tooManyMembers: return .refused(.tooManyMembers)
            // A topic whose rule has changed begins anew behind what waits of it.
            case nil: break
            }
        }
        return begin(post, room: room)
    }

    /// A new entry for a post.
    private mutating func begin(_ post: Post, room: Int) -> Outcome {
        let fresh = QueuedNotification(post, sequence: lastSequence + 1)
        let isFirst = waiting[post.topic] == nil
        if isFirst, waiting.count >= limits.topics { return .refused(.tooManyTopics) }
        guard fresh.size <= room || post.rule == .each && !isFirst else { return .refused(.full) }
        if isFirst, fresh.rule == .net || fresh.rule == .set, fresh.isVoid(knowing: willKnow(fresh.topic)) {
            return .vanished
        }
        lastSequence = fresh.sequence
        bytes += fresh.size
        let count = waiting[fresh.topic, default: TopicSlot(entries: [])].append(fresh)
        if fresh.survives { marks.append(.put(fresh.topic, fresh.sequence)) }
        if fresh.rule == .each, count > limits.each || bytes > limits.bytes { fold(fresh.topic) }
        return .waits(fresh.sequence)
    }

    /// What the worker will know of a `net` topic when it has taken what it was handed.
    private func willKnow(_ topic: Topic) -> [UInt8]?? {
        outgoing.value(of: topic) ?? known[topic]
    }

    /// Folds the oldest of a topic into a count of dropped ones, until there are few enough.
    mutating func fold(_ topic: Topic) {
        guard var slot = waiting.removeValue(forKey: topic) else { return }
        while slot.live.count > 1, slot.live.count > limits.each || bytes > limits.bytes {
            let oldest = slot.entries[slot.head]
            bytes -= oldest.size
            keep(.delete(oldest.sequence), oldest)
            slot.head += 1
            let gone = QueuedNotification.sum(oldest.dropped, oldest.count)
            slot.entries[slot.head].dropped = QueuedNotification.sum(slot.entries[slot.head].dropped, gone)
            let heir = slot.entries[slot.head]
            keep(.put(heir), heir)
        }
        if slot.head > 64, slot.head * 2 > slot.entries.count {
            slot.entries.removeFirst(slot.head)
            slot.head = 0
        }
        waiting[topic] = slot
    }

    mutating func keep(_ change: Change, _ entry: QueuedNotification) {
        guard entry.survives else { return }
        guard case .put = change else { return marks.append(.other(change)) }
        if waiting[entry.topic]?.marked == entry.sequence { return }
        waiting[entry.topic]?.marked = entry.sequence
        marks.append(.put(entry.topic, entry.sequence))
    }

    /// Takes note of a value that the worker knows by itself: a process that begins reads the present state.
    package mutating func learn(_ value: [UInt8], of topic: Topic) { known[topic] = .some(value) }
}
