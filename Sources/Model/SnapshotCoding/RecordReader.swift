/// Reads what a ``RecordWriter`` has written; nothing in it is believed.
///
/// Fields come in the order of their numbers. Those between them that no description names are passed over.
public struct RecordReader: Sendable, SnapshotCoder {
    /// What reading throws.
    public typealias Failure = SnapshotError
    private typealias Wire = RecordWriter.Wire

    /// Whether it brings values.
    public static var reads: Bool { true }

    private let bytes: ArraySlice<UInt8>
    private var index: Int
    /// The latest moment, in microseconds, at which something can have happened.
    public var latest: Int64

    /// No writer writes a list of more elements.
    private static let longest: UInt64 = 1 << 16
    /// How many objects may stand inside each other where they are passed over.
    private static let deepest = 16

    /// Reads `bytes` from their beginning; nothing in them has happened after `latest`, in microseconds.
    public init(_ bytes: ArraySlice<UInt8>, latest: Int64 = .max) {
        self.bytes = bytes
        self.latest = latest
        index = bytes.startIndex
    }

    /// Reads the number of the record's format, which stands before all fields.
    public mutating func format() throws(SnapshotError) -> UInt64 { try number(of: "format") }

    /// Passes over what is left of the record, which is whole then, and nothing follows it.
    public mutating func end() throws(SnapshotError) {
        try skipFields(of: "record", depth: 0)
        guard index == bytes.endIndex else { throw .damaged("record") }
    }

    // MARK: bytes

    private mutating func byte(of name: StaticString) throws(SnapshotError) -> UInt8 {
        guard index < bytes.endIndex else { throw .damaged("\(name)") }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func number(of name: StaticString) throws(SnapshotError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte(of: name)
            let part = UInt64(byte & 0x7f)
            guard shift < 63 || part <= 1 else { throw .damaged("\(name)") }
            number |= part << shift
            if byte & 0x80 == 0 { return number }
        }
        throw .damaged("\(name)")
    }

    private mutating func content(of name: StaticString) throws(SnapshotError) -> ArraySlice<UInt8> {
        let count = try number(of: name)
        guard count <= UInt64(bytes.endIndex - index) else { throw .damaged("\(name)") }
        defer { index += Int(count) }
        return bytes[index..<index + Int(count)]
    }

    /// The number of elements of a list, and how each lies there.
    private mutating func listHeader(of name: StaticString) throws(SnapshotError) -> (count: UInt64, Wire) {
        let header = try number(of: name)
        guard let wire = Wire(rawValue: UInt8(header & 3)), wire != .list else { throw .damaged("\(name)") }
        // Each element has a byte at least: a count that lies is found out before room is made for it.
        guard header >> 2 <= Self.longest, header >> 2 <= UInt64(bytes.endIndex - index) else {
            throw .damaged("\(name)")
        }
        return (header >> 2, wire)
    }

    /// Goes to a field's value; false where the object has no such field.
    private mutating func find(_ name: StaticString, _ tag: UInt8, _ wire: Wire) throws(SnapshotError) -> Bool
    {
        while true {
            let start = index
            let header = try number(of: name)
            guard header >> 2 >= UInt64(tag) else {
                // The end of the object, or a field that the description does not have.
                if header != 0 {
                    try skip(header, name, depth: 0)
                    continue
                }
                index = start
                return false
            }
            guard header >> 2 == UInt64(tag) else {
                index = start
                return false
            }
            guard header & 3 == UInt64(wire.rawValue) else { throw .damaged("\(name)") }
            return true
        }
    }

    // MARK: passing over

    private mutating func skip(_ header: UInt64, _ name: StaticString, depth: Int) throws(SnapshotError) {
        // No field has the number 0.
        guard header >> 2 > 0, let wire = Wire(rawValue: UInt8(header & 3)) else { throw .damaged("\(name)") }
        guard wire == .list else { return try skip(wire, name, depth: depth) }
        let (count, element) = try listHeader(of: name)
        for _ in 0..<count { try skip(element, name, depth: depth) }
    }

    private mutating func skip(_ wire: Wire, _ name: StaticString, depth: Int) throws(SnapshotError) {
        switch wire {
        case .number: _ = try number(of: name)
        case .content: _ = try content(of: name)
        case .object, .list: try skipFields(of: name, depth: depth + 1)
        }
    }

    /// Passes over the rest of an object, with its end.
    private mutating func skipFields(of name: StaticString, depth: Int) throws(SnapshotError) {
        guard depth < Self.deepest else { throw .damaged("\(name)") }
        while true {
            let header = try number(of: name)
            if header == 0 { return }
            try skip(header, name, depth: depth)
        }
    }

    // MARK: fields

    /// A number from 0 on.
    public mutating func number(
        _ name: StaticString, _ tag: UInt8, _ value: UInt64?
    ) throws(SnapshotError) -> UInt64? {
        try find(name, tag, .number) ? try number(of: name) : nil
    }

