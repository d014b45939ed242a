/// Taking a post back: one that could not be kept is refused, and what is refused is not delivered (2.4).
extension NotificationQueue {
    /// What a post has done, as far as it is needed to take it back.
    package struct Trace: Hashable, Sendable {
        /// What it is about.
        package let topic: Topic
        /// The number of the entry that it is in, or that it has undone.
        package let sequence: UInt64
        /// The entry as it was before; nil where the post has begun it.
        let before: QueuedNotification?
        /// Whether the post has undone the entry.
        let hasUndone: Bool
    }

    /// Takes in a post and answers what is needed to take it back; nil where there is nothing to take back.
    package mutating func postTraced(_ post: Post) -> (outcome: Outcome, trace: Trace?) {
        let last = post.rule == .each ? nil : waiting[post.topic]?.live.last
        let outcome = self.post(post)
        switch outcome {
        case .waits(let sequence):
            let before = last?.sequence == sequence ? last : nil
            return (outcome, Trace(topic: post.topic, sequence: sequence, before: before, hasUndone: false))
        case .vanished:
            let trace = last.map {
                Trace(topic: post.topic, sequence: $0.sequence, before: $0, hasUndone: true)
            }
            return (outcome, trace)
        case .refused: return (outcome, nil)
        }
    }

    /// Takes a post back, the last of several first; false where the worker has been handed it: it is delivered then, also where it has come
    /// back since, and is kept anew.
    package mutating func withdraw(_ trace: Trace) -> Bool {
        var entries = Array(waiting[trace.topic]?.live ?? [])
        let place = entries.lastIndex { $0.sequence == trace.sequence }
        switch (place, trace.before) {
        case (let place?, let before?):
            bytes += before.size - entries[place].size
            let told = entries[place].told
            entries[place] = before
            entries[place].tell(told)
        case (let place?, nil):
            guard !doubtful.contains(trace.sequence) else {
                if entries[place].survives { marks.append(.put(trace.topic, trace.sequence)) }
                return false
            }
            bytes -= entries.remove(at: place).size
        case (nil, let before?):
            guard trace.hasUndone else { return false }
            bytes += before.size
            let next = entries.firstIndex { $0.sequence > before.sequence } ?? entries.endIndex
            entries.insert(before, at: next)
        case (nil, nil): return false
        }
        waiting[trace.topic] = entries.isEmpty ? nil : TopicSlot(entries: entries)
        let isStored = trace.before?.survives ?? false
        marks.append(
            isStored ? .put(trace.topic, trace.sequence) : .other(.delete(trace.sequence)))
        return true
    }
}
