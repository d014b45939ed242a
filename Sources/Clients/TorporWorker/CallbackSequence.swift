public import ControlAPI

/// The callbacks of a worker in order, each of which is to be answered.
///
/// Those that may overlap with others (fetches, transfers, notifications handled in the background) come while others are not
/// answered yet. It ends when the task that iterates is cancelled; without a supervisor it stays silent until then.
public struct CallbackSequence: AsyncSequence, Sendable {
    /// What comes.
    public typealias Element = Callback

    private let items: AsyncStream<Worker.Item>
    private let serving: Serving

    /// Detaches when nobody iterates any more.
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
    /// The callbacks as a sequence, for who wants a loop instead of a delegate; those that are not `wanted` complete at once.
    ///
    /// The worker is attached for as long as the sequence or an iterator of it exists.
    ///
    /// - Throws: ``WorkerError`` where callbacks are served already, or there is no room for a thread.
    public func callbacks(
        _ wanted: Set<CallbackName> = Set(CallbackName.allCases)
    ) throws(WorkerError) -> CallbackSequence {
        let (items, number) = try serve(wanted)
        return CallbackSequence(items, CallbackSequence.Serving(self, number))
    }
}
