/// Reads keys from what a terminal sends: characters of UTF-8, control characters and the escape sequences of xterm and the Linux console.
///
/// It is pure. What it keeps is bounded; anything that is no key becomes ``Key/other``.
package struct KeyReader: Sendable {
    private enum Place: Hashable, Sendable {
        case plain
        /// Inside a character of UTF-8, of which so many bytes are still to come.
        case character(value: UInt32, least: UInt32, left: Int)
        /// Behind an ESC.
        case escape
        /// Behind ESC O.
        case single
        /// Before the last character of a function key of the Linux console.
        case function
        /// Inside a control sequence, with its parameters so far.
        case sequence([UInt8])
        /// Inside of what is a text for the terminal (OSC, DCS and the like), up to BEL or ST.
        case text(afterEscape: Bool, count: Int)
    }

    private var place = Place.plain
    private var pasted: [UInt8]?
    private var isPasteCut = false

    /// The longest control sequence and the longest paste that are kept, in bytes.
    private static let mostParameters = 32
    private static let mostPasted = 4096
    /// A text that is longer is not taken for one any more.
    private static let mostText = 4096

    /// Nothing has been read.
    package init() {}

    /// Whether an ESC has come that may be a key or the beginning of a sequence: ``expire()`` is due when nothing follows soon.
    package var isWaiting: Bool { place != .plain || pasted != nil }

    /// Nothing has followed: an ESC was the key, and what was begun is none.
    package mutating func expire() -> [Key] {
        defer { (place, pasted) = (.plain, nil) }
        // A paste without an end is none.
        guard pasted == nil else { return [] }
        return switch place {
        case .plain: []
        case .escape: [.escape]
        case .character, .single, .function, .sequence, .text: [.other]
        }
    }

    /// The keys in `bytes`, in order.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { read(byte, into: &keys) }
        return keys
    }

    private mutating func read(_ byte: UInt8, into keys: inout [Key]) {
        switch place {
        case .plain: plain(byte, into: &keys)
        case .character(let value, let least, let left):
            guard byte & 0xc0 == 0x80 else {
                // Broken: what follows is read for itself.
                place = .plain
                emit(.other, into: &keys)
                return plain(byte, into: &keys)
            }
            let next = value << 6 | UInt32(byte & 0x3f)
            guard left == 1 else {
                place = .character(value: next, least: least, left: left - 1)
                return
            }
            place = .plain
            emit(next >= least ? Unicode.Scalar(next).map { .character($0) } ?? .other : .other, into: &keys)
        case .escape: escape(byte, into: &keys)
        case .single:
            place = .plain
            emit(byte == UInt8(ascii: "M") ? .enter : Self.single(byte), into: &keys)
        case .function:
            place = .plain
            emit(.other, into: &keys)
        case .sequence(let parameters): sequence(byte, parameters, into: &keys)
        case .text(let isAfterEscape, let count):
            let isOver =
                byte == 0x07 || (isAfterEscape && byte == UInt8(ascii: "\\")) || count > Self.mostText
            place = isOver ? .plain : .text(afterEscape: byte == 0x1b, count: count + 1)
        }
    }

    private mutating func plain(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case 0x1b: place = .escape
        case 0x0d, 0x0a: emit(.enter, into: &keys)
        case 0x09: emit(.tab, into: &keys)
        case 0x7f, 0x08: emit(.backspace, into: &keys)
        case 0x00: emit(.other, into: &keys)
        case 0x01..<0x20: emit(.control(Unicode.Scalar(byte + 0x60)), into: &keys)
        case 0x20..<0x7f: emit(.character(Unicode.Scalar(byte)), into: &keys)
        case 0xc2..<0xe0: place = .character(value: UInt32(byte & 0x1f), least: 0x80, left: 1)
        case 0xe0..<0xf0: place = .character(value: UInt32(byte & 0x0f), least: 0x800, left: 2)
        case 0xf0..<0xf5: place = .character(value: UInt32(byte & 0x07), least: 0x1_0000, left: 3)
        default: emit(.other, into: &keys)
        }
    }

    private mutating func escape(_ byte: UInt8, into keys: inout [Key]) {
        switch byte {
        case UInt8(ascii: "["): place = .sequence([])
        case UInt8(ascii: "O"): place = .single
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            place = .text(afterEscape: false, count: 0)
        // The key was pressed twice, or a sequence follows it.
        case 0x1b: emit(.escape, into: &keys)
        default:
            // With Alt held: none of these is a key here, and least of all the key without it.
            place = .plain
            emit(.other, into: &keys)
        }
    }

    private mutating func sequence(_ byte: UInt8, _ parameters: [UInt8], into keys: inout [Key]) {
        switch byte {
        case 0x20..<0x40:
            // One that is too long is read to its end all the same.
            place = .sequence(parameters.count < Self.mostParameters ? parameters + [byte] : parameters)
        // The Linux console has function keys with one more character.
        case UInt8(ascii: "[") where parameters.isEmpty: place = .function
        case 0x40..<0x7f:
            place = .plain
            ended(byte, parameters, into: &keys)
        case 0x1b: place = .escape
        default:
            place = .plain
            emit(.other, into: &keys)
        }
    }

    private mutating func ended(_ byte: UInt8, _ parameters: [UInt8], into keys: inout [Key]) {
        let number = parameters.prefix { (0x30..<0x3a).contains($0) }.reduce(0) {
            min($0 * 10 + Int($1 - 0x30), 9999)
        }
        guard byte == UInt8(ascii: "~") else { return emit(Self.single(byte), into: &keys) }
        switch number {
        case 1, 7: emit(.home, into: &keys)
        case 3: emit(.delete, into: &keys)
        case 4, 8: emit(.end, into: &keys)
        case 5: emit(.pageUp, into: &keys)
        case 6: emit(.pageDown, into: &keys)
        case 200:
            pasted = []
            isPasteCut = false
        case 201:
            guard let text = pasted else { return }
            pasted = nil
            keys.append(.pasted(isPasteCut ? "" : String(decoding: text, as: UTF8.self)))
        default: emit(.other, into: &keys)
        }
    }

    private static func single(_ byte: UInt8) -> Key {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: .other
        }
    }

    /// A key; inside a paste, a character of it: what is pasted presses no keys.
    private mutating func emit(_ key: Key, into keys: inout [Key]) {
        guard pasted != nil else { return keys.append(key) }
        guard case .character(let scalar) = key else { return }
        if let count = pasted?.count, count + 4 > Self.mostPasted {
            isPasteCut = true
            return
        }
        UTF8.encode(scalar).map { pasted?.append(contentsOf: $0) }
    }
}
