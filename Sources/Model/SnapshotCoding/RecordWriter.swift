/// Writes records: values by the numbers of their fields, in as few bytes as they need.
///
/// A field is a header byte (its number times four, and how its value lies there) and the value. Nothing but the reader's
/// descriptions tells the names; a field that they do not have is passed over by its header alone.
///
/// | Header | Value |
/// |---|---|
/// | 0 | a number, in groups of seven bits, the lowest first; signed ones zigzag |
/// | 1 | bytes, after their count |
/// | 2 | an object: its fields, then a byte 0 |
/// | 3 | a list: its count times four with the kind of its elements, which are as above but without headers |
///
/// The same writer serves for record after record and keeps its room: a record is written with every event, before the
/// kernel hears what came of it. So it writes into memory of its own, where a byte costs a few instructions; an array asks
/// with each whether it is shared.
public struct RecordWriter: ~Copyable, SnapshotCoder {
    /// Writing never fails.
    public typealias Failure = Never

    @usableFromInline var room: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity = 512
    @usableFromInline var filled = 0
    /// The number of the last field of the object that is being written.
    @usableFromInline var last: UInt8 = 0

    /// How a value lies in a record.
    public enum Wire: UInt8 {
        case number = 0
        case content = 1
        case object = 2
        case list = 3
    }

    /// Nothing is written yet.
    public init() { room = .allocate(capacity: capacity) }

    deinit { room.deallocate() }

    /// Whether it brings values.
    @inlinable public static var reads: Bool { false }

    /// The latest moment, in microseconds, at which something can have happened.
    public var latest: Int64 {
        get { .max }
        set {}
    }

    /// How many bytes have been written.
    public var count: Int { filled }

    /// What has been written.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: room, count: filled)) }

