/// The number of replies that a call requests.
public enum CallMode: Hashable, Sendable, CaseIterable {
    /// One.
    case once
    /// Any number; all but the last have `continues` set.
    case more
    /// None, not even an error.
    case oneway
}

/// A method call from a client.
public struct Call: Hashable, Sendable {
    /// The id of a call, unique within its connection.
    public struct ID: Hashable, Sendable {
        let sequence: UInt64
        let isOneway: Bool
    }

    /// The id to which replies refer.
    public let id: ID
    /// The full name, such as `io.torpor.Supervisor.List`.
    public let method: String
    /// The parameters; empty if the message has none.
    public let parameters: JSON.Object
    /// The number of replies that the client requests.
    public let mode: CallMode
    /// The part of ``method`` after the last dot; all of it without a dot.
    public let member: String

    /// Creates a call from its parts, such as one received on another connection or by another server.
    public init(id: ID, method: String, parameters: JSON.Object, mode: CallMode) {
        self.id = id
        self.method = method
        self.parameters = parameters
        self.mode = mode
        member = Self.member(of: method)
    }

    /// The part of ``method`` before the last dot; empty without a dot.
    public var interface: String { String(method[..<(Self.dot(in: method) ?? method.startIndex)]) }

    static func member(of method: String) -> String {
        String(method[(dot(in: method).map(method.utf8.index(after:)) ?? method.startIndex)...])
    }

    private static func dot(in method: String) -> String.Index? {
        method.utf8.lastIndex(of: UInt8(ascii: "."))
    }
}

/// Decodes a call from a message and checks its types.
struct Envelope {
    let method: String
    let parameters: JSON.Object
    let mode: CallMode
    let isUpgrade: Bool

    /// Fails with the name of the field that is missing or has the wrong type, or that contradicts another.
    ///
    /// `null` counts as missing; unknown fields are ignored, since extensions belong in `parameters`.
    init(_ message: JSON) throws(MethodError) {
        guard let method = message["method"]?.string else { throw .invalidParameter("method") }
        self.method = method
        switch message["parameters"] {
        case nil, .null: parameters = [:]
        case .object(let object): parameters = object
        case .bool, .int, .double, .string, .array, .written: throw .invalidParameter("parameters")
        }
        let isOneway = try Envelope.flag("oneway", in: message)
        let isMore = try Envelope.flag("more", in: message)
        isUpgrade = try Envelope.flag("upgrade", in: message)
        guard !(isOneway && isMore) else { throw .invalidParameter("more") }
        mode = isOneway ? .oneway : isMore ? .more : .once
    }

    private static func flag(_ key: String, in message: JSON) throws(MethodError) -> Bool {
        switch message[key] {
        case nil, .null: return false
        case .bool(let value): return value
        case .int, .double, .string, .array, .object, .written: throw .invalidParameter(key)
        }
    }
}
