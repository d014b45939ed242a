package import Linux
internal import Varlink

extension InboundContent {
    /// What an `exec:` hook finds of it in its environment.
    package var variables: [String: ByteString] {
        switch self {
        case .url(let url, let source):
            var variables = ["TORPOR_URL": ByteString(url)]
            variables["TORPOR_SOURCE_APPLICATION"] = source.map { ByteString(JSON.object($0).text) }
            return variables
        case .activity(let object): return Self.variables(of: object)
        case .transfer(let object): return ["TORPOR_PAYLOAD": ByteString(JSON.object(object).text)]
        case .fetch, .processing, .savedState, .notifications: return [:]
        }
    }

    /// Of an activity its type and its state, as JSON and, where it is a text, as that.
    private static func variables(of activity: JSON.Object) -> [String: ByteString] {
        let payload = activity["payload"]?.object ?? [:]
        var variables = ["TORPOR_PAYLOAD": ByteString(JSON.object(payload).text)]
        variables["TORPOR_ACTIVITY_TYPE"] = activity["type"]?.string.map { ByteString($0) }
        variables["TORPOR_ACTIVITY_TITLE"] = activity["title"]?.string.map { ByteString($0) }
        variables["TORPOR_ACTIVITY_TEXT"] = payload["text"]?.string.map { ByteString($0) }
        return variables
    }
}
