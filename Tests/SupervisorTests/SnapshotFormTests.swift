import SnapshotCoding
import Testing

@testable import SupervisorPorts

/// The two forms of a snapshot: records, by the numbers of fields, and handovers, by their names.
@Suite struct `A snapshot` {
    private enum Colour: Int, CodingKey, SnapshotKind {
        case red = 0, green = 1, blue = 2
    }

    /// What one version knows.
    private struct Old: SnapshotObject, Equatable {
        var number: UInt64 = 0
        var inner: Inner?
        var last = ""

        init() {}

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Old?) throws(C.Failure) {
            number = try c.value("number", 2, value?.number, or: 0)
            inner = try c.optional("inner", 5, value?.inner)
            last = try c.value("last", 9, value?.last, or: "")
        }
    }

    private struct Inner: SnapshotObject, Equatable {
        var signed: Int64

        init(_ signed: Int64) { self.signed = signed }

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Inner?) throws(C.Failure) {
            signed = try c.required("signed", 1, value?.signed)
        }
    }

    /// What a later version knows besides: fields of every kind, before, between and behind.
    private struct New: SnapshotObject, Equatable {
        var old = Old()
        var names: [String] = []
        var numbers: [UInt32] = []
        var bytes: [UInt8] = []
        var pieces: [[UInt8]] = []
        var objects: [Inner] = []
        var flag: Bool?
        var colour: Colour?

        init() {}

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: New?) throws(C.Failure) {
            names = try c.list("names", 1, value?.names)
            old.number = try c.value("number", 2, value?.old.number, or: 0)
            numbers = try c.list("numbers", 3, value?.numbers)
            objects = try c.list("objects", 4, value?.objects)
            old.inner = try c.optional("inner", 5, value?.old.inner)
            bytes = try c.value("bytes", 6, value?.bytes, or: [])
            pieces = try c.list("pieces", 7, value?.pieces)
            flag = try c.optional("flag", 8, value?.flag)
            old.last = try c.value("last", 9, value?.old.last, or: "")
            colour = try c.optional("colour", 31, value?.colour)
        }
    }

    private static var full: New {
        var new = New()
        new.old.number = .max
        new.old.inner = Inner(.min)
        new.old.last = "\"\u{0}\n\\ü"
        new.names = ["", "a", "ß"]
        new.numbers = [0, .max]
        new.bytes = Array(0...255)
        new.pieces = [[], [1], [1, 2, 3]]
        new.objects = [Inner(-1), Inner(0), Inner(.max)]
        new.flag = false
        new.colour = .blue
        return new
    }

    private func record(of value: some SnapshotObject) -> [UInt8] {
        var writer = RecordWriter()
        writer.begin(format: 4)
        _ = type(of: value).init(&writer, value)
        writer.end()
        return writer.bytes
    }

    private func read<Value: SnapshotObject>(
        _ type: Value.Type, _ bytes: [UInt8]
    ) throws(SnapshotError) -> Value {
        var reader = RecordReader(bytes[...])
        _ = try reader.format()
        let value = try Value(&reader, nil)
        try reader.end()
        return value
    }

    @Test func `is read as it was written, in both forms`() throws {
        for value in [Self.full, New()] {
            #expect(try read(New.self, record(of: value)) == value)
            #expect(try HandoverReader.value(New.self, of: HandoverWriter.text(of: value)) == value)
        }
        #expect(record(of: New()) == [4, 0])
        #expect(String(decoding: HandoverWriter.text(of: New()), as: UTF8.self) == "{}")
    }

    @Test func `of a later version is read by an earlier one, and the other way`() throws {
        let full = Self.full
        #expect(try read(Old.self, record(of: full)) == full.old)
        #expect(try HandoverReader.value(Old.self, of: HandoverWriter.text(of: full)) == full.old)
        var new = New()
        new.old = full.old
        #expect(try read(New.self, record(of: full.old)) == new)
        #expect(try HandoverReader.value(New.self, of: HandoverWriter.text(of: full.old)) == new)
    }

    @Test func `that is cut off or changed is refused or read, and never traps`() {
        let bytes = record(of: Self.full)
        for end in bytes.indices {
            #expect(throws: SnapshotError.self) { try read(New.self, Array(bytes[..<end])) }
            for bit in 0..<8 {
                var changed = bytes
                changed[end] ^= 1 << UInt8(bit)
                _ = try? read(New.self, changed)
                _ = try? read(Old.self, changed)
            }
        }
        let text = HandoverWriter.text(of: Self.full)
        for end in text.indices {
            let cut = Array(text[..<end])
            #expect(throws: SnapshotError.self) { try HandoverReader.value(New.self, of: cut) }
            for bit in 0..<8 {
                var changed = text
                changed[end] ^= 1 << UInt8(bit)
                _ = try? HandoverReader.value(New.self, of: changed)
            }
        }
    }

    /// Objects in objects that no description names are bounded, and so is a list that lies about its length.
    @Test func `that no writer writes is refused`() {
        let deep = [4] + [UInt8](repeating: 20 << 2 | 2, count: 100_000)
        let inner = [4, 1 << 2, 0] + deep.dropFirst()
        #expect(throws: SnapshotError.damaged("record")) { try read(Inner.self, inner) }
        let long: [UInt8] = [4, 1 << 2 | 3, 0xff, 0xff, 0xff, 0xff, 0x0f]
        #expect(throws: SnapshotError.damaged("names")) { try read(New.self, long) }
        // A number of more than 64 bits, a field of another kind, one without a number, and one after another's end.
        for bytes: [UInt8] in [
            [4, 1 << 2] + [UInt8](repeating: 0xff, count: 10) + [0], [4, 1 << 2 | 1, 0, 0], [4, 1, 0, 0],
            [4, 1 << 2, 0, 0, 0],
        ] {
            #expect(throws: SnapshotError.self) { try read(Inner.self, bytes) }
        }
    }
}
