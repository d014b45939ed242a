// The fuzz target for the queue of notifications and the book of scheduled posts: what callers do to them, one step after the other.

import Lifecycle

@testable import Notifications

/// Reads numbers off an input; after its end all are 0.
private struct Steps {
    var bytes: ArraySlice<UInt8>

    mutating func byte() -> Int { Int(bytes.popFirst() ?? 0) }

    mutating func number() -> Int64 {
        var number: UInt64 = 0
        for _ in 0..<8 { number = number << 8 | UInt64(byte()) }
        return Int64(bitPattern: number)
    }
}

/// One input: a byte for each step and what it needs.
///
/// Two parties go along: what the store would have kept, by the changes that were taken, and how many bytes there are.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQueue(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var steps = Steps(bytes: ArraySlice(UnsafeBufferPointer(start: start, count: count)))
    if steps.byte() % 4 == 0 {
        walkBook(&steps)
        return 0
    }
    var limits = NotificationQueue.Limits()
    (limits.topics, limits.each, limits.members, limits.systemMembers) = (4, 3, 6, 6)
    (limits.bytes, limits.setAside) = (3000, 2)
    var queue = NotificationQueue(limits: limits)
    var kept: [UInt64: QueuedNotification] = [:]
    var traces: [NotificationQueue.Trace] = []
    while !steps.bytes.isEmpty {
        switch steps.byte() % 14 {
        case 0...4:
            let post = post(&steps)
            let before = queue
            let (outcome, trace) = queue.postTraced(post)
            if case .refused = outcome { precondition(queue == before, "refused, and changed") }
            traces = trace.map { [$0] } ?? []
            continue
        case 5: if let trace = traces.popLast() { _ = queue.withdraw(trace) }
        case 6: precondition(queue.flush(apart: steps.byte() % 2 == 0).count <= before(queue))
        case 7:
            let topics = Set(topics.dropFirst(steps.byte() % topics.count))
            _ = queue.flush(withholding: topics)
        case 8: queue.taken()
        case 9: queue.taken(UInt64(steps.byte()))
        case 10: queue.returned()
        case 11:
            let blamed = Set(queue.inFlight.map(\.sequence).prefix(steps.byte() % 4))
            let poisoning = queue.processEnded(blaming: blamed)
            precondition(poisoning.setAside.allSatisfy { $0.deaths >= NotificationQueue.deadly })
        case 12:
            if steps.byte() % 2 == 0 {
                _ = queue.retry(UInt64(steps.byte()))
            } else {
                queue.drop(UInt64(steps.byte()))
            }
        default:
            if steps.byte() % 8 == 0 { queue.clear() }
            keep(queue.takeChanges(), &kept)
            check(queue, limits, kept)
        }
        traces = []
    }
    keep(queue.takeChanges(), &kept)
    check(queue, limits, kept)
    // What was kept is read back as it was, and goes on.
    var next = NotificationQueue(restoring: Array(kept.values), after: queue.lastSequence, limits: limits)
    precondition(next.lastSequence == queue.lastSequence || kept.isEmpty || next.lastSequence > 0)
    precondition(next.count + next.setAside.count == kept.count, "restored otherwise")
    _ = next.post(Post(topics[0], .each, at: 1))
    return 0
}

private func before(_ queue: NotificationQueue) -> Int { queue.count }

private let topics = ["t", "u", "net.v", "devicesChanged", "networkChanged", "w"].compactMap { Topic($0) }
private let members = ["a", "b", "c", "d"]

private func post(_ steps: inout Steps) -> Post {
    let topic = topics[steps.byte() % topics.count]
    let number = steps.byte()
    let rule = MergeRule.allCases[number % MergeRule.allCases.count]
    let size = steps.byte()
    let payload = size % 3 == 0 ? nil : [UInt8](repeating: UInt8(size % 2), count: size * 4)
    var (added, removed): ([String], [String]) = ([], [])
    if rule == .set {
        let bits = steps.byte()
        for (index, member) in members.enumerated() {
            if bits >> index & 1 == 1 { added.append(member) }
            if bits >> (index + 4) & 1 == 1 { removed.append(member) }
        }
    }
    return Post(
        topic, rule, payload: payload, added: added, removed: removed, at: Int64(number),
        survives: number < 200)
}

/// What the store does with changes.
private func keep(_ changes: [NotificationQueue.Change], _ kept: inout [UInt64: QueuedNotification]) {
    for change in changes {
        switch change {
        case .put(let entry): kept[entry.sequence] = entry
        case .delete(let sequence): kept[sequence] = nil
        case .knows, .forgets: break
        }
    }
}

/// What there is and survives has been kept, nothing else has, and the bytes are those of what there is.
private func check(
    _ queue: NotificationQueue, _ limits: NotificationQueue.Limits, _ kept: [UInt64: QueuedNotification]
) {
    let live = queue.contents + queue.inFlight
    precondition(queue.count == live.count, "counted otherwise")
    precondition(queue.bytes == live.reduce(0) { $0 + $1.size }, "other bytes than there are")
    precondition(queue.setAside.count <= limits.setAside, "too many set aside")
    precondition(Set(live.map(\.sequence)).count == live.count, "a number twice")
    precondition(live.allSatisfy { $0.sequence <= queue.lastSequence })
    for entry in queue.contents {
        precondition(Set(entry.told).isSubset(of: entry.added + entry.removed), "undone without a word")
    }
    let surviving = Dictionary(
        uniqueKeysWithValues: (live.filter(\.survives) + queue.setAside).map { ($0.sequence, $0) })
    precondition(
        Set(surviving.keys) == Set(kept.keys), "other entries are kept: \(surviving.keys), \(kept.keys)")
    precondition(
        surviving.mapValues(\.stored) == kept.mapValues(\.stored), "entries are kept otherwise")
}

extension QueuedNotification {
    /// The same as the store has it: of what comes back from there, the worker may know all.
    fileprivate var stored: Self {
        var entry = self
        entry.told = []
        return entry
    }
}

/// Moments and periods may be any: what is due comes once, in order, and what repeats is due later.
private func walkBook(_ steps: inout Steps) {
    var book = ScheduleBook()
    if steps.byte() % 2 == 0 {
        var entries: [ScheduleBook.Entry] = []
        for _ in 0..<steps.byte() % 8 {
            let period = steps.byte() % 2 == 0 ? steps.number() : nil
            entries.append(
                ScheduleBook.Entry(
                    id: UInt64(bitPattern: steps.number()), Post(topics[0], .latest, at: 0), wakes: false,
                    due: steps.number(), every: period))
        }
        book = ScheduleBook(restoring: entries, after: UInt64(bitPattern: steps.number()))
    }
    while !steps.bytes.isEmpty {
        let now = steps.number()
        switch steps.byte() % 4 {
        case 0:
            let period = steps.byte() % 2 == 0 ? steps.number() : nil
            _ = book.add(
                Post(topics[0], .latest, at: 0), wakes: true, at: steps.number(), every: period, now: now)
        case 1:
            for _ in 0..<200 {
                guard let (entry, again) = book.takeDue(at: now) else { break }
                precondition(entry.due <= now, "too soon")
                if let again { precondition(again.due > now && again.id == entry.id, "due again at once") }
            }
            precondition(book.next ?? .max > now || now == .max, "something is due still")
        case 2: _ = book.clockSet(to: now)
        default: book.cancel(UInt64(bitPattern: now))
        }
        precondition(book.entries.count <= ScheduleBook.capacity)
        precondition(
            zip(book.entries, book.entries.dropFirst()).allSatisfy { $0.due <= $1.due }, "out of order")
    }
}
