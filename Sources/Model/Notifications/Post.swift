/// Something that a caller posts to a worker.
package struct Post: Hashable, Sendable {
    /// What it is about.
    package var topic: Topic
    /// How it merges with others of its topic.
    package var rule: MergeRule
    /// What is said; JSON in a canonical form, so that equal values are equal bytes.
    package var payload: [UInt8]?
    /// Members that were added, where the rule is `set`.
    package var added: [String]
    /// Members that were removed, where the rule is `set`.
    package var removed: [String]
    /// Members that were there before and are there still, but changed, where the rule is `set`.
    package var replaced: [String] = []
    /// When it was posted: microseconds since 1970.
    package var time: Int64
    /// Whether it outlives the process and the supervisor; system topics never do.
    package var survives: Bool

    /// A post, by its parts.
    package init(
        _ topic: Topic, _ rule: MergeRule, payload: [UInt8]? = nil, added: [String] = [],
        removed: [String] = [], at time: Int64, survives: Bool = true
    ) {
        self.topic = topic
        self.rule = rule
        self.payload = payload
        self.added = added
        self.removed = removed
        self.time = time
        self.survives = survives && topic.system == nil
    }

    /// How many members it names.
    var members: Int { added.count + removed.count + 2 * replaced.count }

    /// What an entry for it alone takes of our memory, about, in bytes.
    var size: Int {
        members == 0
            ? QueuedNotification.size(of: topic, payload) : QueuedNotification(self, sequence: 0).size
    }
}

/// What waits for a worker under one number: a post, or what several of one topic have become.
package struct QueuedNotification: Hashable, Sendable {
    /// Its number, which grows with every entry of the queue, and so within each topic.
    package var sequence: UInt64
    /// What it is about.
    package var topic: Topic
    /// How it merges.
    package var rule: MergeRule
    /// For how many posts it stands.
    package var count: Int
    /// When the first of them came: microseconds since 1970.
    package var first: Int64
    /// When the last of them came: microseconds since 1970.
    package var last: Int64
    /// What was said last.
    package var payload: [UInt8]?
    /// Members that were added in the end, in the order in which they came.
    package var added: [String]
    /// Members that were removed in the end; what is in both lists was there before, and is there as another now.
    package var removed: [String]
    /// How many of its topic were dropped before it because there were too many.
    package var dropped: Int
    /// Whether it outlives the process and the supervisor.
    package var survives: Bool
    /// How often the worker died while this was being delivered.
    package var deaths = 0
    /// Whether it is kept from the worker because the worker dies of it.
    package var isSetAside = false
    /// Members that the worker may know of by this, though it has not taken it: it was handed out, and came back.
    ///
    /// What became of such a
    /// member last stays in one of the lists: nothing undoes it untold.
    package var told: [String] = []

    init(_ post: Post, sequence: UInt64) {
        self.sequence = sequence
        topic = post.topic
        rule = post.rule
        count = 1
        first = post.time
        last = post.time
        payload = post.payload
        added = []
        removed = []
        dropped = 0
        survives = post.survives
        apply(added: post.added, removed: post.removed, replaced: post.replaced)
    }

    /// An entry as it was kept, by its parts.
    package init(
        sequence: UInt64, topic: Topic, rule: MergeRule, count: Int, first: Int64, last: Int64,
        payload: [UInt8]? = nil, added: [String] = [], removed: [String] = [], dropped: Int = 0,
        survives: Bool = true, deaths: Int = 0, isSetAside: Bool = false, told: [String] = []
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
        self.survives = survives
        self.deaths = deaths
        self.isSetAside = isSetAside
        self.told = told
    }

    /// Takes in one that came after it, by the rule of the newer one; `each` never comes here.
    mutating func absorb(_ newer: QueuedNotification) {
        if newer.rule == .set {
            tell(newer.told)
            let replaced = newer.replaced
            apply(
                added: replaced.isEmpty ? newer.added : newer.added.filter { !replaced.contains($0) },
                removed: replaced.isEmpty ? newer.removed : newer.removed.filter { !replaced.contains($0) },
                replaced: replaced.isEmpty ? [] : newer.added.filter(replaced.contains))
        }
        rule = newer.rule
        payload = newer.payload
        count = Self.sum(count, newer.count)
        first = min(first, newer.first)
        last = newer.last
        dropped = Self.sum(dropped, newer.dropped)
        // What was promised to outlive the supervisor still is: it is in here.
        survives = survives || newer.survives
        // What the worker died of may still be in here.
        deaths = max(deaths, newer.deaths)
    }

    /// Takes in a post that came after it, by its rule; `each` never comes here.
    mutating func absorb(_ post: Post) {
        guard post.members == 0 else { return absorb(QueuedNotification(post, sequence: sequence)) }
        rule = post.rule
        payload = post.payload
        count = Self.sum(count, 1)
        first = min(first, post.time)
        last = post.time
        survives = survives || post.survives
    }

    /// How many members it names.
    var members: Int { added.count + removed.count }

    /// Members in both lists.
    private var replaced: Set<String> {
        removed.isEmpty || added.isEmpty ? [] : Set(added).intersection(removed)
    }

    /// Takes in members that were added, then those that were removed: what is both is neither; then those that were replaced.
    private mutating func apply(added newAdded: [String], removed newRemoved: [String], replaced: [String]) {
        guard !newAdded.isEmpty || !newRemoved.isEmpty || !replaced.isEmpty else { return }
        var change = SetChange(added: added, removed: removed)
        change.apply(added: newAdded, removed: newRemoved, replaced: replaced)
        added = change.added
        removed = change.removed
        guard !told.isEmpty else { return }
        // Of what the worker may know it hears what became of it last.
        let (there, came, went) = (Set(added).union(removed), Set(newAdded), Set(newRemoved))
        for member in told where !there.contains(member) {
            if went.contains(member) {
                removed.append(member)
            } else if came.contains(member) {
                added.append(member)
            }
        }
    }

    /// The worker may know of these members from now on, whether it takes this or not.
    mutating func tell(_ members: [String]) {
        guard !members.isEmpty else { return }
        let known = Set(told)
        told += members.filter { !known.contains($0) }
    }

    /// The same as one that was handed out and has come back: what it says the worker may know.
    mutating func cameBack() {
        guard rule == .set else { return }
        let left = Set(added)
        tell(added + removed.filter { !left.contains($0) })
    }

    /// A sum that stays at the greatest number: a count may come from a file.
    static func sum(_ count: Int, _ more: Int) -> Int {
        let (sum, overflow) = count.addingReportingOverflow(more)
        return overflow ? .max : sum
    }

    /// Whether it tells nothing: what it was about is as the worker knows it.
    func isVoid(knowing known: [UInt8]??) -> Bool {
        switch rule {
        case .set: added.isEmpty && removed.isEmpty
        case .net: known == .some(payload)
        case .latest, .count, .each: false
        }
    }

    /// What it takes of our memory, about, in bytes.
    package var size: Int {
        var size = Self.size(of: topic, payload)
        for member in added { size += 32 + member.utf8.count }
        for member in removed { size += 32 + member.utf8.count }
        return size
    }

    /// The same without members.
    static func size(of topic: Topic, _ payload: [UInt8]?) -> Int {
        160 + topic.name.utf8.count + (payload?.count ?? 0)
    }
}
