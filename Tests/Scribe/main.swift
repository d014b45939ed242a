import Glibc
import Records
import Store

// The tests of the store kill this program while it writes: `scribe DATABASE FIRST`.
//
// It writes awaited batches without end, each with entries numbered from FIRST on and a termination record, and prints the
// last number of a batch once that is committed.

/// Says a line at once, unbuffered: what was said counts.
@Sendable func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

let path = CommandLine.arguments.dropFirst().first ?? ""
var number = Int64(CommandLine.arguments.dropFirst(2).first ?? "") ?? 1
let store = Store(
    Store.Settings(path: path, retention: Retention(maxAge: nil, maxSize: 1 << 30), bootID: "boot"),
    deliver: { $0() }, report: { event in say("! \(event)") }, stored: { say("stored \($0.rawValue)") })
say("first \(number)")
var size = 1
while true {
    var writes: [Write] = []
    for _ in 0..<size {
        writes.append(.history(HistoryEntry(worker: "w", kind: .changed, at: number, reason: "\(number)")))
        number += 1
    }
    writes.append(
        .termination(
            TerminationEntry(
                worker: "w\(number)", at: number, pid: 1, launchReason: "operator", state: "active",
                goal: "active", cause: "exited", sentence: "it ended", ran: 1, inBackground: 0, suspended: 0))
    )
    let sequence = store.write(Batch(writes, isAwaited: true))
    say("batch \(sequence.rawValue) \(number - 1)")
    size = size % 50 + 1
    usleep(200)
}
