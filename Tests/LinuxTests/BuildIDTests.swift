import Launching
import Testing

/// Build ids, of files that hold together and of those that do not.
@Suite struct `The build id of a program` {
    /// An ELF file with one segment of notes, of 64 or 32 bits and of either byte order.
    private struct File {
        var isWide = true
        var isBig = false
        var alignment = 4
        /// Names with their final zero, types and contents.
        var notes: [(name: String, type: UInt64, content: [UInt8])] = []
        var segment: UInt64 = 4
        var headerCount: UInt64 = 1
        var notesAt: UInt64?
        var notesSize: UInt64?

        private func number(_ value: UInt64, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBig ? bytes.reversed() : bytes
        }

        private func padded(_ bytes: [UInt8]) -> [UInt8] {
            bytes + Array(repeating: 0, count: (alignment - bytes.count % alignment) % alignment)
        }

        var bytes: [UInt8] {
            var body: [UInt8] = []
            for note in notes {
                let head =
                    number(UInt64(note.name.utf8.count), 4) + number(UInt64(note.content.count), 4)
                    + number(note.type, 4)
                body += padded(head + Array(note.name.utf8)) + padded(note.content)
            }
            let word = isWide ? 8 : 4
            let (headers, headerSize) = isWide ? (UInt64(64), UInt64(56)) : (52, 32)
            let at = notesAt ?? headers + headerSize
            let size = notesSize ?? UInt64(body.count)
            var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, isWide ? 2 : 1, isBig ? 2 : 1, 1]
            bytes += Array(repeating: 0, count: 9) + number(2, 2) + number(62, 2) + number(1, 4)
            bytes += number(0, word) + number(headers, word) + number(0, word) + number(0, 4)
            bytes += number(headers, 2) + number(headerSize, 2) + number(headerCount, 2)
            bytes += number(0, 2) + number(0, 2) + number(0, 2)
            bytes += number(segment, 4)
            if isWide { bytes += number(4, 4) }
            bytes += number(at, word) + number(0, word) + number(0, word) + number(size, word)
            bytes += number(size, word)
            if !isWide { bytes += number(4, 4) }
            return bytes + number(UInt64(alignment), word) + body
        }
    }

    private static func id(in bytes: [UInt8]) -> String? {
        BuildID.read { offset, count in
            offset < UInt64(bytes.count) ? Array(bytes[Int(offset)...].prefix(count)) : []
        }
    }

    private static let note = (name: "GNU\0", type: UInt64(3), content: [UInt8](0xa0...0xb3))
    private static let text = "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3"

    @Test(arguments: [(true, false), (true, true), (false, false), (false, true)])
    func `is read in every class and byte order`(isWide: Bool, isBig: Bool) {
        let before = [
            (name: "GNU\0", type: UInt64(1), content: [UInt8](repeating: 1, count: 16)),
            (name: "Go\0\0", type: UInt64(3), content: [UInt8](repeating: 2, count: 7)),
        ]
        let file = File(isWide: isWide, isBig: isBig, notes: before + [Self.note])
        #expect(Self.id(in: file.bytes) == Self.text)
    }

    @Test func `is found behind notes of eight bytes`() {
        let property = (name: "GNU\0", type: UInt64(5), content: [UInt8](repeating: 3, count: 12))
        #expect(Self.id(in: File(alignment: 8, notes: [property, Self.note]).bytes) == Self.text)
    }

    @Test func `is none of a file that has none or does not hold together`() {
        let whole = File(notes: [Self.note])
        #expect(Self.id(in: whole.bytes) == Self.text)
        var broken = [whole, whole, whole, whole, whole, whole]
        broken[0].segment = 1
        broken[1].headerCount = 0
        broken[2].notesAt = .max
        broken[3].notesSize = 20
        broken[4].notes = [(name: "GNU\0", type: 3, content: [])]
        broken[5].notes = [(name: "GNU\0", type: 3, content: [UInt8](repeating: 1, count: 65))]
        for file in broken { #expect(Self.id(in: file.bytes) == nil, "\(file)") }
        #expect(Self.id(in: []) == nil)
        #expect(Self.id(in: Array("#!/bin/sh\nexit 0\n".utf8)) == nil)
        #expect(Self.id(in: Array(repeating: 0xff, count: 4096)) == nil)
        // Cut off anywhere, it has its id or none.
        for count in 0..<whole.bytes.count {
            #expect(Self.id(in: Array(whole.bytes.prefix(count))) == nil)
        }
        // Any byte changed, there is no trap.
        for index in whole.bytes.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
                var bytes = whole.bytes
                bytes[index] = value
                _ = Self.id(in: bytes)
            }
        }
    }

    @Test func `is none of a script, a directory, a device and what is not there`() {
        for path in ["/", "/dev/null", "/dev/tty", "/no/such/file", "/etc/passwd"] {
            #expect(BuildID.ofProgram(path) == nil, "\(path)")
        }
    }
}
