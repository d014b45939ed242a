package import SnapshotCoding
internal import Varlink

/// Writes a handover: values as JSON, tagged by the names of their fields and cases.
///
/// Bytes are base64, a set of cases is the list of their names, and a number beyond 63 bits is a text.
package struct HandoverWriter: SnapshotCoder {
    package typealias Failure = Never

    /// What has been written.
    package private(set) var bytes: [UInt8] = []
    private var isFirst = true

    private init() {}

    /// `value` as a text of one line.
    package static func text(of value: some SnapshotObject) -> [UInt8] {
        var writer = HandoverWriter()
        writer.put(object: value)
        return writer.bytes
    }

    package static var reads: Bool { false }

    package var latest: Int64 {
        get { .max }
        set {}
    }

    private mutating func put(_ name: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    }

    private mutating func put(object value: some SnapshotObject) {
        let outer = isFirst
        isFirst = true
        bytes.append(UInt8(ascii: "{"))
        _ = type(of: value).init(&self, value)
        bytes.append(UInt8(ascii: "}"))
        isFirst = outer
    }

    private mutating func put<Element>(
        _ name: StaticString, list: [Element], _ element: (inout HandoverWriter, Element) -> Void
    ) {
        put(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in list.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            element(&self, value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func put(text: String) { JSON.write(string: text, into: &bytes) }

    // MARK: fields

    package mutating func number(_ name: StaticString, _ tag: UInt8, _ value: UInt64?) -> UInt64? {
        guard let value else { return nil }
        put(name)
        if let number = Int64(exactly: value) {
            JSON.write(integer: number, into: &bytes)
        } else {
            put(text: String(value))
        }
        return value
    }

    package mutating func signed(_ name: StaticString, _ tag: UInt8, _ value: Int64?) -> Int64? {
        guard let value else { return nil }
        put(name)
        JSON.write(integer: value, into: &bytes)
        return value
    }

    package mutating func bool(_ name: StaticString, _ tag: UInt8, _ value: Bool?) -> Bool? {
        guard let value else { return nil }
        put(name)
        bytes += (value ? "true" : "false").utf8
        return value
    }

    package mutating func text(_ name: StaticString, _ tag: UInt8, _ value: String?) -> String? {
        guard let value else { return nil }
        put(name)
        put(text: value)
        return value
    }

    package mutating func content(_ name: StaticString, _ tag: UInt8, _ value: [UInt8]?) -> [UInt8]? {
        guard let value else { return nil }
        put(name)
        put(text: Base64.text(of: value))
        return value
    }

    package mutating func json(_ name: StaticString, _ tag: UInt8, _ value: [UInt8]?) -> [UInt8]? {
        guard let value else { return nil }
        put(name)
        bytes += value
        return value
    }

    package mutating func kind<Kind: SnapshotKind>(_ name: StaticString, _ tag: UInt8, _ value: Kind?)
        -> Kind?
    {
        guard let value else { return nil }
        put(name)
        put(text: value.snapshotName)
        return value
    }

    package mutating func kinds<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: UInt32?, of kind: Kind.Type
    ) -> UInt32? {
        guard let value else { return nil }
        let members = kind.allCases.filter { value & 1 << UInt32($0.snapshotNumber) != 0 }
        put(name, list: Array(members)) { $0.put(text: $1.snapshotName) }
        return value
    }

    package mutating func object<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) -> Value? {
        guard let value else { return nil }
        put(name)
        put(object: value)
        return value
    }

    // MARK: lists

    package mutating func objects<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ values: [Value]?
    ) -> [Value]? {
        if let values { put(name, list: values) { $0.put(object: $1) } }
        return values
    }

    package mutating func numbers(_ name: StaticString, _ tag: UInt8, _ values: [UInt32]?) -> [UInt32]? {
        if let values { put(name, list: values) { JSON.write(integer: Int64($1), into: &$0.bytes) } }
        return values
    }

    package mutating func texts(_ name: StaticString, _ tag: UInt8, _ values: [String]?) -> [String]? {
        if let values { put(name, list: values) { $0.put(text: $1) } }
        return values
    }

    package mutating func contents(_ name: StaticString, _ tag: UInt8, _ values: [[UInt8]]?) -> [[UInt8]]? {
        if let values { put(name, list: values) { $0.put(text: Base64.text(of: $1)) } }
        return values
    }

    package func refuse(_ name: StaticString) {}

    package func missing(_ name: StaticString) -> Never {
        preconditionFailure("a field that is always there is written without its value")
    }

    package func stop(_ name: StaticString) -> Never {
        preconditionFailure("a value of the program is refused")
    }
}
