/// One pass over the fields of a value: a writer takes the value of each field, a reader brings it.
///
/// A type describes its fields once, in `SnapshotObject.init(_:_:)`, and that description serves every writer and every
/// reader. A field has a name and a number. The name tags it where a person or another program reads what is written, the
/// number where bytes count; both are for good. The numbers of an object are from 1 to 31 and ascend, so a new field goes to
/// the end. A field of an optional, or of the default that its description names, is left out. A reader passes over fields
/// that the description does not name.
public protocol SnapshotCoder: ~Copyable {
    /// What a reader throws; `Never` of a writer.
    associatedtype Failure: Error

    /// Whether it brings values; otherwise it takes them, and what it returns is what it was given.
    static var reads: Bool { get }

    /// The latest moment at which something in the value can have happened, in microseconds; nothing to a writer.
    var latest: Int64 { get set }

    // A writer leaves out a field whose value is nil, and returns the value. A reader ignores the value, and returns nil for
    // a field that is not there.

    mutating func number(_ name: StaticString, _ tag: UInt8, _ value: UInt64?) throws(Failure) -> UInt64?
    mutating func signed(_ name: StaticString, _ tag: UInt8, _ value: Int64?) throws(Failure) -> Int64?
    mutating func bool(_ name: StaticString, _ tag: UInt8, _ value: Bool?) throws(Failure) -> Bool?
    mutating func text(_ name: StaticString, _ tag: UInt8, _ value: String?) throws(Failure) -> String?
    mutating func content(_ name: StaticString, _ tag: UInt8, _ value: [UInt8]?) throws(Failure) -> [UInt8]?
    /// A JSON object, as its text.
    mutating func json(_ name: StaticString, _ tag: UInt8, _ value: [UInt8]?) throws(Failure) -> [UInt8]?
    mutating func kind<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: Kind?
    ) throws(Failure) -> Kind?
    /// A set of cases: for each the bit with its number.
    mutating func kinds<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: UInt32?, of kind: Kind.Type
    ) throws(Failure) -> UInt32?
    mutating func object<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(Failure) -> Value?
    mutating func objects<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ values: [Value]?
    ) throws(Failure) -> [Value]?
    mutating func numbers(_ name: StaticString, _ tag: UInt8, _ values: [UInt32]?) throws(Failure)
        -> [UInt32]?
    mutating func texts(_ name: StaticString, _ tag: UInt8, _ values: [String]?) throws(Failure) -> [String]?
    mutating func contents(
        _ name: StaticString, _ tag: UInt8, _ values: [[UInt8]]?
    ) throws(Failure) -> [[UInt8]]?

    /// Refuses the value of a field that no writer writes; nothing to a writer, which has its values from the program.
    func refuse(_ name: StaticString) throws(Failure)
    /// Refuses an object without a field that it must have; a writer is never without its value.
    func missing(_ name: StaticString) throws(Failure) -> Never
    /// Refuses the value of a field of which nothing can be made; a writer's values can.
    func stop(_ name: StaticString) throws(Failure) -> Never
}

extension SnapshotCoder where Self: ~Copyable {
    /// A field that may be missing: nil then.
    @inlinable @inline(__always)
    public mutating func optional<Value: SnapshotValue>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(Failure) -> Value? {
        try Value.code(&self, name, tag, value)
    }

    /// A field that is always there.
    @inlinable @inline(__always)
    public mutating func required<Value: SnapshotValue>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(Failure) -> Value {
        guard let value = try Value.code(&self, name, tag, value) else { try missing(name) }
        return value
    }

    /// A field that is missing where it has the value `fallback`.
    @inlinable @inline(__always)
    public mutating func value<Value: SnapshotValue & Equatable>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?, or fallback: Value
    ) throws(Failure) -> Value {
        try Value.code(&self, name, tag, value == fallback ? nil : value) ?? fallback
    }

    /// A field that is missing where it is false.
    @inlinable @inline(__always)
    public mutating func flag(_ name: StaticString, _ tag: UInt8, _ value: Bool?) throws(Failure) -> Bool {
        try bool(name, tag, value == true ? true : nil) ?? false
    }

    /// A list that is missing where it is empty.
    @inlinable
    public mutating func list<Element: SnapshotElement>(
        _ name: StaticString, _ tag: UInt8, _ values: [Element]?
    ) throws(Failure) -> [Element] {
        try Element.codeList(&self, name, tag, values?.isEmpty ?? true ? nil : values) ?? []
    }

    /// A field with the name of a case; nil where it is missing, and where this version has no case of that name.
    @inlinable
    public mutating func named<Value: RawRepresentable<String>>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(Failure) -> Value? {
        try text(name, tag, value?.rawValue).flatMap { Value(rawValue: $0) }
    }

    /// A field with the name of a case that is always there; one of a name that this version does not have is refused.
    @inlinable
    public mutating func requiredName<Value: RawRepresentable<String>>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(Failure) -> Value {
        guard let text = try text(name, tag, value?.rawValue) else { try missing(name) }
        guard let value = Value(rawValue: text) else { try stop(name) }
        return value
    }

    /// A number from 0 on; a negative one is refused.
    @inlinable @inline(__always)
    public mutating func natural(_ name: StaticString, _ tag: UInt8, _ value: Int64?) throws(Failure)
        -> Int64?
    {
        let number = try signed(name, tag, value)
        if let number, number < 0 { try refuse(name) }
        return number
    }

    /// Refuses a moment after ``latest``, in microseconds: nothing in the value has happened since.
    @inlinable
    public func checkPast(_ name: StaticString, _ moment: Int64?) throws(Failure) {
        if let moment, moment > latest { try refuse(name) }
    }

    // MARK: fields of a variable

    /// A field that is always there.
    @inlinable @inline(__always)
    public mutating func code<Value: SnapshotValue>(
        _ name: StaticString, _ tag: UInt8, _ field: inout Value
    ) throws(Failure) {
        let value = try Value.code(&self, name, tag, Self.reads ? nil : field)
        guard Self.reads else { return }
        guard let value else { try missing(name) }
        field = value
    }

    /// A field that may be missing: nil then.
    @inlinable @inline(__always)
    public mutating func code<Value: SnapshotValue>(
        _ name: StaticString, _ tag: UInt8, _ field: inout Value?
    ) throws(Failure) {
        // Nothing is written of nothing, and none is called for it: most fields of most workers are missing.
        if !Self.reads, case .none = field { return }
        let value = try Value.code(&self, name, tag, field)
        if Self.reads { field = value }
    }

    /// A field that is missing where it has the value `fallback`.
    @inlinable @inline(__always)
    public mutating func code<Value: SnapshotValue & Equatable>(
        _ name: StaticString, _ tag: UInt8, _ field: inout Value, or fallback: Value
    ) throws(Failure) {
        let value = try Value.code(&self, name, tag, Self.reads || field == fallback ? nil : field)
        if Self.reads { field = value ?? fallback }
    }

    /// A field that is missing where it is false.
    @inlinable @inline(__always)
    public mutating func code(_ name: StaticString, _ tag: UInt8, _ field: inout Bool) throws(Failure) {
        let value = try bool(name, tag, !Self.reads && field ? true : nil)
        if Self.reads { field = value ?? false }
    }

    /// A list that is missing where it is empty.
    @inlinable @inline(__always)
    public mutating func code<Element: SnapshotElement>(
        _ name: StaticString, _ tag: UInt8, _ field: inout [Element]
    ) throws(Failure) {
        if !Self.reads, field.isEmpty { return }
        let values = try Element.codeList(&self, name, tag, field)
        if Self.reads { field = values ?? [] }
    }
}
