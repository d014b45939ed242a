/// A decoder over a JSON value that was read already.
///
/// The path is put together when it is needed: that is for an error, or for a container inside.
struct JSONDecoding: Decoder {
    let json: JSON
    private let parent: [any CodingKey]
    private let key: (any CodingKey)?
    var codingPath: [any CodingKey] { if let key { parent + [key] } else { parent } }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ json: JSON, at parent: [any CodingKey], _ key: (any CodingKey)? = nil) {
        self.json = json
        self.parent = parent
        self.key = key
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = json else { throw mismatch("an object") }
        return KeyedDecodingContainer(KeyedDecoding(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw mismatch("an array") }
        return UnkeyedDecoding(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// The value as `type`; arrays of the commonest kind without a container.
    func unwrap<T: Decodable>(_ type: T.Type) throws -> T {
        if type == [String].self, case .array(let elements) = json {
            let strings = elements.compactMap(\.string)
            if strings.count == elements.count, let strings = strings as? T { return strings }
        }
        return try T(from: self)
    }

    func mismatch(_ expected: String) -> JSON.Mismatch {
        JSON.Mismatch(path: codingPath, expected: expected)
    }
}

extension JSONDecoding: SingleValueDecodingContainer {
    func decodeNil() -> Bool { json == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try json.plainBool(path) }
    func decode(_ type: String.Type) throws -> String { try json.plainString(path) }
    func decode(_ type: Double.Type) throws -> Double { try json.plainDouble(path) }
    func decode(_ type: Float.Type) throws -> Float { Float(try json.plainDouble(path)) }
    func decode(_ type: Int.Type) throws -> Int { try json.plainInteger(path) }
    func decode(_ type: Int8.Type) throws -> Int8 { try json.plainInteger(path) }
    func decode(_ type: Int16.Type) throws -> Int16 { try json.plainInteger(path) }
    func decode(_ type: Int32.Type) throws -> Int32 { try json.plainInteger(path) }
    func decode(_ type: Int64.Type) throws -> Int64 { try json.plainInteger(path) }
    func decode(_ type: UInt.Type) throws -> UInt { try json.plainInteger(path) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try json.plainInteger(path) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try json.plainInteger(path) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try json.plainInteger(path) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try json.plainInteger(path) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try unwrap(type) }

    private func path() -> [any CodingKey] { codingPath }
}

extension JSON {
    /// Where a value stands; asked for only when it does not fit.
    fileprivate typealias Path = () -> [any CodingKey]

    @inline(__always)
    fileprivate func plainBool(_ path: Path) throws(Mismatch) -> Bool {
        guard case .bool(let value) = self else { throw Mismatch(path: path(), expected: "true or false") }
        return value
    }

    @inline(__always)
    fileprivate func plainString(_ path: Path) throws(Mismatch) -> String {
        guard case .string(let value) = self else { throw Mismatch(path: path(), expected: "a string") }
        return value
    }

    @inline(__always)
    fileprivate func plainDouble(_ path: Path) throws(Mismatch) -> Double {
        switch self {
        case .double(let value): return value
        case .int(let value): return Double(value)
        case .null, .bool, .string, .array, .object, .written:
            throw Mismatch(path: path(), expected: "a number")
        }
    }

    @inline(__always)
    fileprivate func plainInteger<T: FixedWidthInteger>(_ path: Path) throws(Mismatch) -> T {
        guard case .int(let value) = self else { throw Mismatch(path: path(), expected: "a whole number") }
        guard let value = T(exactly: value) else {
            throw Mismatch(path: path(), expected: "a number of \(T.bitWidth) bits")
        }
        return value
    }
}

/// The members of an object by the keys of a type.
///
/// Plain values are read without a decoder of their own, and optional ones with a single look: a list of a thousand workers is mostly
/// these.
private struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSON.Object
    let codingPath: [any CodingKey]
    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try found(key) == .null }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try found(key).plainBool { codingPath + [key] }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try found(key).plainString { codingPath + [key] }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try found(key).plainDouble { codingPath + [key] }
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        Float(try decode(Double.self, forKey: key))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try JSONDecoding(try found(key), at: codingPath, key).unwrap(type)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key)?.plainBool { codingPath + [key] }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key)?.plainString { codingPath + [key] }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key)?.plainDouble { codingPath + [key] }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key)?.plainInteger { codingPath + [key] }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key)?.plainInteger { codingPath + [key] }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key).map { try JSONDecoding($0, at: codingPath, key).unwrap(type) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { JSONDecoding(.object(object), at: codingPath) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> JSONDecoding {
        JSONDecoding(try found(key), at: codingPath, key)
    }

    private func integer<T: FixedWidthInteger>(_ key: Key) throws -> T {
        try found(key).plainInteger { codingPath + [key] }
    }

    private func found(_ key: Key) throws(JSON.Mismatch) -> JSON {
        guard let value = object[key.stringValue] else {
            throw JSON.Mismatch(path: codingPath + [key], expected: "there")
        }
        return value
    }

    /// The value called `key`, unless it is missing or `null`.
    private func present(_ key: Key) -> JSON? {
        let value = object[key.stringValue]
        return value == .null ? nil : value
    }
}

private struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let elements: [JSON]
    let codingPath: [any CodingKey]
    var currentIndex = 0
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try current().unwrap(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try current().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try current()
        currentIndex += 1
        return decoder
    }

    private func current() throws -> JSONDecoding {
        let key = IndexKey(currentIndex)
        guard !isAtEnd else { throw JSON.Mismatch(path: codingPath + [key], expected: "there") }
        return JSONDecoding(elements[currentIndex], at: codingPath, key)
    }
}
