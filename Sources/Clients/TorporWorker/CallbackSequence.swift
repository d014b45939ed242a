public import ControlAPI

/// The callbacks of a worker in order, each of which must be answered.
///
/// Callbacks that may overlap with others (fetches, transfers, notifications handled in the background) are delivered while others are
/// still unanswered. The sequence ends when the iterating task is cancelled; without a supervisor it yields nothing until then.
public struct CallbackSequence: AsyncSequence, Sendable {
    /// The element type.
    public typealias Element = Callback

    private let items: AsyncStream<Worker.Item>
    private let serving: Serving

    /// Detaches when the last iterator is released.
    final class Serving: Sendable {
        private let worker: Worker
        private let number: UInt64

        init(_ worker: Worker, _ number: UInt64) {
            self.worker = worker
            self.number = number
        }

        deinit { worker.stopServing(number) }
    }

    init(_ items: AsyncStream<Worker.Item>, _ serving: Serving) {
        self.items = items
        self.serving = serving
    }

    /// What hands them out.
    public struct Iterator: AsyncIteratorProtocol {
        var items: AsyncStream<Worker.Item>.Iterator
        let serving: Serving

        /// The next callback; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Callback? {
            guard case .callback(let callback) = await items.next(isolation: actor) else { return nil }
            return callback
        }
    }

    /// What hands them out; one at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(items: items.makeAsyncIterator(), serving: serving)
    }
}

extension Worker {
    /// The callbacks as a sequence, to use a loop instead of a delegate; callbacks that are not `wanted` complete at once.
    ///
    /// The worker is attached for as long as the sequence or an iterator of it exists.
    ///
    /// - Throws: ``WorkerError`` if callbacks are already being served, or no thread can be created.
    public func callbacks(
        _ wanted: Set<CallbackName> = Set(CallbackName.allCases)
    ) throws(WorkerError) -> CallbackSequence {
        let (items, number) = try serve(wanted)
        return CallbackSequence(items, CallbackSequence.Serving(self, number))
    }
}
