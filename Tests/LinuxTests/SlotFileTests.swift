import Foundation
import TestSupport
import Testing

@testable import Linux

/// What was written is there whole, whenever the writer is killed.
@Suite struct `A file of slots` {
    private let path = FileManager.default.temporaryDirectory.appending(path: "slots-\(UUID())").path

    private func write(_ content: [UInt8], to slot: Int, of file: inout SlotFile) throws {
        try content.withUnsafeBytes { bytes in try file.write(bytes, to: slot) }
    }

    private func contents() throws -> [[UInt8]?] {
        let again = try SlotFile(path)
        return try again.slots().dropFirst().map(SlotFile.content)
    }

    @Test func `says to the next one what was written last, however far it has grown`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var random = SplitMix64(seed: 7)
        var expected: [Int: [UInt8]] = [:]
        var file = try SlotFile(path)
        try file.begin(with: Array("head".utf8))
        for _ in 0..<2_000 {
            let slot = Int.random(in: 1...300, using: &random)
            if Int.random(in: 0..<8, using: &random) == 0 {
                try file.clear(slot)
                expected[slot] = nil
                continue
            }
            let length = Int.random(in: 1...SlotFile.roomInSlot, using: &random)
            let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            try write(content, to: slot, of: &file)
            expected[slot] = content
        }
        let found = try contents()
        let head = try file.slots().first
        #expect(head?.prefix(4) == ArraySlice("head".utf8))
        #expect(found.count >= expected.keys.max() ?? 0)
        for (index, content) in found.enumerated() {
            #expect(content == expected[index + 1] ?? [], "slot \(index + 1)")
        }
        // Another goes on with it.
        var again = try SlotFile(path)
        try write([1, 2, 3], to: 5, of: &again)
        #expect(try contents()[4] == [1, 2, 3])
        try again.begin(with: [9])
        #expect(try contents() == [])
    }

    @Test func `has the old content or the new in a slot, wherever a write to it ends`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = try SlotFile(path)
        var old: [UInt8] = []
        for round in 1..<6 {
            let before = try file.slots().dropFirst().first ?? []
            let new = [UInt8](repeating: UInt8(round), count: round * 90)
            try write(new, to: 1, of: &file)
            let after = try file.slots()[1]
            if before.isEmpty {
                old = new
                continue
            }
            // The word that tells which content counts is the last that is written.
            for cut in 8..<after.count {
                let torn = before.prefix(8) + after[8..<cut] + before[cut...]
                #expect(SlotFile.content(of: Array(torn)) == old)
            }
            #expect(SlotFile.content(of: after) == new)
            old = new
        }
    }

    @Test func `keeps what is in a slot that is flagged, until something else is written there`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = try SlotFile(path)
        for round: UInt8 in 1...5 {
            try write([round], to: 1, of: &file)
            #expect(try !SlotFile.isFlagged(file.slots()[1]))
            try file.flag(1)
            try file.flag(1)
            let slot = try file.slots()[1]
            #expect(SlotFile.isFlagged(slot) && SlotFile.content(of: slot) == [round])
        }
        try file.clear(1)
        #expect(try !SlotFile.isFlagged(file.slots()[1]))
        #expect(!SlotFile.isFlagged([]))
    }

    @Test func `has nothing in a slot that nobody has written like that`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = try SlotFile(path)
        try write(Array("a record".utf8), to: 1, of: &file)
        let slot = try file.slots()[1]
        #expect(SlotFile.content(of: slot) == Array("a record".utf8))
        for length in [0, 1, 8, 100, slot.count - 1] {
            #expect(SlotFile.content(of: Array(slot.prefix(length))) == nil)
        }
        // The word names a content that was never written, or that is of another write.
        for mark: UInt8 in 2...255 {
            var other = slot
            other[0] = mark
            #expect(SlotFile.content(of: other) == nil)
        }
        var random = SplitMix64(seed: 3)
        for _ in 0..<1_000 {
            let garbage = (0..<slot.count).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = SlotFile.content(of: garbage)
        }
    }

    @Test func `takes nothing that does not fit`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = try SlotFile(path)
        var refusal: LinuxError?
        do {
            try write([UInt8](repeating: 1, count: SlotFile.roomInSlot + 1), to: 1, of: &file)
        } catch {
            refusal = error as? LinuxError
        }
        #expect(refusal == LinuxError(errno: EFBIG, call: "write", subject: path))
    }
}

extension `A file of slots` {
    @Test func `has nothing in a slot of which a bit was lost`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "slots-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = try SlotFile(path)
        let content = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        try content.withUnsafeBytes { bytes in try file.write(bytes, to: 1) }
        let slot = try file.slots()[1]
        #expect(SlotFile.content(of: slot) == content)
        let place = try #require(slot.indices.first { slot[$0...].starts(with: content) })
        for index in place - 12..<place + content.count {
            for bit in 0..<8 {
                var changed = slot
                changed[index] ^= 1 << UInt8(bit)
                #expect(SlotFile.content(of: changed) == nil, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func `seals what is in a file of its own`() {
        for length in [0, 1, 7, 8, 9, 1000] {
            let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let sealed = SlotFile.sealed(content)
            #expect(SlotFile.unsealed(sealed) == content)
            for index in sealed.indices {
                var changed = sealed
                changed[index] ^= 0x10
                #expect(SlotFile.unsealed(changed) == nil)
            }
            #expect(SlotFile.unsealed(Array(sealed.dropLast())) == nil)
        }
        #expect(SlotFile.unsealed([]) == nil)
    }
}
