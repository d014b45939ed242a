package import Varlink

/// Saved state in its stored form: a JSON object, whatever the type encodes itself as.
///
/// A value that is not an object, or that could be mistaken for a wrapper or for "discard", is wrapped in an object with the
/// single member `$value`; every value is therefore restored unchanged.
package enum SavedState {
    private static let wrapper = "$value"

    package static func json(of value: some Encodable) throws(WorkerError) -> JSON {
        do {
            let json = try JSON(encoding: value)
            guard let object = json.object, !object.members.isEmpty, object.members.map(\.key) != [wrapper]
            else { return .object([wrapper: json]) }
            return json
        } catch {
            throw WorkerError(error)
        }
    }

    package static func value<Value: Decodable>(_ type: Value.Type, of json: JSON) throws(WorkerError)
        -> Value
    {
        let isWrapped = json.object.map { $0.members.map(\.key) == [wrapper] } ?? false
        do {
            return try (isWrapped ? json[wrapper] ?? json : json).decode(type)
        } catch {
            throw WorkerError(error)
        }
    }
}
