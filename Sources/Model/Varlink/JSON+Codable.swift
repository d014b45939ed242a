extension JSON {
    /// A mismatch between a JSON value and a Swift type.
    public struct Mismatch: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path, such as `workers[3].pid`; empty for the value itself.
        public let path: String
        /// The expected value.
        public let expected: String

        /// Creates a mismatch at `path`, where `expected` was expected.
        public init(path: String, expected: String) {
            self.path = path
            self.expected = expected
        }

        /// One sentence for a log line.
        public var description: String { "\(path.isEmpty ? "the value" : path) is not \(expected)" }

        init(path codingPath: [any CodingKey], expected: String) {
            var path = ""
            for key in codingPath {
                if let index = key.intValue {
                    path += "[\(index)]"
                } else {
                    path += path.isEmpty ? key.stringValue : "." + key.stringValue
                }
            }
            self.init(path: path, expected: expected)
        }

        /// What the standard library's own coding (of raw values, dates, dictionaries) reports.
        init(_ error: any Error) {
            switch error {
            case let error as Mismatch: self = error
            case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
                DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
                self.init(path: context.codingPath, expected: context.debugDescription)
            case EncodingError.invalidValue(_, let context):
                self.init(path: context.codingPath, expected: context.debugDescription)
            default: self.init(path: [], expected: "\(error)")
            }
        }
    }

    /// Encodes `value` as JSON; optionals that are `nil` are omitted.
    ///
    /// - Throws: ``Mismatch`` for integers beyond Int64.
    public init(encoding value: some Encodable) throws(Mismatch) {
        do {
            self = try JSONEncoding.json(of: value, at: [])
        } catch {
            throw Mismatch(error)
        }
    }

    /// Decodes the value as `type`, without conversions between numbers, strings and booleans; keys unknown to `type`
    /// are ignored.
    ///
    /// - Throws: a ``Mismatch`` that names the field.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws(Mismatch) -> T {
        do {
            return try JSONDecoding(self, at: []).unwrap(type)
        } catch {
            throw Mismatch(error)
        }
    }
}

extension JSON: Codable {
    /// Any value at all.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONDecoding else {
            throw Mismatch(path: decoder.codingPath, expected: "in JSON")
        }
        self = decoder.json
    }

    /// The value itself.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? JSONEncoding else {
            throw Mismatch(path: encoder.codingPath, expected: "in JSON")
        }
        encoder.json = self
    }
}

extension JSON.Object: Codable {
    /// Any object.
    public init(from decoder: any Decoder) throws {
        guard let object = try JSON(from: decoder).object else {
            throw JSON.Mismatch(path: decoder.codingPath, expected: "an object")
        }
        self = object
    }

    /// The object itself.
    public func encode(to encoder: any Encoder) throws {
        try JSON.object(self).encode(to: encoder)
    }
}

/// A key of an array's element, for paths.
struct IndexKey: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }

    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { self.init(intValue) }
}
