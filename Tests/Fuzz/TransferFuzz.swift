// The fuzz target for what a transfer prints, what its holder reports, and what a supervisor leaves of it.
import Lifecycle
import Transferring

/// One input: the file of a holder, a record, or output in pieces, by its first byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransfer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let rest = Array(bytes.dropFirst())
    switch bytes.first {
    case 0:
        guard let (report, sequence) = TransferReport.read(rest) else { return 0 }
        precondition(report.holder > 0 && report.lines.count <= TransferOutput.mostLines)
        let written = report.bytes(sequence: sequence)
        precondition(written.count <= TransferReport.slotSize && TransferReport.read(written) != nil)
    case 1:
        guard let record = try? TransferRecord(reading: rest, now: .zero) else { return 0 }
        precondition((try? TransferRecord(reading: record.bytes, now: .zero)) == record)
        _ = record.entry.end?.words
    default:
        var (whole, pieces) = (TransferOutput(), TransferOutput())
        whole.take(rest)
        for byte in rest { pieces.take([byte]) }
        whole.finish()
        pieces.finish()
        precondition(whole == pieces && whole.lines.count <= TransferOutput.mostLines)
        precondition(whole.progress.percentage.map { $0 <= 100 } ?? true)
        precondition(whole.lines.allSatisfy { !$0.utf8.contains { $0 < 0x20 && $0 != 9 } }, "a broken line")
    }
    return 0
}
