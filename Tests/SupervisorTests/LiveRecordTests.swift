import Foundation
import HostContract
import Idleness
import Lifecycle
import Linux
import SnapshotCoding
import SupervisorPorts
import TestSupport
import Testing

@testable import History
@testable import Supervisor

@Suite(.timeLimit(.minutes(60))) struct `The record of a worker` {
    /// The record of a worker that has slept, and when it was written.
    private func record() throws -> (bytes: [UInt8], at: Instant) {
        let world = try World()
        let id = world.active("sleeper")
        world.request(.suspended, of: id)
        world.host.run { world.state(of: id) == .suspended }
        let now = world.host.now
        var writer = RecordWriter()
        if let worker = world.supervisor.workers[id] {
            LiveRecord(of: worker, at: now, startTime: 7).write(to: &writer)
        }
        let bytes: [UInt8] = writer.bytes
        return (bytes, now)
    }

    @Test func `is read while the clock goes on from it`() throws {
        let (bytes, at) = try record()
        for now in [at, at + .seconds(1), at + .seconds(1 << 40)] {
            let record = try LiveRecord(reading: bytes, now: now)
            #expect(record.name == "sleeper" && record.at == at)
            #expect(record.life.state == .suspended)
        }
    }

    @Test func `is refused where it comes from a later clock`() throws {
        let (bytes, at) = try record()
        for now in [at + TimeSpan(microseconds: -1), .zero] {
            #expect(throws: SnapshotError.damaged("at")) { try LiveRecord(reading: bytes, now: now) }
        }
    }

    @Test func `has nothing in it that happened after it was written, or took less than no time`() throws {
        let (bytes, at) = try record()
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                guard let record = try? LiveRecord(reading: changed, now: at) else { continue }
                #expect(
                    record.at <= at && record.since <= record.at && record.lastActive ?? .zero <= record.at)
                #expect(record.suspendedFor ?? .zero >= .zero)
                var again = record.life
                // What follows traps nowhere, and no span in what is told of it is negative.
                let effects =
                    again.recover(at: at)
                    + again.handle(.exited(.killed(signal: 9, coreDumped: false), oomKilled: false), at: at)
                for case .record(let end) in effects {
                    #expect(end.ran >= .zero && end.suspended >= .zero && end.inBackground >= .zero)
                    #expect(!StatusPrinter.sentence(end).isEmpty)
                }
            }
        }
    }

    @Test func `says of a sleeper that a client had come for it when the supervisor was killed`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let world = try World()
        let records = try LiveRecords(in: directory)
        records.begin(bootID: "boot", keeping: [])
        world.supervisor.records = records
        let id = world.active("sleeper")
        world.request(.suspended, of: id)
        world.host.run { world.state(of: id) == .suspended }
        func found() throws -> LiveRecord? {
            try LiveRecords(in: directory).found(bootID: "boot", now: world.host.now).records["sleeper"]
        }
        #expect(try found()?.wasWanted == false)
        // As it is noted before the kernel is asked to thaw it.
        records.noteWanted(id)
        let left = try #require(try found())
        #expect(left.wasWanted && left.life.state == .suspended && left.life.goal == .suspended)
        let worker = try #require(world.supervisor.workers[id])
        world.supervisor.wanted(worker, by: .unnamed, isExplained: true)
        #expect(world.life(of: id)?.goal == .active)
        world.host.run { world.state(of: id) == .active }
        #expect(try found()?.wasWanted == false && found()?.life.state == .active)

        // What the successor makes of it is what the predecessor had made of it, not an act of another program.
        let next = try World()
        let other = next.add("sleeper")
        let heir = try #require(next.supervisor.workers[other])
        heir.take(left)
        _ = heir.life.handle(.woken(.byClient), at: left.at)
        #expect(heir.life.goal == .active && !heir.life.isHeld)
    }

    @Test func `is refused by its checksum with any bit of it lost, and its neighbour is read`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let world = try World()
        let ids = ["sleeper", "notifier"].map { world.active($0) }
        let records = try LiveRecords(in: directory)
        records.begin(bootID: "boot", keeping: [])
        for id in ids {
            guard let worker = world.supervisor.workers[id] else { continue }
            records.write(LiveRecord(of: worker, at: world.host.now, startTime: nil), of: id)
        }
        let path = directory + "/live"
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let now = world.host.now
        let sound = try LiveRecords(in: directory).found(bootID: "boot", now: now)
        #expect(sound.records.keys.sorted() == ["notifier", "sleeper"] && sound.problem == nil)
        // The first content of the first worker's slot, with the numbers before it.
        var length = 0
        for place in 1024 + 8 + 508..<1024 + 8 + 508 + 60 {
            var changed = whole
            changed[place] ^= 4
            try changed.write(to: URL(fileURLWithPath: path))
            let found = try LiveRecords(in: directory).found(bootID: "boot", now: now)
            #expect(found.records.keys.sorted() == ["notifier"], "byte \(place)")
            #expect(found.refused == 1 && found.problem != nil)
            length += 1
        }
        #expect(length == 60)
        try whole.write(to: URL(fileURLWithPath: path))
        let early = try LiveRecords(in: directory).found(bootID: "boot", now: .zero)
        #expect(early.records.isEmpty && early.refused == 2)
        #expect(early.problem?.contains("2 records") == true)
    }
}
