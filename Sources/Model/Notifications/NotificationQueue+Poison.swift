/// Poison (2.4): a notification in whose delivery the worker has died twice is set aside, and the others reach the worker without it.
///
/// A worker with a connection takes everything that waits at once. After its first death each of those is handed out by itself, so that
/// a second death has one cause; those that are harmless are taken then.
extension NotificationQueue {
    /// How many deaths set a notification aside.
    package static let deadly = 2

    /// What the end of a process has done to notifications.
    package struct Poisoning: Hashable, Sendable {
        /// Those that are set aside from now on.
        package var setAside: [QueuedNotification] = []
        /// Those that were set aside before, and are removed because there are too many.
        package var removed: [QueuedNotification] = []

        /// Nothing.
        package init() {}
    }

    /// Counts a death for each of these, and sets those aside that have enough of them.
    mutating func blame(_ blamed: Set<UInt64>) -> Poisoning {
        var poisoning = Poisoning()
        // Before they come back: what came after them is not to merge into what is set aside.
        let out = inFlight.map { $0.back.blamed(by: blamed) }
        for entry in out { doubt(entry) }
        outgoing = Outgoing(out.filter { !$0.isSetAside })
        poisoning.setAside = out.filter(\.isSetAside)
        var suspects = out.filter { !$0.isSetAside && blamed.contains($0.sequence) }
        for (topic, slot) in waiting where slot.live.contains(where: { blamed.contains($0.sequence) }) {
            let entries = slot.live.map { $0.blamed(by: blamed) }
            poisoning.setAside += entries.filter(\.isSetAside)
            let rest = entries.filter { !$0.isSetAside }
            suspects += rest.filter { blamed.contains($0.sequence) }
            waiting[topic] = rest.isEmpty ? nil : TopicSlot(entries: rest)
        }
        for entry in suspects where entry.survives { marks.append(.put(entry.topic, entry.sequence)) }
        poisoning.setAside.sort { $0.sequence < $1.sequence }
        for entry in poisoning.setAside {
            bytes -= entry.size
            marks.append(.other(.put(entry)))
        }
        setAside = (setAside + poisoning.setAside).sorted { $0.sequence < $1.sequence }
        while setAside.count > limits.setAside {
            let oldest = setAside.removeFirst()
            keep(.delete(oldest.sequence), oldest)
            poisoning.removed.append(oldest)
        }
        return poisoning
    }

    /// Has a notification that is set aside wait again, in its place; false where none of that number is set aside.
    ///
    /// One more death in its delivery sets it aside again.
    package mutating func retry(_ sequence: UInt64) -> Bool {
        guard let place = setAside.firstIndex(where: { $0.sequence == sequence }) else { return false }
        var entry = setAside.remove(at: place)
        entry.isSetAside = false
        bytes += entry.size
        let others = waiting.removeValue(forKey: entry.topic)?.live ?? []
        for other in (others + [entry]).sorted(by: { $0.sequence < $1.sequence }) { rejoin(other) }
        marks.append(.put(entry.topic, sequence))
        settle(entry.topic)
        return true
    }

    /// Removes a notification, wherever it is: set aside, waiting or handed out; nil where there is none of that number.
    @discardableResult
    package mutating func drop(_ sequence: UInt64) -> QueuedNotification? {
        if let place = setAside.firstIndex(where: { $0.sequence == sequence }) {
            let entry = setAside.remove(at: place)
            keep(.delete(sequence), entry)
            return entry
        }
        let entry: QueuedNotification
        if let out = outgoing.take(sequence) {
            entry = out
            doubt(out)
        } else {
            guard
                let slot = waiting.values.first(where: { slot in
                    slot.live.contains { $0.sequence == sequence }
                }), let found = slot.live.first(where: { $0.sequence == sequence })
            else { return nil }
            entry = found
            let rest = slot.live.filter { $0.sequence != sequence }
            waiting[entry.topic] = rest.isEmpty ? nil : TopicSlot(entries: rest)
        }
        bytes -= entry.size
        keep(.delete(sequence), entry)
        return entry
    }
}

extension QueuedNotification {
    /// The same as it comes back, where it was handed out and not taken.
    var back: QueuedNotification {
        var entry = self
        entry.cameBack()
        return entry
    }

    /// The same with one more death, where its number is among `blamed`, and set aside where those are enough.
    ///
    /// What does not survive the process is gone with it, and is not set aside.
    fileprivate func blamed(by blamed: Set<UInt64>) -> QueuedNotification {
        guard survives, blamed.contains(sequence) else { return self }
        var entry = self
        entry.deaths = Self.sum(deaths, 1)
        entry.isSetAside = entry.deaths >= NotificationQueue.deadly
        return entry
    }
}
