/// What is handed out to the worker, and what becomes of it.
extension NotificationQueue {
    /// Hands out all that waits, oldest topic first, in order within each; nothing while something is in flight.
    ///
    /// With `isApart`, a notification in whose delivery the worker has died is handed out by itself, and what is before it
    /// without it: where the worker dies again, it is known of what. What waits of the topics `withheld` goes on waiting.
    package mutating func flush(
        apart isApart: Bool = false, withholding withheld: Set<Topic> = []
    ) -> [QueuedNotification] {
        guard !isInFlight else { return [] }
        var all = contents
        if withheld.isEmpty {
            waiting = [:]
        } else {
            all.removeAll { withheld.contains($0.topic) }
            waiting = waiting.filter { withheld.contains($0.key) }
        }
        if isApart, let suspect = all.firstIndex(where: { $0.deaths > 0 }) {
            for entry in all[max(1, suspect)...] {
                waiting[entry.topic, default: TopicSlot(entries: [])].entries.append(entry)
            }
            all.removeSubrange(max(1, suspect)...)
        }
        outgoing = Outgoing(all)
        return all
    }

    /// The worker has taken what it was handed.
    package mutating func taken() {
        let all = inFlight
        outgoing = Outgoing()
        for entry in all { took(entry) }
    }

    /// The worker has taken this one of what it was handed; false when it was not.
    @discardableResult
    package mutating func taken(_ sequence: UInt64) -> Bool {
        guard let entry = outgoing.take(sequence) else { return false }
        took(entry)
        return true
    }

    private mutating func took(_ entry: QueuedNotification) {
        bytes -= entry.size
        keep(.delete(entry.sequence), entry)
        guard entry.rule == .net else { return }
        let isSmall = (entry.payload?.count ?? 0) <= Self.biggestKnown
        if isSmall, known[entry.topic] != nil || known.count < limits.topics {
            known[entry.topic] = .some(entry.payload)
            keep(.knows(entry.topic, entry.payload), entry)
        } else if known.removeValue(forKey: entry.topic) != nil {
            keep(.forgets(entry.topic), entry)
        }
    }

    /// The worker has not taken what it was handed: it waits again, before what came after it.
    package mutating func returned() {
        let back = inFlight.map(\.back)
        outgoing = Outgoing()
        for entry in back { doubt(entry) }
        if !doubtful.isEmpty { doubtful.formIntersection(contents.map(\.sequence)) }
        doubtful.formUnion(back.map(\.sequence))
        putBefore(back)
    }

    /// What `entry` says was handed out and not taken: which value of its topic the worker knows is not known any more.
    mutating func doubt(_ entry: QueuedNotification) {
        guard entry.rule == .net, known.removeValue(forKey: entry.topic) != nil else { return }
        if entry.topic.system == nil { marks.append(.other(.forgets(entry.topic))) }
    }

    /// Takes in what was kept before all that waits and is known here; numbers go on after `last`.
    ///
    /// Numbers that were given out here are greater than those of `entries`.
    package mutating func restore(
        _ entries: [QueuedNotification], knowing known: [Topic: [UInt8]?] = [:], after last: UInt64
    ) {
        self.known.merge(known) { own, _ in own }
        lastSequence = max(lastSequence, min(last, Self.greatestSequence))
        let numbered = entries.filter { $0.sequence <= Self.greatestSequence }.map(\.back)
        // As with a queue that begins with them.
        for entry in numbered where entry.rule == .net { self.known[entry.topic] = nil }
        setAside = (numbered.filter(\.isSetAside) + setAside).sorted { $0.sequence < $1.sequence }
        let entries = numbered.filter { !$0.isSetAside }
        bytes += entries.reduce(0) { $0 + $1.size }
        putBefore(entries.sorted { $0.sequence < $1.sequence })
    }

    private mutating func putBefore(_ back: [QueuedNotification]) {
        guard !back.isEmpty else { return }
        let newer = waiting
        waiting = [:]
        for entry in back { waiting[entry.topic, default: TopicSlot(entries: [])].entries.append(entry) }
        for slot in newer.values.sorted(by: {
            ($0.live.first?.sequence ?? 0) < ($1.live.first?.sequence ?? 0)
        }) {
            var entries = Array(slot.live)
            if let first = entries.first, let out = waiting[first.topic]?.live, let last = out.last,
                first.sequence < last.sequence
            {
                // One that was set aside and waits again is older than what was handed out: numbers stay in order.
                entries = (Array(out) + entries).sorted { $0.sequence < $1.sequence }
                waiting[first.topic] = nil
            }
            for entry in entries { rejoin(entry) }
        }
        // What came back may have been undone by what came after it.
        for topic in back.map(\.topic) { settle(topic) }
    }

    /// Puts an entry that waited behind those of its topic that came back.
    mutating func rejoin(_ entry: QueuedNotification) {
        guard let last = waiting[entry.topic]?.entries.last, last.rule == entry.rule, entry.rule != .each
        else {
            waiting[entry.topic, default: TopicSlot(entries: [])].entries.append(entry)
            if entry.rule == .each { fold(entry.topic) }
            return
        }
        bytes -= entry.size
        keep(.delete(entry.sequence), entry)
        bytes -= last.size
        var merged = last
        merged.absorb(entry)
        bytes += merged.size
        waiting[entry.topic]?.entries.removeLast()
        waiting[entry.topic]?.entries.append(merged)
        keep(.put(merged), merged)
    }

    /// Drops what tells nothing any more.
    mutating func settle(_ topic: Topic) {
        guard let slot = waiting[topic], slot.live.count == 1, let entry = slot.live.first,
            entry.isVoid(knowing: known[topic])
        else { return }
        bytes -= entry.size
        waiting[topic] = nil
        keep(.delete(entry.sequence), entry)
    }

    /// The process has ended: what it was handed comes back, and what does not survive it is gone.
    ///
    /// Of the notifications `blamed`, in whose delivery the process died, those with a second death are set aside.
    @discardableResult
    package mutating func processEnded(blaming blamed: Set<UInt64> = []) -> Poisoning {
        let poisoning = blamed.isEmpty ? Poisoning() : blame(blamed)
        returned()
        for (topic, slot) in waiting {
            let kept = slot.live.filter(\.survives)
            for entry in slot.live where !entry.survives { bytes -= entry.size }
            waiting[topic] = kept.isEmpty ? nil : TopicSlot(entries: Array(kept))
        }
        known = known.filter { $0.key.system == nil }
        return poisoning
    }

    /// Drops everything, and what the worker knows.
    package mutating func clear() {
        for entry in inFlight + contents + setAside { keep(.delete(entry.sequence), entry) }
        for topic in known.keys where topic.system == nil { marks.append(.other(.forgets(topic))) }
        outgoing = Outgoing()
        waiting = [:]
        setAside = []
        known = [:]
        bytes = 0
    }
}