    /// A number that may be negative.
    public mutating func signed(
        _ name: StaticString, _ tag: UInt8, _ value: Int64?
    ) throws(SnapshotError) -> Int64? {
        guard try find(name, tag, .number) else { return nil }
        let folded = try number(of: name)
        return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
    }

    /// A yes or no.
    public mutating func bool(
        _ name: StaticString, _ tag: UInt8, _ value: Bool?
    ) throws(SnapshotError) -> Bool? {
        guard try find(name, tag, .number) else { return nil }
        switch try number(of: name) {
        case 0: return false
        case 1: return true
        default: throw .damaged("\(name)")
        }
    }

    /// A text.
    public mutating func text(
        _ name: StaticString, _ tag: UInt8, _ value: String?
    ) throws(SnapshotError) -> String? {
        try find(name, tag, .content) ? String(decoding: try content(of: name), as: UTF8.self) : nil
    }

    /// Bytes.
    public mutating func content(
        _ name: StaticString, _ tag: UInt8, _ value: [UInt8]?
    ) throws(SnapshotError) -> [UInt8]? {
        try find(name, tag, .content) ? Array(try content(of: name)) : nil
    }

    /// A JSON object, as its text.
    public mutating func json(
        _ name: StaticString, _ tag: UInt8, _ value: [UInt8]?
    ) throws(SnapshotError) -> [UInt8]? {
        try content(name, tag, value)
    }

    /// A case of a few.
    public mutating func kind<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: Kind?
    ) throws(SnapshotError) -> Kind? {
        guard try find(name, tag, .number) else { return nil }
        let number = try number(of: name)
        guard let kind = Kind.allCases.first(where: { UInt64($0.snapshotNumber) == number }) else {
            throw .damaged("\(name)")
        }
        return kind
    }

    /// A set of cases: for each the bit with its number.
    public mutating func kinds<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: UInt32?, of kind: Kind.Type
    ) throws(SnapshotError) -> UInt32? {
        guard try find(name, tag, .number) else { return nil }
        guard let bits = UInt32(exactly: try number(of: name)) else { throw .damaged("\(name)") }
        // Bits of cases that this version does not have are left out.
        return bits & kind.allCases.reduce(0) { $0 | 1 << UInt32($1.snapshotNumber) }
    }

    /// A value of several fields.
    public mutating func object<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(SnapshotError) -> Value? {
        try find(name, tag, .object) ? try fields(of: name) : nil
    }

    private mutating func fields<Value: SnapshotObject>(
        of name: StaticString
    ) throws(SnapshotError) -> Value {
        let value = try Value(&self, nil)
        try skipFields(of: name, depth: 0)
        return value
    }

    // MARK: lists

    private mutating func list<Value>(
        _ name: StaticString, _ tag: UInt8, _ wire: Wire,
        _ element: (inout RecordReader) throws(SnapshotError) -> Value
    ) throws(SnapshotError) -> [Value]? {
        guard try find(name, tag, .list) else { return nil }
        let (count, kind) = try listHeader(of: name)
        guard kind == wire else { throw .damaged("\(name)") }
        var values: [Value] = []
        for _ in 0..<count { values.append(try element(&self)) }
        return values
    }

    /// A list of them.
    public mutating func objects<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ values: [Value]?
    ) throws(SnapshotError) -> [Value]? {
        try list(name, tag, .object) { (reader) throws(SnapshotError) in try reader.fields(of: name) }
    }

    /// A list of numbers.
    public mutating func numbers(
        _ name: StaticString, _ tag: UInt8, _ values: [UInt32]?
    ) throws(SnapshotError) -> [UInt32]? {
        try list(name, tag, .number) { (reader) throws(SnapshotError) in
            guard let number = UInt32(exactly: try reader.number(of: name)) else { throw .damaged("\(name)") }
            return number
        }
    }

    /// A list of texts.
    public mutating func texts(
        _ name: StaticString, _ tag: UInt8, _ values: [String]?
    ) throws(SnapshotError) -> [String]? {
        try list(name, tag, .content) { (reader) throws(SnapshotError) in
            String(decoding: try reader.content(of: name), as: UTF8.self)
        }
    }

    /// A list of bytes.
    public mutating func contents(
        _ name: StaticString, _ tag: UInt8, _ values: [[UInt8]]?
    ) throws(SnapshotError) -> [[UInt8]]? {
        try list(name, tag, .content) { (reader) throws(SnapshotError) in Array(try reader.content(of: name))
        }
    }

    /// Refuses the value of a field.
    public func refuse(_ name: StaticString) throws(SnapshotError) { throw .damaged("\(name)") }

    /// Refuses an object without this field.
    public func missing(_ name: StaticString) throws(SnapshotError) -> Never { throw .missing("\(name)") }

    /// Refuses the value of a field of which nothing can be made.
    public func stop(_ name: StaticString) throws(SnapshotError) -> Never { throw .damaged("\(name)") }
}
