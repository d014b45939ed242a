/// The build id of a program: the note that linkers write into ELF files (elf(5), ld(1) `--build-id`).
///
/// Not believed in anything: what a header says is bounded before it is used, and a file that does not hold together has none.
package enum BuildID {
    /// The most bytes that a build id may have; linkers write 8 to 20.
    private static let longest = 64
    /// The most program headers and notes that are looked at, and the most bytes of notes.
    private static let mostHeaders = 128
    private static let mostNotes = 64
    private static let mostNoteBytes = 16 << 10

    /// The build id in a file, of which `part` reads so many bytes from an offset: fewer at its end.
    package static func read(_ part: (_ offset: UInt64, _ count: Int) -> [UInt8]) -> String? {
        guard let file = Fields(header: part(0, 64)) else { return nil }
        let headers = part(file.headersAt, file.headerSize * file.headerCount)
        for index in 0..<(headers.count / file.headerSize) {
            let header = headers[(index * file.headerSize)..<((index + 1) * file.headerSize)]
            guard let notes = file.notes(header) else { continue }
            let bytes = part(notes.offset, notes.count)
            if let id = file.buildID(in: bytes, alignment: notes.alignment) { return id }
        }
        return nil
    }

    /// Where the fields of a file are, which is of 32 or 64 bits, and of either byte order.
    private struct Fields {
        private let isWide: Bool
        private let isBig: Bool
        private(set) var headersAt: UInt64 = 0
        private(set) var headerSize = 0
        private(set) var headerCount = 0

        init?(header: [UInt8]) {
            guard header.count >= 52, header.starts(with: [0x7f, 0x45, 0x4c, 0x46]),
                (1...2).contains(header[4]), (1...2).contains(header[5])
            else { return nil }
            isWide = header[4] == 2
            isBig = header[5] == 2
            guard !isWide || header.count >= 64 else { return nil }
            headersAt = isWide ? number(header[...], 32, 8) : number(header[...], 28, 4)
            headerSize = Int(number(header[...], isWide ? 54 : 42, 2))
            headerCount = min(Int(number(header[...], isWide ? 56 : 44, 2)), BuildID.mostHeaders)
            guard headerSize >= (isWide ? 56 : 32), headerSize <= 256 else { return nil }
        }

        /// The number of `size` bytes at `offset`; the bytes are there.
        private func number(_ bytes: ArraySlice<UInt8>, _ offset: Int, _ size: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in 0..<size {
                let place = isBig ? offset + index : offset + size - 1 - index
                value = value << 8 | UInt64(bytes[bytes.startIndex + place])
            }
            return value
        }

        /// Where the notes of a segment are, if it holds notes (PT_NOTE).
        func notes(_ header: ArraySlice<UInt8>) -> (offset: UInt64, count: Int, alignment: Int)? {
            guard number(header, 0, 4) == 4 else { return nil }
            let offset = isWide ? number(header, 8, 8) : number(header, 4, 4)
            let count = isWide ? number(header, 32, 8) : number(header, 16, 4)
            let alignment = isWide ? number(header, 48, 8) : number(header, 28, 4)
            return (
                offset, Int(min(count, UInt64(BuildID.mostNoteBytes))), isWide && alignment == 8 ? 8 : 4
            )
        }

        /// The build id among `notes` (NT_GNU_BUILD_ID).
        func buildID(in notes: [UInt8], alignment: Int) -> String? {
            var rest = notes[...]
            for _ in 0..<BuildID.mostNotes {
                guard rest.count >= 12 else { return nil }
                let nameSize = Int(number(rest, 0, 4))
                let size = Int(number(rest, 4, 4))
                let type = number(rest, 8, 4)
                // Both have 32 bits: their sum does not overflow.
                let start = (12 + nameSize + alignment - 1) / alignment * alignment
                guard start + size <= rest.count else { return nil }
                let name = rest[(rest.startIndex + 12)..<(rest.startIndex + 12 + nameSize)]
                if type == 3, name.elementsEqual([0x47, 0x4e, 0x55, 0]), (1...BuildID.longest).contains(size)
                {
                    let first = rest.startIndex + start
                    return BuildID.digits(of: rest[first..<(first + size)])
                }
                rest = rest.dropFirst((start + size + alignment - 1) / alignment * alignment)
            }
            return nil
        }
    }

    private static func digits(of bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
