/// What waits of one topic, oldest first.
struct TopicSlot: Hashable, Sendable {
    var entries: [QueuedNotification]
    /// Those before it have been dropped: taking the first off an array moves all others.
    var head = 0
    /// The last entry that is marked as one that has to be kept; 0 for none.
    var marked: UInt64 = 0

    /// Those that wait.
    var live: ArraySlice<QueuedNotification> { entries[head...] }

    /// Puts a new entry behind the others, marked where it has to be kept; answers how many there are.
    mutating func append(_ fresh: QueuedNotification) -> Int {
        entries.append(fresh)
        if fresh.survives { marked = fresh.sequence }
        return entries.count - head
    }

    /// The entry of this number, which is kept now as it stands.
    mutating func unmark(_ sequence: UInt64) -> QueuedNotification? {
        marked = 0
        if let last = entries.last, last.sequence == sequence { return last }
        // They are in order of their numbers.
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].sequence == sequence ? entries[low] : nil
    }

    /// What has become of a post and the last entry of its topic.
    enum Merger {
        /// That of this number stands for it, too; it may have to be kept anew.
        case merged(UInt64, grown: Int, isNew: Bool)
        /// That of this number told nothing any more, and is gone.
        case undone(UInt64, freed: Int, survives: Bool, isLast: Bool)
        /// There is no room for it.
        case full
        /// The set would have too many members.
        case tooManyMembers
    }

    /// Merges `post` into the last entry, where that is of its rule, there are `room` bytes for it and the set has no more than `limit`
    /// members afterwards; nil where the rule is another.
    mutating func merge(_ post: Post, knowing known: [UInt8]??, room: Int, members limit: Int) -> Merger? {
        guard head < entries.count, entries[entries.count - 1].rule == post.rule else { return nil }
        guard post.size <= room else { return .full }
        let last = entries.count - 1
        if post.members > 0, entries[last].members + post.members > limit {
            // Members may undo each other: what counts is what would be left.
            var merged = entries[last]
            merged.absorb(post)
            guard merged.members <= max(limit, entries[last].members) else { return .tooManyMembers }
        }
        let before = entries[last].size
        entries[last].absorb(post)
        let (sequence, survives) = (entries[last].sequence, entries[last].survives)
        guard !entries[last].isVoid(knowing: known) else {
            entries.removeLast()
            return .undone(sequence, freed: before, survives: survives, isLast: head == entries.count)
        }
        // One that is marked is kept as it is when it is asked for.
        let isNew = survives && marked != sequence
        if isNew { marked = sequence }
        return .merged(sequence, grown: entries[last].size - before, isNew: isNew)
    }
}
