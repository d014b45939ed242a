#if canImport(Linux)
internal import Linux
internal import Synchronization

/// The way to the thread that talks with the supervisor: orders go in from anywhere, and are carried out there in order.
final class Link: Sendable {
    typealias Order = @Sendable (Conversation) -> Void

    private struct Mail {
        var orders: [Order] = []
        var isOver = false
    }

    private let mail = Mutex(Mail())
    private let wakeup: Wakeup

    /// Starts the thread; it ends with ``close()``.
    init(to path: String) throws(WorkerError) {
        do {
            wakeup = try Wakeup()
            try DetachedThread.start { [self] in
                let conversation = Conversation(path)
                while let orders = next() {
                    for order in orders { order(conversation) }
                    conversation.turn(wakeup: wakeup.rawValue)
                }
                conversation.close()
            }
        } catch {
            throw WorkerError(error)
        }
    }

    /// Leaves an order.
    func post(_ order: @escaping Order) {
        mail.withLock { $0.orders.append(order) }
        wakeup.signal()
    }

    /// Ends the thread, when the orders so far are carried out.
    func close() {
        mail.withLock { $0.isOver = true }
        wakeup.signal()
    }

    /// The orders that have come; nil when there are none and none will come.
    private func next() -> [Order]? {
        // Before the orders are taken: a signal behind that is for the next turn.
        wakeup.clear()
        return mail.withLock { mail in
            let orders = mail.orders
            mail.orders = []
            return orders.isEmpty && mail.isOver ? nil : orders
        }
    }
}
#endif
