/// Collects a snapshot: small numbers are one byte, bigger ones as many as they need.
///
/// The same writer serves for snapshot after snapshot and keeps its room: a snapshot is taken with every event.
public struct SnapshotWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Nothing is written yet.
    public init() {
        bytes.reserveCapacity(512)
    }

    /// Begins anew.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Writes a number from 0 on, in groups of seven bits, the lowest first.
    public mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a number that may be negative: those near zero are short.
    public mutating func write(_ number: Int64) {
        write(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    /// Writes a yes or no.
    public mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// Writes a text with its length.
    public mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes bytes with their number.
    public mutating func write(_ content: [UInt8]) {
        write(UInt64(content.count))
        bytes.append(contentsOf: content)
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
        bytes.append(UInt8(truncatingIfNeeded: Value.codes.firstIndex(of: value) ?? 0xff))
    }

    /// Writes what may be missing.
    public mutating func write<Value>(
        _ value: Value?, _ body: (inout SnapshotWriter, Value) -> Void
    ) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    /// Writes a list with its length.
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
