internal import Glibc
package import Lifecycle
package import Linux
internal import SnapshotCoding
internal import Systemd

/// The records of all workers that have ever run, as a supervisor that is killed leaves them to the next one.
///
/// One file in the runtime directory: its first slot tells the format and the boot, each other one a worker. A worker whose
/// record is too long for its slot has a file of its own beside it. The kernel hears nothing of a worker before its record is
/// written, and writing it takes a few thousand instructions at most.
package final class LiveRecords {
    /// What was found of a predecessor.
    package struct Found {
        /// What can be read, by the names of workers.
        package var records: [String: LiveRecord] = [:]
        /// When its last record was written; nil where there is none.
        package var lastWritten: Instant?
        /// Why some or all of it cannot be used; nil when all can.
        package var problem: String?
        /// How many records cannot be used.
        package var refused = 0

        package init(
            records: [String: LiveRecord] = [:], lastWritten: Instant? = nil, problem: String? = nil,
            refused: Int = 0
        ) {
            self.records = records
            self.lastWritten = lastWritten
            self.problem = problem
            self.refused = refused
        }
    }

    private var file: SlotFile
    private let directory: String
    private var slots: [WorkerID: Int] = [:]
    private var free: [Int] = []
    private var next = 1
    /// The slots of records that were found, by the names of their workers, until those write there.
    private var places: [String: Int] = [:]
    /// Whether what is in the file is of our format and of this boot.
    private var isOurs = false
    private var writer = RecordWriter()
    /// Those whose record is in a file of its own.
    private var overflowing: Set<Int> = []
    /// Told once when records cannot be written, and once when they can again.
    package var complain: (String) -> Void = { _ in }
    private var isComplaining = false

    /// How the file is laid out: 2 since its slots are mapped, 3 since each has a checksum, 4 since its head has numbered fields.
    fileprivate static let format: UInt64 = 4
    /// Stands in a slot whose record is in a file of its own.
    private static let elsewhere: UInt64 = 0xffff

    /// The records in `directory`.
    package init(in directory: String) throws(LinuxError) {
        self.directory = directory
        file = try SlotFile("\(directory)/live")
    }

    // MARK: what a predecessor left

    /// Reads what a predecessor has left.
    ///
    /// It stays where it is until the workers themselves write over it: a supervisor that is killed meanwhile has lost nothing.
    package func found(bootID: String, now: Instant = Instant(microseconds: KernelClock.monotonic)) -> Found {
        var found = read(bootID: bootID, now: now)
        if found.refused > 1, let problem = found.problem {
            found.problem = "\(found.refused) records are \(problem)"
        }
        return found
    }

    private func read(bootID: String, now: Instant) -> Found {
        var found = Found()
        do throws(LinuxError) {
            let slots = try file.slots()
            guard let head = slots.first else { return found }
            do throws(SnapshotError) {
                // Its moments are of another clock: nothing of it is left.
                guard try Head(reading: head).bootID == bootID else { return found }
            } catch {
                found.problem = Self.words(error, Self.format)
                return found
            }
            isOurs = true
            next = slots.count
            for (number, bytes) in slots.enumerated().dropFirst() { take(bytes, number, now, &found) }
        } catch {
            found.problem = "\(error)"
        }
        return found
    }

    private func take(_ slot: [UInt8], _ number: Int, _ now: Instant, _ found: inout Found) {
        do throws(SnapshotError) {
            guard var bytes = SlotFile.content(of: slot) else { throw .damaged("slot") }
            if bytes.isEmpty {
                free.append(number)
                return
            }
            var reader = RecordReader(bytes[...])
            if try reader.format() == Self.elsewhere {
                guard let whole = try? RegularFile.read(overflow(number), limit: 4 << 20),
                    let sound = SlotFile.unsealed(whole)
                else { throw .damaged("overflow") }
                bytes = sound
                overflowing.insert(number)
            }
            var record = try LiveRecord(reading: bytes, now: now)
            record.wasWanted = SlotFile.isFlagged(slot)
            found.lastWritten = max(found.lastWritten ?? record.at, record.at)
            // Of two by one name, which is no more than a moment's doing, the later holds.
            if let other = found.records[record.name], other.at > record.at { return }
            found.records[record.name] = record
            places[record.name] = number
        } catch {
            found.problem = Self.words(error, LiveRecord.format)
            found.refused += 1
        }
    }

    private static func words(_ error: SnapshotError, _ ours: UInt64) -> String {
        switch error {
        case .damaged(let path), .missing(let path): "damaged or from another clock (\(path))"
        case .format(let number): "in format \(number), but this version reads format \(ours)"
        }
    }

    // MARK: our own

    /// Goes on with what was found, or begins anew where that is of no use; what no `names` stands for is forgotten.
    package func begin(bootID: String, keeping names: Set<String>) {
        do throws(LinuxError) {
            if !isOurs {
                try file.begin(with: Head(bootID: bootID).bytes)
                isOurs = true
            }
            for (name, slot) in places where !names.contains(name) {
                places[name] = nil
                try clear(slot)
            }
        } catch {
            failed(error)
        }
    }

    /// Writes what there is of the worker `id` now.
    package func write(_ record: consuming LiveRecord, of id: WorkerID) {
        let slot = slots[id] ?? makeSlot(for: id, named: record.name)
        record.write(to: &writer)
        do throws(LinuxError) {
            if writer.count <= SlotFile.roomInSlot {
                try writer.withBytes { (bytes) throws(LinuxError) in try file.write(bytes, to: slot) }
                if !overflowing.isEmpty, overflowing.remove(slot) != nil {
                    try? AtomicFile.remove(overflow(slot))
                }
            } else {
                // The loop waits for this, and records are of no use to the next boot: no disk is waited for.
                try AtomicFile.write(
                    SlotFile.sealed(writer.bytes), to: overflow(slot), outlivesMachine: false)
                if overflowing.insert(slot).inserted { try pointElsewhere(slot) }
            }
            if isComplaining {
                isComplaining = false
                complain("live records of workers can be written again")
            }
        } catch {
            failed(error)
        }
    }

    /// Says of the record of the worker `id` that a client has come for the sleeper since, and that it is being woken for that.
    ///
    /// The record itself is written when the client waits for it no more.
    package func noteWanted(_ id: WorkerID) {
        guard let slot = slots[id] else { return }
        do throws(LinuxError) { try file.flag(slot) } catch { failed(error) }
    }

    /// Forgets a worker.
    package func remove(_ worker: WorkerID) {
        guard let slot = slots.removeValue(forKey: worker) else { return }
        do throws(LinuxError) { try clear(slot) } catch { failed(error) }
    }

    private func clear(_ slot: Int) throws(LinuxError) {
        free.append(slot)
        if overflowing.remove(slot) != nil { try? AtomicFile.remove(overflow(slot)) }
        try file.clear(slot)
    }

    /// Leaves nothing: every worker has ended.
    package func removeAll() {
        try? file.removeAll()
        for slot in overflowing { try? AtomicFile.remove(overflow(slot)) }
        slots = [:]
    }

    private func makeSlot(for worker: WorkerID, named name: String) -> Int {
        let slot: Int
        if let place = places.removeValue(forKey: name) ?? free.popLast() {
            slot = place
        } else {
            slot = next
            next += 1
        }
        slots[worker] = slot
        return slot
    }

    private func pointElsewhere(_ slot: Int) throws(LinuxError) {
        var mark = RecordWriter()
        mark.begin(format: Self.elsewhere)
        try mark.withBytes { (bytes) throws(LinuxError) in try file.write(bytes, to: slot) }
    }

    private func overflow(_ slot: Int) -> String { "\(directory)/live.\(slot)" }

    private func failed(_ error: LinuxError) {
        guard !isComplaining else { return }
        isComplaining = true
        complain(
            "cannot write live records of workers; after a crash they can be identified only by their cgroups: \(error)"
        )
    }
}

/// What the first slot tells.
private struct Head: SnapshotObject {
    /// How a file of any format begins: the length of the text, and the text.
    private static let magic = [19] + Array("torpor live records".utf8)

    let bootID: String

    init(bootID: String) { self.bootID = bootID }

    /// Reads what ``bytes`` has written; the rest of the slot is not looked at.
    init(reading bytes: [UInt8]) throws(SnapshotError) {
        guard bytes.starts(with: Self.magic) else { throw .damaged("head") }
        var reader = RecordReader(bytes.dropFirst(Self.magic.count))
        let format = try reader.format()
        guard format == LiveRecords.format else { throw .format(format) }
        try self.init(&reader, nil)
    }

    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Head?) throws(C.Failure) {
        bootID = try c.required("bootID", 1, value?.bootID)
    }

    var bytes: [UInt8] {
        var writer = RecordWriter()
        writer.begin(format: LiveRecords.format)
        _ = Head(&writer, self)
        writer.end()
        return Self.magic + writer.bytes
    }
}
