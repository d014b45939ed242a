package import SnapshotCoding
internal import Varlink

/// Reads what a ``HandoverWriter`` of this version or another has written; nothing in it is believed.
///
/// Members that the descriptions do not name are ignored. An error tells the path of the member, as `workers[3].life.goal`.
package struct HandoverReader: SnapshotCoder {
    package typealias Failure = SnapshotError

    /// Where an object stands.
    private indirect enum Place {
        case root
        case member(StaticString, of: Place)
        case element(Int, StaticString, of: Place)

        var path: String {
            switch self {
            case .root: ""
            case .member(let name, let outer): outer.prefix + "\(name)"
            case .element(let index, let name, let outer): outer.prefix + "\(name)[\(index)]"
            }
        }

        private var prefix: String {
            if case .root = self { "" } else { path + "." }
        }
    }

    private let object: JSON.Object
    private let place: Place
    /// Where the search for the next member begins.
    private var next = 0
    package var latest: Int64

    private init(_ object: JSON.Object, at place: Place, latest: Int64) {
        self.object = object
        self.place = place
        self.latest = latest
    }

    /// The value that `text` spells; nothing in it has happened after `latest`, in microseconds.
    ///
    /// - Throws: an error that names the member that is damaged or missing.
    package static func value<Value: SnapshotObject>(
        _ type: Value.Type = Value.self, of text: [UInt8], latest: Int64 = .max
    ) throws(SnapshotError) -> Value {
        let json: JSON
        do throws(JSON.ParseError) {
            json = try JSON(parsing: text.span)
        } catch {
            throw .damaged("the text (\(error))")
        }
        guard case .object(let object) = json else { throw .damaged("the text (not a JSON object)") }
        var reader = HandoverReader(object, at: .root, latest: latest)
        return try Value(&reader, nil)
    }

    package static var reads: Bool { true }

    private func damaged(_ name: StaticString) -> SnapshotError {
        .damaged(Place.member(name, of: place).path)
    }

    /// A member's value; nil where it is missing, or null.
    ///
    /// Members stand in the order of the descriptions as a rule, so the search begins behind the last that was found.
    private mutating func find(_ name: StaticString) -> JSON? {
        let members = object.members
        for step in members.indices {
            let index = (next + step) % members.count
            guard Self.is(members[index].key, name) else { continue }
            next = index + 1
            if case .null = members[index].value { return nil }
            return members[index].value
        }
        return nil
    }

    private static func `is`(_ key: String, _ name: StaticString) -> Bool {
        key.utf8.count == name.utf8CodeUnitCount && name.withUTF8Buffer { key.utf8.elementsEqual($0) }
    }

    // MARK: fields

    package mutating func number(
        _ name: StaticString, _ tag: UInt8, _ value: UInt64?
    ) throws(SnapshotError) -> UInt64? {
        switch find(name) {
        case nil: return nil
        case .int(let number):
            guard let number = UInt64(exactly: number) else { throw damaged(name) }
            return number
        case .string(let text):
            guard let number = UInt64(text) else { throw damaged(name) }
            return number
        default: throw damaged(name)
        }
    }

    package mutating func signed(
        _ name: StaticString, _ tag: UInt8, _ value: Int64?
    ) throws(SnapshotError) -> Int64? {
        guard let json = find(name) else { return nil }
        guard let number = json.int else { throw damaged(name) }
        return number
    }

    package mutating func bool(
        _ name: StaticString, _ tag: UInt8, _ value: Bool?
    ) throws(SnapshotError) -> Bool? {
        guard let json = find(name) else { return nil }
        guard let flag = json.bool else { throw damaged(name) }
        return flag
    }

    package mutating func text(
        _ name: StaticString, _ tag: UInt8, _ value: String?
    ) throws(SnapshotError) -> String? {
        guard let json = find(name) else { return nil }
        guard let text = json.string else { throw damaged(name) }
        return text
    }

    package mutating func content(
        _ name: StaticString, _ tag: UInt8, _ value: [UInt8]?
    ) throws(SnapshotError) -> [UInt8]? {
        guard let json = find(name) else { return nil }
        guard let bytes = json.string.flatMap({ Base64.bytes(of: $0) }) else { throw damaged(name) }
        return bytes
    }

    package mutating func json(
        _ name: StaticString, _ tag: UInt8, _ value: [UInt8]?
    ) throws(SnapshotError) -> [UInt8]? {
        guard let json = find(name) else { return nil }
        guard case .object = json else { throw damaged(name) }
        return Array(json.text.utf8)
    }

    package mutating func kind<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: Kind?
    ) throws(SnapshotError) -> Kind? {
        guard let json = find(name) else { return nil }
        guard let text = json.string, let kind = Kind.allCases.first(where: { $0.snapshotName == text })
        else {
            throw damaged(name)
        }
        return kind
    }

    /// Names that this version does not have are left out.
    package mutating func kinds<Kind: SnapshotKind>(
        _ name: StaticString, _ tag: UInt8, _ value: UInt32?, of type: Kind.Type
    ) throws(SnapshotError) -> UInt32? {
        guard let json = find(name) else { return nil }
        guard let names = json.array else { throw damaged(name) }
        var bits: UInt32 = 0
        let kinds = Array(type.allCases)
        var index = 0
        for element in names {
            guard let name = element.string else { throw damaged(name) }
            // In the order of their declaration as a rule.
            for _ in kinds {
                defer { index = (index + 1) % kinds.count }
                guard kinds[index].snapshotName == name else { continue }
                bits |= 1 << UInt32(kinds[index].snapshotNumber)
                break
            }
        }
        return bits
    }

    private func object<Value: SnapshotObject>(
        _ json: JSON, at place: Place
    ) throws(SnapshotError) -> Value {
        guard case .object(let object) = json else { throw .damaged(place.path) }
        var reader = HandoverReader(object, at: place, latest: latest)
        return try Value(&reader, nil)
    }

    package mutating func object<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ value: Value?
    ) throws(SnapshotError) -> Value? {
        guard let json = find(name) else { return nil }
        return try object(json, at: .member(name, of: place))
    }

    // MARK: lists

    private mutating func list<Element>(
        _ name: StaticString, _ element: (JSON, Int) throws(SnapshotError) -> Element?
    ) throws(SnapshotError) -> [Element]? {
        guard let json = find(name) else { return nil }
        guard let values = json.array else { throw damaged(name) }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            guard let element = try element(value, index) else {
                throw .damaged(Place.element(index, name, of: place).path)
            }
            elements.append(element)
        }
        return elements
    }

    package mutating func objects<Value: SnapshotObject>(
        _ name: StaticString, _ tag: UInt8, _ values: [Value]?
    ) throws(SnapshotError) -> [Value]? {
        let reader = self
        return try list(name) { (json, index) throws(SnapshotError) in
            try reader.object(json, at: .element(index, name, of: reader.place))
        }
    }

    package mutating func numbers(
        _ name: StaticString, _ tag: UInt8, _ values: [UInt32]?
    ) throws(SnapshotError) -> [UInt32]? {
        try list(name) { json, _ in json.int.flatMap { UInt32(exactly: $0) } }
    }

    package mutating func texts(
        _ name: StaticString, _ tag: UInt8, _ values: [String]?
    ) throws(SnapshotError) -> [String]? {
        try list(name) { json, _ in json.string }
    }

    package mutating func contents(
        _ name: StaticString, _ tag: UInt8, _ values: [[UInt8]]?
    ) throws(SnapshotError) -> [[UInt8]]? {
        try list(name) { json, _ in json.string.flatMap { Base64.bytes(of: $0) } }
    }

    package func refuse(_ name: StaticString) throws(SnapshotError) { throw damaged(name) }

    package func missing(_ name: StaticString) throws(SnapshotError) -> Never {
        throw .missing(Place.member(name, of: place).path)
    }

    package func stop(_ name: StaticString) throws(SnapshotError) -> Never { throw damaged(name) }
}
