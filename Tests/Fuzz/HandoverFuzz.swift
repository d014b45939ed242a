// The fuzz target for snapshots: what a predecessor has left in a record, and what it hands over as JSON. One module with the
// sources of the handover.

import Lifecycle
import SnapshotCoding

/// One input, read as a record and as a handover of a model's life.
///
/// Traps when a bound or a promise is broken: what was read is written so that it reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHandover(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    var reader = RecordReader(input[...])
    if (try? reader.format()) != nil, let life = try? WorkerLifecycle(&reader, nil) { check(life) }
    if let life = try? HandoverReader.value(WorkerLifecycle.self, of: input) { check(life) }
    if let bytes = Base64.bytes(of: String(decoding: input, as: UTF8.self)) {
        precondition(
            Base64.bytes(of: Base64.text(of: bytes)) == bytes, "base64 is not read as it was written")
    }
    return 0
}

/// A life that was read is the same in both forms, and what follows a crash in it traps nowhere.
private func check(_ life: WorkerLifecycle) {
    guard (try? HandoverReader.value(WorkerLifecycle.self, of: HandoverWriter.text(of: life))) == life else {
        preconditionFailure("a handover is not read as it was written")
    }
    var writer = RecordWriter()
    writer.begin(format: 4)
    life.write(to: &writer, as: 1)
    writer.end()
    var reader = RecordReader(writer.bytes[...])
    guard (try? reader.format()) != nil, let again = try? reader.required("life", 1, nil as WorkerLifecycle?),
        again == life, (try? reader.end()) != nil
    else { preconditionFailure("a record is not read as it was written") }
    var next = life
    let now = Instant(microseconds: .max)
    _ = next.recover(at: now)
    _ = next.handle(.exited(.killed(signal: 9, coreDumped: false), oomKilled: false), at: now)
}
