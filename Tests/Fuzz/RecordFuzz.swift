// The fuzz target for what a supervisor leaves of a worker: its live record, and the inbox and the whole life that it hands over. One module with their
// sources.

import Budgeting
import Continuing
import Interrupting
import Lifecycle
import Notifications
import SnapshotCoding

/// One input, read as a live record, as an inbox in a record, and as an inbox and a whole life of a handover.
///
/// What was read is written so that it reads the same, and goes on without a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let now = Instant(microseconds: 1 << 50)
    if let record = try? LiveRecord(reading: bytes, now: now) {
        precondition(record.at <= now && record.since <= record.at, "of a later clock")
        let text = written(record)
        guard let again = try? LiveRecord(reading: text, now: now) else {
            preconditionFailure("a record is not read as it was written")
        }
        precondition(written(again) == text, "a record is written otherwise the second time")
        goOn(record)
    }
    if let inbox = try? HandoverReader.value(InboxHandover.self, of: bytes) {
        goOn(inbox)
        let text = HandoverWriter.text(of: inbox)
        guard let again = try? HandoverReader.value(InboxHandover.self, of: text) else {
            preconditionFailure("an inbox is not read as it was written")
        }
        precondition(HandoverWriter.text(of: again) == text, "an inbox is written otherwise the second time")
    }
    if let life = try? HandoverReader.value(LifeHandover.self, of: bytes, latest: now.microseconds) {
        goOn(life.record)
        if let inbox = life.inbox { goOn(inbox) }
        let text = HandoverWriter.text(of: life)
        guard let again = try? HandoverReader.value(LifeHandover.self, of: text, latest: now.microseconds)
        else {
            preconditionFailure("a life is not read as it was written")
        }
        precondition(HandoverWriter.text(of: again) == text, "a life is written otherwise the second time")
    }
    var reader = RecordReader(bytes[...], latest: now.microseconds)
    if (try? reader.format()) != nil, let inbox = try? InboxHandover(&reader, nil) { goOn(inbox) }
    return 0
}

private func written(_ record: LiveRecord) -> [UInt8] {
    var writer = RecordWriter()
    record.write(to: &writer)
    return writer.bytes
}

/// The worker's process ends, and what is left of it goes on.
private func goOn(_ record: LiveRecord) {
    var (life, giving, interruptions) = (record.life, record.giving, record.interruptions)
    let now = Instant(microseconds: .max)
    _ = life.recover(at: now)
    _ = life.handle(.exited(.exited(1), oomKilled: false), at: now)
    _ = giving?.handle(.processEnded, at: now)
    _ = interruptions?.handle(.processEnded, at: now)
    _ = interruptions?.handle(.due, at: now)
    var budget = record.wakeBudget
    _ = budget?.mayWake(.path, "a", .resting, .usual, at: now)
}

/// The inbox takes posts, hands out what there is, and gives what is due.
private func goOn(_ handover: InboxHandover) {
    let box = handover.inbox
    guard let topic = Topic("t") else { return }
    for rule in MergeRule.allCases { _ = box.queue.post(Post(topic, rule, added: ["a"], at: 5)) }
    box.queue.returned()
    _ = box.queue.flush()
    box.queue.taken()
    _ = box.queue.takeChanges()
    var now: Int64 = 0
    for step in 0..<64 {
        now = step % 2 == 0 ? .max : .min
        guard let (entry, _) = box.book.takeDue(at: now) else { continue }
        _ = box.queue.post(entry.post)
    }
    _ = box.book.clockSet(to: .min)
    precondition(box.queue.bytes >= 0 || box.queue.count == 0, "less than nothing")
}
