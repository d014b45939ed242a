/// What a field can hold.
public protocol SnapshotValue {
    /// Writes `value` as a field unless it is nil, or reads the field; nil where it is missing.
    static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Self?
    ) throws(Coder.Failure) -> Self?
}

/// What the elements of a list can be.
public protocol SnapshotElement {
    /// Writes `values` as a field unless they are nil, or reads the field; nil where it is missing.
    static func codeList<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ values: [Self]?
    ) throws(Coder.Failure) -> [Self]?
}

/// A value of several fields.
public protocol SnapshotObject: SnapshotValue, SnapshotElement {
    /// Writes the fields of `value`, which it equals then, or reads them: `value` is nil then.
    init<Coder: SnapshotCoder & ~Copyable>(_ coder: inout Coder, _ value: Self?) throws(Coder.Failure)
}

extension SnapshotObject {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Self?
    ) throws(Coder.Failure) -> Self? {
        try coder.object(name, tag, value)
    }

    /// Writes or reads a list of them.
    @inlinable
    public static func codeList<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ values: [Self]?
    ) throws(Coder.Failure) -> [Self]? {
        try coder.objects(name, tag, values)
    }
}

/// A value that is one of a few cases: written by the name of its case, or by a number where bytes count.
///
/// Neither is ever given to another case. An enumeration with `Int` raw values that is a `CodingKey` has both from its
/// declaration; one with `String` raw values has the name from there, and names its numbers.
public protocol SnapshotKind: SnapshotValue, CaseIterable, Sendable {
    var snapshotName: String { get }
    var snapshotNumber: UInt8 { get }
}

extension SnapshotKind {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Self?
    ) throws(Coder.Failure) -> Self? {
        try coder.kind(name, tag, value)
    }
}

extension SnapshotKind where Self: RawRepresentable<String> {
    /// The name of the case.
    public var snapshotName: String { rawValue }
}

extension SnapshotKind where Self: RawRepresentable<Int> & CodingKey {
    /// The name of the case.
    public var snapshotName: String { stringValue }
    /// The number of the case.
    @inlinable public var snapshotNumber: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}

extension UInt64: SnapshotValue {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: UInt64?
    ) throws(Coder.Failure) -> UInt64? {
        try coder.number(name, tag, value)
    }
}

extension Int64: SnapshotValue {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Int64?
    ) throws(Coder.Failure) -> Int64? {
        try coder.signed(name, tag, value)
    }
}

/// Refuses what does not fit.
extension SnapshotValue where Self: FixedWidthInteger & UnsignedInteger {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Self?
    ) throws(Coder.Failure) -> Self? {
        guard let number = try coder.number(name, tag, value.map { UInt64($0) }) else { return nil }
        guard let fitting = Self(exactly: number) else {
            try coder.refuse(name)
            return value
        }
        return fitting
    }
}

/// Refuses what does not fit.
extension SnapshotValue where Self: FixedWidthInteger & SignedInteger {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Self?
    ) throws(Coder.Failure) -> Self? {
        guard let number = try coder.signed(name, tag, value.map { Int64($0) }) else { return nil }
        guard let fitting = Self(exactly: number) else {
            try coder.refuse(name)
            return value
        }
        return fitting
    }
}

extension UInt8: SnapshotValue {}
extension UInt32: SnapshotValue {}
extension Int32: SnapshotValue {}
extension Int: SnapshotValue {}

extension Bool: SnapshotValue {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: Bool?
    ) throws(Coder.Failure) -> Bool? {
        try coder.bool(name, tag, value)
    }
}

extension String: SnapshotValue, SnapshotElement {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: String?
    ) throws(Coder.Failure) -> String? {
        try coder.text(name, tag, value)
    }

    /// Writes or reads a list of them.
    @inlinable
    public static func codeList<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ values: [String]?
    ) throws(Coder.Failure) -> [String]? {
        try coder.texts(name, tag, values)
    }
}

extension UInt32: SnapshotElement {
    /// Writes or reads a list of them.
    @inlinable
    public static func codeList<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ values: [UInt32]?
    ) throws(Coder.Failure) -> [UInt32]? {
        try coder.numbers(name, tag, values)
    }
}

/// Bytes.
extension Array: SnapshotValue, SnapshotElement where Element == UInt8 {
    /// Writes or reads one.
    @inlinable @inline(__always)
    public static func code<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ value: [UInt8]?
    ) throws(Coder.Failure) -> [UInt8]? {
        try coder.content(name, tag, value)
    }

    /// Writes or reads a list of them.
    @inlinable
    public static func codeList<Coder: SnapshotCoder & ~Copyable>(
        _ coder: inout Coder, _ name: StaticString, _ tag: UInt8, _ values: [[UInt8]]?
    ) throws(Coder.Failure) -> [[UInt8]]? {
        try coder.contents(name, tag, values)
    }
}
