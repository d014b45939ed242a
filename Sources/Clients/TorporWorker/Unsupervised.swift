#if !canImport(Linux)
internal import ControlAPI
internal import Varlink

// What other systems have instead of a way to a supervisor, so that a program that adopts the life cycle is built there too. Nothing
// here is ever reached: there is no `$TORPOR_SOCKET`.

/// The receiver of the callbacks.
struct Audience: Sendable {
    /// The callbacks that it wants; nil for all.
    let callbacks: [CallbackName]?
    /// Takes one, with the number of the attachment that it came by.
    let take: @Sendable (WorkerInterface.Callback, Int) -> Void
}

/// What is said with a supervisor: nothing.
final class Conversation {
    func attach(_ audience: Audience?) {}

    func call(
        _ method: String, _ parameters: JSON.Object, of attachment: Int? = nil, ticket: Ticket? = nil,
        _ answer: @escaping (Result<JSON.Object, WorkerError>) -> Void
    ) { answer(.failure(.disconnected)) }

    func cancel(_ ticket: Ticket) {}

    func beginTask(_ id: UInt64, _ name: String, _ answer: @escaping (WorkerError?) -> Void) { answer(nil) }

    func endTask(_ id: UInt64) {}

    func setQuestion(_ type: String, _ answer: (@Sendable (Int64) -> Void)?) {}

    func setInUse(_ inUse: Bool, _ answer: @escaping (WorkerError?) -> Void) { answer(nil) }
}

/// The way to a supervisor: there is none.
final class Link: Sendable {
    init(to path: String) throws(WorkerError) { throw .disconnected }

    func post(_ order: @escaping @Sendable (Conversation) -> Void) {}

    func close() {}
}
#endif