    /// Gives `body` what has been written, where it lies.
    public borrowing func withBytes<Failed: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failed) -> Void
    ) throws(Failed) {
        try body(UnsafeRawBufferPointer(start: room, count: filled))
    }

    /// Begins a record with the number of its format, which stands before all fields.
    public mutating func begin(format: UInt64) {
        (filled, last) = (0, 0)
        put(format)
    }

    /// Ends a record.
    public mutating func end() { put(byte: 0) }

    // MARK: bytes

    /// The most bytes of a header and a number.
    @usableFromInline static var longestNumber: Int { 11 }

    @inlinable @inline(__always)
    mutating func makeRoom(for more: Int) {
        if capacity - filled < more { grow(by: more) }
    }

    @usableFromInline
    mutating func grow(by more: Int) {
        capacity = max(capacity * 2, filled + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.initialize(from: room, count: filled)
        room.deallocate()
        room = larger
    }

    @inlinable @inline(__always)
    mutating func put(byte: UInt8) {
        makeRoom(for: 1)
        room[filled] = byte
        filled &+= 1
    }

    /// Writes a number in groups of seven bits, the lowest first.
    @inlinable @inline(__always)
    mutating func put(_ number: UInt64) {
        makeRoom(for: Self.longestNumber)
        guard number >= 0x80 else {
            // Nearly all are small.
            room[filled] = UInt8(truncatingIfNeeded: number)
            filled &+= 1
            return
        }
        putLong(number)
    }

    @usableFromInline @inline(never)
    mutating func putLong(_ number: UInt64) {
        var rest = number
        var next = room + filled
        while rest >= 0x80 {
            next.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            next += 1
            rest >>= 7
        }
        next.pointee = UInt8(truncatingIfNeeded: rest)
        filled = next + 1 - room
    }

    /// Writes a field that is a number.
    @inlinable @inline(__always)
    mutating func put(_ tag: UInt8, number: UInt64) {
        makeRoom(for: Self.longestNumber)
        note(tag)
        room[filled] = tag &<< 2 | Wire.number.rawValue
        filled &+= 1
        guard number < 0x80 else { return putLong(number) }
        room[filled] = UInt8(truncatingIfNeeded: number)
        filled &+= 1
    }

    @usableFromInline
    mutating func put(_ content: UnsafeBufferPointer<UInt8>) {
        put(UInt64(content.count))
        guard let start = content.baseAddress else { return }
        makeRoom(for: content.count)
        (room + filled).initialize(from: start, count: content.count)
        filled += content.count
    }

    @inlinable @inline(__always)
    mutating func note(_ tag: UInt8) {
        assert(tag > last && tag < 32, "the numbers of an object's fields ascend, from 1 to 31")
        last = tag
    }

    @inlinable @inline(__always)
    mutating func put(header tag: UInt8, _ wire: Wire) {
        note(tag)
        put(byte: tag &<< 2 | wire.rawValue)
    }

    // MARK: fields

    /// A number from 0 on.
    @inlinable @inline(__always)
    public mutating func number(_ name: StaticString, _ tag: UInt8, _ value: UInt64?) -> UInt64? {
        guard let value else { return nil }
        put(tag, number: value)
        return value
    }

    /// A number that may be negative.
    @inlinable @inline(__always)
    public mutating func signed(_ name: StaticString, _ tag: UInt8, _ value: Int64?) -> Int64? {
        guard let value else { return nil }
        put(tag, number: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
        return value
    }

    /// A yes or no.
    @inlinable @inline(__always)
    public mutating func bool(_ name: StaticString, _ tag: UInt8, _ value: Bool?) -> Bool? {
        guard let value else { return nil }
        put(tag, number: value ? 1 : 0)
        return value
    }

    /// A text.
    @inlinable
    public mutating func text(_ name: StaticString, _ tag: UInt8, _ value: String?) -> String? {
        guard var text = value else { return nil }
        put(header: tag, .content)
        text.withUTF8 { put($0) }
        return value
    }

    /// Bytes.
    @inlinable
    public mutating func content(_ name: StaticString, _ tag: UInt8, _ value: [UInt8]?) -> [UInt8]? {
        guard let value else { return nil }
        put(header: tag, .content)
        value.withUnsafeBufferPointer { put($0) }
        return value
    }

    /// A JSON object, as its text.
    @inlinable
    public mutating func json(_ name: StaticString, _ tag: UInt8, _ value: [UInt8]?) -> [UInt8]? {
        content(name, tag, value)
    }

    /// A case of a few.
    @inlinable @inline(__always)
    public mutating func kind<Kind: SnapshotKind>(_ name: StaticString, _ tag: UInt8, _ value: Kind?) -> Kind?
    {
        guard let value else { return nil }
        put(tag, number: UInt64(value.snapshotNumber))
        return value
    }

    /// A set of cases: for each the bit with its number.
    @inlinable @inline(__always)
    public mutating func kinds<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: UInt32?, of kind: Kind.Type
    ) -> UInt32? {
        guard let value else { return nil }
        put(tag, number: UInt64(value))
        return value
    }

    /// A value of several fields.
    @inlinable
    public mutating func object<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) -> Value? {
        guard let value else { return nil }
        put(header: tag, .object)
        putFields(of: value)
        return value
    }

    /// Begins an object; what is written until ``endObject(_:)`` is its fields.
    @inlinable
    public mutating func beginObject(_ tag: UInt8) -> UInt8 {
        put(header: tag, .object)
        defer { last = 0 }
        return last
    }

    /// Ends the object that was begun, with what ``beginObject(_:)`` has returned.
    @inlinable
    public mutating func endObject(_ outer: UInt8) {
        last = outer
        put(byte: 0)
    }

    @inlinable
    mutating func putFields<Value: SnapshotObject>(of value: Value) {
        let outer = last
        last = 0
        _ = Value(&self, value)
        last = outer
        put(byte: 0)
    }

    // MARK: lists

    @inlinable
    mutating func put(listOf count: Int, _ wire: Wire, _ tag: UInt8) {
        put(header: tag, .list)
        put(UInt64(count) &<< 2 | UInt64(wire.rawValue))
    }

    /// A list of them.
    @inlinable
    public mutating func objects<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ values: [Value]?
    ) -> [Value]? {
        guard let values else { return nil }
        put(listOf: values.count, .object, tag)
        for value in values { putFields(of: value) }
        return values
    }

    /// A list of numbers.
    public mutating func numbers(_ name: StaticString, _ tag: UInt8, _ values: [UInt32]?) -> [UInt32]? {
        guard let values else { return nil }
        put(listOf: values.count, .number, tag)
        for value in values { put(UInt64(value)) }
        return values
    }

    /// A list of texts.
    public mutating func texts(_ name: StaticString, _ tag: UInt8, _ values: [String]?) -> [String]? {
        guard let values else { return nil }
        put(listOf: values.count, .content, tag)
        for var value in values { value.withUTF8 { put($0) } }
        return values
    }

    /// A list of bytes.
    public mutating func contents(_ name: StaticString, _ tag: UInt8, _ values: [[UInt8]]?) -> [[UInt8]]? {
        guard let values else { return nil }
        put(listOf: values.count, .content, tag)
        for value in values { value.withUnsafeBufferPointer { put($0) } }
        return values
    }

    /// Refuses the value of a field.
    @inlinable
    public func refuse(_ name: StaticString) {}

    /// Refuses an object without this field.
    @inlinable
    public func missing(_ name: StaticString) -> Never {
        preconditionFailure("a field that is always there is written without its value")
    }

    /// Refuses the value of a field of which nothing can be made.
    @inlinable
    public func stop(_ name: StaticString) -> Never {
        preconditionFailure("a value of the program is refused")
    }
}
