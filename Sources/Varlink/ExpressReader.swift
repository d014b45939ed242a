/// Reads calls of one method off their messages by itself, since they come by the thousands.
///
/// What it does not read is read by the rules for all calls; what it reads must be what those rules read, and a call that asks for one
/// answer and that its interface allows: nobody checks it again.
public struct ExpressReader: Sendable {
    /// The full name of the method.
    public let method: String
    let member: String
    let read: @Sendable (Span<UInt8>) -> (any ExpressContent)?

    /// A reader of calls of `method`; `read` answers nil for every other message.
    public init(of method: String, _ read: @escaping @Sendable (Span<UInt8>) -> (any ExpressContent)?) {
        self.method = method
        self.read = read
        member = Call.member(of: method)
    }
}

/// What an ``ExpressReader`` makes of a message.
public protocol ExpressContent: Sendable {
    /// The parameters of the call, as the rules for all calls read them.
    var parameters: JSON.Object { get }
}
