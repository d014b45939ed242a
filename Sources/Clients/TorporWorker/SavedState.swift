internal import Varlink

/// State as it is kept: an object of JSON, whatever the type encodes itself as.
///
/// A value that is no object, or one that could be taken for a wrapping or for "drop it", is wrapped in an object with the
/// one member `$value`; so every value comes back as it was.
enum SavedState {
    private static let wrapper = "$value"

    static func json(of value: some Encodable) throws(WorkerError) -> JSON {
        do {
            let json = try JSON(encoding: value)
            guard let object = json.object, !object.members.isEmpty, object.members.map(\.key) != [wrapper]
            else { return .object([wrapper: json]) }
            return json
        } catch {
            throw WorkerError(error)
        }
    }

    static func value<Value: Decodable>(_ type: Value.Type, of json: JSON) throws(WorkerError) -> Value {
        let isWrapped = json.object.map { $0.members.map(\.key) == [wrapper] } ?? false
        do {
            return try (isWrapped ? json[wrapper] ?? json : json).decode(type)
        } catch {
            throw WorkerError(error)
        }
    }
}
