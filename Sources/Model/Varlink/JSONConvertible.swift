/// A value that messages have, which is made from JSON and made into it without `Codable`.
///
/// A program that starts for one call notices the difference: for `Codable` the runtime looks up the conformances of every type on the way.
/// The types of an interface get theirs from `make generate`; tests hold both ways against each other.
public protocol JSONConvertible {
    /// The value that `json` is, without conversions between numbers, strings and booleans; members that the type does not have are ignored.
    ///
    /// - Throws: ``JSON/Mismatch`` with the place where it is something else.
    init(json: JSON) throws(JSON.Mismatch)

    /// The value as JSON; what is `nil` is left out of objects.
    var asJSON: JSON { get }
}

/// The members of an object, taken one by one, in whatever order they are there.
public struct JSONMembers {
    private let members: [JSON.Object.Member]
    /// Where the next one is expected: a peer that is described alike has them in the order of the description.
    private var next = 0

    /// The members of `json`.
    ///
    /// - Throws: ``JSON/Mismatch`` where it is no object.
    public init(_ json: JSON) throws(JSON.Mismatch) {
        guard case .object(let object) = json else { throw JSON.Mismatch(path: "", expected: "an object") }
        members = object.members
    }

    private mutating func member(_ key: String) -> JSON? {
        for index in members.indices.suffix(from: next) where members[index].key == key {
            next = index + 1
            return members[index].value
        }
        for index in 0..<next where members[index].key == key { return members[index].value }
        return nil
    }

    /// The value of `key`.
    ///
    /// - Throws: ``JSON/Mismatch`` where it is missing, or of another type.
    public mutating func required<Value: JSONConvertible>(
        _ key: String
    ) throws(JSON.Mismatch) -> Value {
        guard let json = member(key) else { throw JSON.Mismatch(path: key, expected: "there") }
        do throws(JSON.Mismatch) {
            return try Value(json: json)
        } catch {
            throw error.inside(key)
        }
    }

    /// The value of `key`; nil where it is missing or `null`.
    ///
    /// - Throws: ``JSON/Mismatch`` where it is of another type.
    public mutating func optional<Value: JSONConvertible>(
        _ key: String
    ) throws(JSON.Mismatch) -> Value? {
        guard let json = member(key), json != .null else { return nil }
        do throws(JSON.Mismatch) {
            return try Value(json: json)
        } catch {
            throw error.inside(key)
        }
    }
}

/// The members of an object that is being made, in their order.
public struct JSONMembersMade {
    private var members: [JSON.Object.Member] = []

    /// None, with room for `count`.
    public init(capacity count: Int) { members.reserveCapacity(count) }

    /// Adds a member; no other has its key.
    public mutating func add(_ key: String, _ value: some JSONConvertible) {
        members.append(JSON.Object.Member(key: key, value: value.asJSON))
    }

    /// Adds a member where there is a value.
    public mutating func add(_ key: String, ifThere value: (some JSONConvertible)?) {
        if let value { add(key, value) }
    }

    /// The object of these members.
    public var json: JSON { .object(JSON.Object(unique: members)) }
}

extension JSON.Mismatch {
    /// The same, of a value that stands under `key` or at `[index]` of another.
    fileprivate func inside(_ place: String) -> JSON.Mismatch {
        let isAttached = path.isEmpty || path.hasPrefix("[")
        return JSON.Mismatch(path: isAttached ? place + path : "\(place).\(path)", expected: expected)
    }
}

extension Bool: JSONConvertible {
    /// `true` or `false`.
    public init(json: JSON) throws(JSON.Mismatch) {
        guard case .bool(let value) = json else {
            throw JSON.Mismatch(path: "", expected: "true or false")
        }
        self = value
    }

    /// The value as JSON.
    public var asJSON: JSON { .bool(self) }
}

extension Int64: JSONConvertible {
    /// A whole number.
    public init(json: JSON) throws(JSON.Mismatch) {
        guard case .int(let value) = json else {
            throw JSON.Mismatch(path: "", expected: "a whole number")
        }
        self = value
    }

    /// The value as JSON.
    public var asJSON: JSON { .int(self) }
}

extension Double: JSONConvertible {
    /// A number.
    public init(json: JSON) throws(JSON.Mismatch) {
        switch json {
        case .double(let value): self = value
        case .int(let value): self = Double(value)
        case .null, .bool, .string, .array, .object, .written:
            throw JSON.Mismatch(path: "", expected: "a number")
        }
    }

    /// The value as JSON.
    public var asJSON: JSON { .double(self) }
}

extension String: JSONConvertible {
    /// A text.
    public init(json: JSON) throws(JSON.Mismatch) {
        guard case .string(let value) = json else { throw JSON.Mismatch(path: "", expected: "a string") }
        self = value
    }

    /// The value as JSON.
    public var asJSON: JSON { .string(self) }
}

extension JSON: JSONConvertible {
    /// Any value at all.
    public init(json: JSON) { self = json }

    /// The value itself.
    public var asJSON: JSON { self }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Values in order.
    public init(json: JSON) throws(JSON.Mismatch) {
        guard case .array(let values) = json else { throw JSON.Mismatch(path: "", expected: "an array") }
        self.init()
        reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            do throws(JSON.Mismatch) {
                append(try Element(json: value))
            } catch {
                throw error.inside("[\(index)]")
            }
        }
    }

    /// The value as JSON.
    public var asJSON: JSON { .array(map(\.asJSON)) }
}

extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
    /// Values by name.
    public init(json: JSON) throws(JSON.Mismatch) {
        guard case .object(let object) = json else { throw JSON.Mismatch(path: "", expected: "an object") }
        self.init(minimumCapacity: object.members.count)
        for member in object.members {
            do throws(JSON.Mismatch) {
                self[member.key] = try Value(json: member.value)
            } catch {
                throw error.inside(member.key)
            }
        }
    }

    /// The value as JSON, by the order of keys.
    public var asJSON: JSON {
        var made = JSONMembersMade(capacity: count)
        for (key, value) in sorted(by: { $0.key < $1.key }) { made.add(key, value) }
        return made.json
    }
}

extension JSONConvertible where Self: RawRepresentable, RawValue == String {
    /// The value of that name.
    public init(json: JSON) throws(JSON.Mismatch) {
        guard case .string(let name) = json else { throw JSON.Mismatch(path: "", expected: "a string") }
        guard let value = Self(rawValue: name) else {
            throw JSON.Mismatch(path: "", expected: "one of the words that may stand there")
        }
        self = value
    }

    /// Its name as JSON.
    public var asJSON: JSON { .string(rawValue) }
}
