internal import Lifecycle
internal import Linux
internal import Systemd
package import Varlink

/// Answers one call.
///
/// It belongs to the loop's thread, outlives its client without harm (what is said then is dropped), and never calls
/// back into the handler: bytes leave, and connections end, in a turn of their own. A responder that is
/// dropped without a last answer has its client told `MethodNotImplemented`, since nothing else would end the call.
package final class Responder {
    /// The process that called.
    package let peer: Peer
    /// How many answers the client wants.
    package let mode: CallMode
    /// What a successor needs to know to go on with the call.
    package var note: JSON.Object = [:]
    private let method: String
    private let id: Call.ID
    private weak var connection: ControlConnection?

    init(_ call: Call, on connection: ControlConnection) {
        peer = connection.peer
        mode = call.mode
        method = call.method
        id = call.id
        self.connection = call.mode == .oneway ? nil : connection
    }

    deinit {
        guard let connection, isOpen else { return }
        connection.report(.badAnswer(method: method, why: "no reply"))
        connection.answer(id, method, EncodedMessage(error: .methodNotImplemented(method)))
    }

    /// Whether the client still waits for an answer: false after the last one, when the client went away, and for a
    /// oneway call.
    package var isOpen: Bool { connection?.awaitsAnswer ?? false }

    /// Has `body` called once when the client goes away before the last answer, in a turn of its own; at once when the client does not
    /// wait for an answer.
    ///
    /// A second one replaces the first.
    package func onClose(_ body: @escaping () -> Void) {
        guard let connection, isOpen else { return body() }
        connection.setCloser(body, of: id)
    }

    /// The last answer: the fields of `value`.
    package func reply(_ value: some JSONConvertible) {
        guard isOpen, let message = encode(value, continues: false) else { return }
        finish(message)
    }

    /// The last answer.
    package func reply(_ object: JSON.Object) {
        guard isOpen else { return }
        finish(EncodedMessage(reply: object))
    }

    /// The last answer, encoded already.
    package func reply(_ message: EncodedMessage) { finish(message) }

    /// The last answer: an error.
    package func fail(_ error: MethodError) {
        guard isOpen else { return }
        finish(EncodedMessage(error: error))
    }

    /// An answer that others follow: the fields of `value`; an urgent one leaves at once, as far as the socket takes it.
    package func more(_ value: some JSONConvertible, isUrgent: Bool = false) {
        guard isOpen, let message = encode(value, continues: true) else { return }
        connection?.answer(id, method, message, isUrgent: isUrgent)
    }

    /// An answer that others follow, encoded once for all subscribers; it must say `continues`.
    package func more(_ message: EncodedMessage) {
        connection?.answer(id, method, message)
    }

    private func finish(_ message: EncodedMessage) {
        guard let connection else { return }
        self.connection = nil
        connection.setCloser(nil, of: id)
        connection.answer(id, method, message)
    }

    private func encode(_ value: some JSONConvertible, continues: Bool) -> EncodedMessage? {
        let begin = KernelClock.monotonic
        // What is encoded while calls are carried out is part of their time.
        defer {
            if let connection, !connection.isPerforming {
                connection.server.charge(peer, TimeSpan(microseconds: KernelClock.monotonic - begin))
            }
        }
        do {
            return try EncodedMessage(reply: value, continues: continues)
        } catch {
            connection?.report(.badAnswer(method: method, why: "\(error)"))
            finish(EncodedMessage(error: .methodNotImplemented(method)))
            return nil
        }
    }
}
