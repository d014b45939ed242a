/// Collects a snapshot: small numbers are one byte, bigger ones as many as they need.
///
/// The same writer serves for snapshot after snapshot and keeps its room: a snapshot is taken with every event, before the
/// kernel hears what came of that. So it writes into memory of its own, where a byte costs a few instructions; an array asks
/// with each whether somebody else has it too.
public struct SnapshotWriter: ~Copyable {
    private var room: UnsafeMutablePointer<UInt8>
    private var capacity = 512
    /// How many bytes have been written.
    public private(set) var count = 0
    /// The most bytes of a number.
    private static let longestNumber = 10

    /// Nothing is written yet.
    public init() { room = .allocate(capacity: capacity) }

    deinit { room.deallocate() }

    /// What has been written.
    public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: room, count: count)) }

    /// Gives `body` what has been written, where it lies.
    public borrowing func withBytes<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try body(UnsafeRawBufferPointer(start: room, count: count))
    }

    /// Begins anew.
    public mutating func removeAll() { count = 0 }

    @inline(__always)
    private mutating func makeRoom(for more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.initialize(from: room, count: count)
        room.deallocate()
        room = larger
    }

    private mutating func append(_ content: UnsafeBufferPointer<UInt8>) {
        guard let start = content.baseAddress else { return }
        makeRoom(for: content.count)
        (room + count).initialize(from: start, count: content.count)
        count += content.count
    }

    /// Writes a number from 0 on, in groups of seven bits, the lowest first.
    @inline(__always)
    public mutating func write(_ number: UInt64) {
        // Nearly all are small.
        guard number < 0x80, count < capacity else { return writeLong(number) }
        room[count] = UInt8(truncatingIfNeeded: number)
        count &+= 1
    }

    @inline(never)
    private mutating func writeLong(_ number: UInt64) {
        makeRoom(for: Self.longestNumber)
        var rest = number
        var next = room + count
        while rest >= 0x80 {
            next.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            next += 1
            rest >>= 7
        }
        next.pointee = UInt8(truncatingIfNeeded: rest)
        count = next + 1 - room
    }

    /// Writes a number that may be negative: those near zero are short.
    public mutating func write(_ number: Int64) {
        write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    /// Writes a yes or no.
    public mutating func write(_ flag: Bool) { write(UInt64(flag ? 1 : 0)) }

    /// Writes a text with its length.
    public mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            write(UInt64(utf8.count))
            append(utf8)
        }
    }

    /// Writes bytes with their number.
    public mutating func write(_ content: [UInt8]) {
        write(UInt64(content.count))
        content.withUnsafeBufferPointer { append($0) }
    }

    /// Writes a moment.
    public mutating func write(_ moment: Instant) { write(moment.microseconds) }

    /// Writes a length of time.
    public mutating func write(_ span: TimeSpan) { write(span.microseconds) }

    mutating func write(_ number: UInt32) { write(UInt64(number)) }

    mutating func write(_ number: Int32) { write(Int64(number)) }

    mutating func write(_ number: Int) { write(Int64(number)) }

    /// Writes a value by its place in the list of its kind.
    mutating func write<Value: SnapshotCoded>(_ value: Value) {
        // One byte: no list is as long as that.
        write(UInt64(Value.codes.firstIndex(of: value) ?? 0x7f))
    }

    /// Writes what may be missing.
    @inlinable
    public mutating func write<Value>(
        _ value: Value?, _ body: (inout SnapshotWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    /// Writes a list with its length.
    @inlinable
    public mutating func write<Values: Collection>(
        all values: Values, _ body: (inout SnapshotWriter, Values.Element) -> Void
    ) {
        write(UInt64(values.count))
        for value in values { body(&self, value) }
    }
}

/// A kind of which there are a few values: each is written as its place in this list.
///
/// The lists are the format: what is new goes to the end, and nothing is ever moved.
protocol SnapshotCoded: Equatable {
    static var codes: [Self] { get }
}
