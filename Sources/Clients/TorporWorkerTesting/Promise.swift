internal import Synchronization

/// A value that comes later, once, for one that waits.
final class Promise<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Gives the value; only the first one counts.
    func fulfil(_ value: Value) {
        continuation.yield(value)
        continuation.finish()
    }

    /// Waits for it; nil when the task of the caller is cancelled.
    var value: Value? {
        get async {
            for await value in stream { return value }
            return nil
        }
    }
}
