/// Why a snapshot cannot be taken over.
public enum SnapshotError: Error, Hashable, Sendable {
    /// It ends too early, or says what nobody writes.
    case broken
    /// It is of another format than ours.
    case format(UInt64)
}

/// Reads what a ``SnapshotWriter`` has written; nothing in it is believed.
public struct SnapshotReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var index: Int
    /// More elements than this is no list of ours.
    private static let longest: UInt64 = 1 << 16

    /// The format of the model that is being read.
    var format = WorkerLifecycle.snapshotFormat

    /// The latest moment at which something in it can have happened: when it was written, or now.
    public var latest: Instant

    /// Reads `bytes` from their beginning; nothing in them has happened after `latest`.
    public init(_ bytes: ArraySlice<UInt8>, latest: Instant = Instant(microseconds: .max)) {
        self.bytes = bytes
        self.latest = latest
        index = bytes.startIndex
    }

    /// Whether everything has been read.
    public var isAtEnd: Bool { index == bytes.endIndex }

    mutating func byte() throws(SnapshotError) -> UInt8 {
        guard index < bytes.endIndex else { throw .broken }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads a number from 0 on.
    public mutating func number() throws(SnapshotError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            let part = UInt64(byte & 0x7f)
            guard shift < 63 || part <= 1 else { throw .broken }
            number |= part << shift
            if byte & 0x80 == 0 { return number }
        }
        throw .broken
    }

    /// Reads a number that may be negative.
    public mutating func signed() throws(SnapshotError) -> Int64 {
        let folded = try number()
        return Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
    }

    /// Reads a yes or no.
    public mutating func flag() throws(SnapshotError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .broken
        }
    }

    /// Reads a text.
    public mutating func text() throws(SnapshotError) -> String {
        String(decoding: try content(), as: UTF8.self)
    }

    /// Reads bytes.
    public mutating func content() throws(SnapshotError) -> [UInt8] {
        let count = try number()
        guard count <= UInt64(bytes.endIndex - index) else { throw .broken }
        defer { index += Int(count) }
        return Array(bytes[index..<index + Int(count)])
    }

    /// Reads a moment that may be to come; no clock shows one before the start of the machine.
    public mutating func moment() throws(SnapshotError) -> Instant {
        let moment = Instant(microseconds: try signed())
        guard moment >= .zero else { throw .broken }
        return moment
    }

    /// Reads a moment at which something has happened: none is after ``latest``.
    public mutating func past() throws(SnapshotError) -> Instant {
        let moment = try moment()
        guard moment <= latest else { throw .broken }
        return moment
    }

    /// Reads a length of time, which is never negative.
    public mutating func span() throws(SnapshotError) -> TimeSpan {
        let span = TimeSpan(microseconds: try signed())
        guard span >= .zero else { throw .broken }
        return span
    }

    mutating func unsigned32() throws(SnapshotError) -> UInt32 {
        guard let number = UInt32(exactly: try number()) else { throw .broken }
        return number
    }

    mutating func signed32() throws(SnapshotError) -> Int32 {
        guard let number = Int32(exactly: try signed()) else { throw .broken }
        return number
    }

    mutating func count() throws(SnapshotError) -> Int {
        guard let number = Int(exactly: try signed()), number >= 0, number <= Self.mostCounted else {
            throw .broken
        }
        return number
    }

    /// No count of ours comes to more than this.
    private static let mostCounted = 1 << 40

    /// Reads a value by its place in the list of its kind.
    mutating func coded<Value: SnapshotCoded>() throws(SnapshotError) -> Value {
        let code = Int(try byte())
        guard code < Value.codes.count else { throw .broken }
        return Value.codes[code]
    }

    /// Reads what may be missing.
    public mutating func optional<Value>(
        _ body: (inout SnapshotReader) throws(SnapshotError) -> Value
    ) throws(SnapshotError) -> Value? {
        try flag() ? try body(&self) : nil
    }

    /// Reads a list.
    public mutating func list<Value>(
        _ body: (inout SnapshotReader) throws(SnapshotError) -> Value
    ) throws(SnapshotError) -> [Value] {
        let count = try number()
        // Each element has a byte at least: a length that lies is found out before room is made for it.
        guard count <= Self.longest, count <= UInt64(bytes.endIndex - index) else { throw .broken }
        var values: [Value] = []
        for _ in 0..<count { values.append(try body(&self)) }
        return values
    }
}
