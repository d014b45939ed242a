/// How many answers a call asks for.
public enum CallMode: Hashable, Sendable, CaseIterable {
    /// One.
    case once
    /// As many as there are; all but the last say `continues`.
    case more
    /// None, not even an error.
    case oneway
}

/// A method call that a client sent.
public struct Call: Hashable, Sendable {
    /// What replies refer to; unique within its connection.
    public struct ID: Hashable, Sendable {
        let sequence: UInt64
        let isOneway: Bool
    }

    /// What replies refer to.
    public let id: ID
    /// The full name, as `io.torpor.Supervisor.List`.
    public let method: String
    /// The arguments; empty where the message had none.
    public let parameters: JSON.Object
    /// How many answers the client wants.
    public let mode: CallMode
    /// The part of ``method`` behind the last dot; the whole without one.
    public let member: String

    /// A call by its parts: one that came over another connection, or in the life of another server.
    public init(id: ID, method: String, parameters: JSON.Object, mode: CallMode) {
        self.id = id
        self.method = method
        self.parameters = parameters
        self.mode = mode
        member = Self.member(of: method)
    }

    /// The part of ``method`` before the last dot; empty without one.
    public var interface: String { String(method[..<(Self.dot(in: method) ?? method.startIndex)]) }

    static func member(of method: String) -> String {
        String(method[(dot(in: method).map(method.utf8.index(after:)) ?? method.startIndex)...])
    }

    private static func dot(in method: String) -> String.Index? {
        method.utf8.lastIndex(of: UInt8(ascii: "."))
    }
}

/// A call as the message says it, checked for its types.
struct Envelope {
    let method: String
    let parameters: JSON.Object
    let mode: CallMode
    let isUpgrade: Bool

    /// Fails with the name of the field that is missing or has the wrong type, or that contradicts another.
    ///
    /// `null` means not there; fields that Varlink does not know are ignored, since extensions belong into `parameters`.
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
