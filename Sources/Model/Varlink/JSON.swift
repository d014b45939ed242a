/// A JSON value (RFC 8259) of a Varlink message.
///
/// Numbers without fraction and exponent that fit into 64 bits are `int`, all others `double`, like Varlink's `int` and `float`.
public enum JSON: Hashable, Sendable {
    /// `null`, which Varlink treats like a missing field.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A 64-bit integer.
    case int(Int64)
    /// Any other number; always finite if parsed.
    case double(Double)
    /// Text, always valid Unicode.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Values by name, in their original order.
    case object(Object)
    /// An object as valid JSON text without spaces between tokens. It is for data that is passed on without inspection; it is
    /// equal only to the same text, and has no members.
    case written([UInt8])

    /// The members of a JSON object, in order; a key occurs once.
    ///
    /// Objects of messages are small, so a lookup is a linear search.
    public struct Object: Hashable, Sendable {
        /// One name and its value.
        public struct Member: Hashable, Sendable {
            /// The name.
            public let key: String
            /// The value.
            public var value: JSON

            /// Creates a member named `key`.
            public init(key: String, value: JSON) {
                self.key = key
                self.value = value
            }
        }

        /// All members, in the order in which they were parsed or set.
        public private(set) var members: [Member]

        /// Creates an object without members.
        public init() {
            members = []
        }

        /// Creates an object from `members`, whose keys must be unique.
        package init(unique members: [Member]) {
            self.members = members
        }

        /// The value of `key`; setting `nil` removes it, setting a new key appends it.
        public subscript(key: String) -> JSON? {
            get {
                for member in members where member.key == key { return member.value }
                return nil
            }
            set {
                let index = members.firstIndex { $0.key == key }
                switch (index, newValue) {
                case (let index?, let value?): members[index].value = value
                case (let index?, nil): members.remove(at: index)
                case (nil, let value?): members.append(Member(key: key, value: value))
                case (nil, nil): break
                }
            }
        }
    }
}

extension JSON {
    /// The value of `key` in an object; `nil` for a missing key and for values other than objects.
    public subscript(key: String) -> JSON? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The text of a string; `nil` for anything else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number of an `int`; `nil` for anything else, doubles included.
    public var int: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The value of a `bool`; `nil` for anything else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The values of an array; `nil` for anything else.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object; `nil` for anything else.
    public var object: Object? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }

    /// An object; of a key that is written twice the last value stays.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        var object = Object()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// An object; of a key that is written twice the last value stays.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}
