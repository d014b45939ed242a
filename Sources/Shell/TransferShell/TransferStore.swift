internal import Lifecycle
internal import Linux
internal import SnapshotCoding
internal import Transferring
internal import Transfers

/// The records of transfers, in a directory below the runtime directory, where a successor finds them.
///
/// For each there is `NUMBER.record`, which the supervisor writes, and `NUMBER.report`, which its holder writes. They are small, and what they
/// are in outlives no machine: no disk is waited for.
struct TransferStore {
    let directory: String

    /// The records in `directory`, which is made.
    init(in directory: String) throws(LinuxError) {
        self.directory = directory
        try Directory.makeOwn(directory, mode: 0o700)
    }

    /// What was found of one.
    struct Found {
        let entry: TransferPlan.Entry
        let sight: TransferFile.Sight?
    }

    /// All that a predecessor has left, by number; and why some of it cannot be used.
    func found(now: Instant) -> (all: [Found], lastNumber: UInt32, problems: [String]) {
        var (all, problems): ([Found], [String]) = ([], [])
        for name in (try? Directory.names(in: directory, limit: 20_000)) ?? [] where name.hasSuffix(".record")
        {
            do {
                let bytes = try RegularFile.read("\(directory)/\(name)", limit: 1 << 20)
                let entry = try TransferRecord(reading: bytes, now: now).entry
                guard name == "\(entry.transfer.number).record" else { throw SnapshotError.damaged("number") }
                all.append(
                    Found(entry: entry, sight: TransferFile.look(at: report(of: entry.transfer.number))))
            } catch {
                problems.append("cannot use \(directory)/\(name): \(error)")
                try? AtomicFile.remove("\(directory)/\(name)")
            }
        }
        let last = (try? RegularFile.read("\(directory)/last", limit: 16)).flatMap {
            UInt32(String(decoding: $0, as: UTF8.self))
        }
        return (all.sorted { $0.entry.transfer.number < $1.entry.transfer.number }, last ?? 0, problems)
    }

    /// The file of a holder.
    func report(of number: UInt32) -> String { "\(directory)/\(number).report" }

    func write(_ entry: TransferPlan.Entry) throws(LinuxError) {
        try AtomicFile.write(
            TransferRecord(entry).bytes, to: "\(directory)/\(entry.transfer.number).record",
            outlivesMachine: false)
    }

    func writeLast(_ number: UInt32) throws(LinuxError) {
        try AtomicFile.write(Array(String(number).utf8), to: "\(directory)/last", outlivesMachine: false)
    }

    /// Forgets one that is over.
    func remove(_ number: UInt32) {
        // Ignoring failures: what is left is found and told by the next supervisor, or has no record.
        try? AtomicFile.remove("\(directory)/\(number).record")
        try? AtomicFile.remove(report(of: number))
    }
}
