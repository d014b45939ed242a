/// An encoder that leaves a JSON value.
///
/// Containers are references, as `Encoder` demands; a container writes its members back into the encoder when it is asked for
/// the value, so that plain members cost no reference of their own.
final class JSONEncoding: Encoder {
    private let parent: [any CodingKey]
    private let key: (any CodingKey)?
    var codingPath: [any CodingKey] { if let key { parent + [key] } else { parent } }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// What a single value was encoded as.
    var json: JSON?
    private var fields: FieldList?
    private var elements: ElementList?

    init(at parent: [any CodingKey], _ key: (any CodingKey)? = nil) {
        self.parent = parent
        self.key = key
    }

    /// What `value` encodes itself as; a value that encodes nothing is an empty object.
    static func json(
        of value: some Encodable, at parent: [any CodingKey], _ key: (any CodingKey)? = nil
    ) throws -> JSON {
        let encoder = JSONEncoding(at: parent, key)
        try value.encode(to: encoder)
        return encoder.result
    }

    /// The value as it stands.
    var result: JSON {
        if let json { return json }
        if let fields { return fields.json }
        if let elements { return elements.json }
        return .object(JSON.Object())
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let list = fields ?? FieldList()
        fields = list
        return KeyedEncodingContainer(KeyedEncoding(list: list, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let list = elements ?? ElementList()
        elements = list
        return UnkeyedEncoding(list: list, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleEncoding(encoder: self) }

    /// A whole number as JSON.
    static func json(_ value: some FixedWidthInteger, at path: [any CodingKey]) throws -> JSON {
        guard let value = Int64(exactly: value) else {
            throw JSON.Mismatch(path: path, expected: "a number within Int64")
        }
        return .int(value)
    }
}

/// A value that is known, or one that a nested encoder is still filling.
private enum Slot {
    case value(JSON)
    case pending(JSONEncoding)

    var json: JSON {
        switch self {
        case .value(let json): json
        case .pending(let encoder): encoder.result
        }
    }
}

private final class FieldList {
    var fields: [(key: String, slot: Slot)] = []
    var json: JSON {
        .object(JSON.Object(unique: fields.map { JSON.Object.Member(key: $0.key, value: $0.slot.json) }))
    }

    /// Adds a field; a type that encodes one key twice means the later value.
    func set(_ key: String, _ slot: Slot) {
        if let index = fields.firstIndex(where: { $0.key == key }) {
            fields[index].slot = slot
        } else {
            fields.append((key, slot))
        }
    }
}

private final class ElementList {
    var slots: [Slot] = []
    var json: JSON { .array(slots.map(\.json)) }
}

private struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let list: FieldList
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws { set(key, .null) }
    func encode(_ value: Bool, forKey key: Key) throws { set(key, .bool(value)) }
    func encode(_ value: String, forKey key: Key) throws { set(key, .string(value)) }
    func encode(_ value: Double, forKey key: Key) throws { set(key, .double(value)) }
    func encode(_ value: Float, forKey key: Key) throws { set(key, .double(Double(value))) }
    func encode(_ value: Int, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: Int8, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: Int16, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: Int32, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: Int64, forKey key: Key) throws { set(key, .int(value)) }
    func encode(_ value: UInt, forKey key: Key) throws { set(key, try number(value, key)) }
    func encode(_ value: UInt8, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: UInt16, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: UInt32, forKey key: Key) throws { set(key, .int(Int64(value))) }
    func encode(_ value: UInt64, forKey key: Key) throws { set(key, try number(value, key)) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        set(key, try JSONEncoding.json(of: value, at: codingPath, key))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested("super", path: codingPath) }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func set(_ key: Key, _ json: JSON) { list.set(key.stringValue, .value(json)) }

    private func number(_ value: some FixedWidthInteger, _ key: Key) throws -> JSON {
        try JSONEncoding.json(value, at: codingPath + [key])
    }

    private func nested(_ key: Key) -> JSONEncoding { nested(key.stringValue, path: codingPath + [key]) }

    private func nested(_ key: String, path: [any CodingKey]) -> JSONEncoding {
        let encoder = JSONEncoding(at: path)
        list.set(key, .pending(encoder))
        return encoder
    }
}

private struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let list: ElementList
    let codingPath: [any CodingKey]
    var count: Int { list.slots.count }

    func encodeNil() throws { list.slots.append(.value(.null)) }

    func encode<T: Encodable>(_ value: T) throws {
        list.slots.append(.value(try JSONEncoding.json(of: value, at: codingPath, IndexKey(count))))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    func superEncoder() -> any Encoder { nested() }

    private func nested() -> JSONEncoding {
        let encoder = JSONEncoding(at: codingPath + [IndexKey(count)])
        list.slots.append(.pending(encoder))
        return encoder
    }
}

private struct SingleEncoding: SingleValueEncodingContainer {
    let encoder: JSONEncoding
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { encoder.json = .null }
    func encode(_ value: Bool) throws { encoder.json = .bool(value) }
    func encode(_ value: String) throws { encoder.json = .string(value) }
    func encode(_ value: Double) throws { encoder.json = .double(value) }
    func encode(_ value: Float) throws { encoder.json = .double(Double(value)) }
    func encode(_ value: Int) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: Int8) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: Int16) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: Int32) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: Int64) throws { encoder.json = .int(value) }
    func encode(_ value: UInt) throws { encoder.json = try JSONEncoding.json(value, at: codingPath) }
    func encode(_ value: UInt8) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: UInt16) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: UInt32) throws { encoder.json = .int(Int64(value)) }
    func encode(_ value: UInt64) throws { encoder.json = try JSONEncoding.json(value, at: codingPath) }
    func encode<T: Encodable>(_ value: T) throws {
        encoder.json = try JSONEncoding.json(of: value, at: codingPath)
    }
}
