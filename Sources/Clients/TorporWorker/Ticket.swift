internal import Synchronization

/// What a call can be cancelled by.
final class Ticket: Sendable {
    private let flag = Atomic(false)

    /// Whether it was cancelled, perhaps before the call was made.
    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }
}
