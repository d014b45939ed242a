extension Worker {
    /// Does `body` as a background task: until it is over the worker is not suspended, as long as background time is left.
    ///
    /// Begin it before the work starts, in the foreground too. The task ends when `body` returns or throws. When the
    /// background time is nearly over, or the caller is cancelled, `body` is cancelled: it should stop soon. Tasks may be nested
    /// and run side by side. When the supervisor was away and is back, they are begun again.
    ///
    /// Expiry is told by a callback, so it is noticed while callbacks are served: by ``run(_:)`` or ``callbacks(_:)``.
    ///
    /// - Throws: what `body` throws; a ``WorkerError`` with the code `notNow` or `tooManyTasks` before `body` has begun.
    public func withBackgroundTask<Result: Sendable>(
        named name: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let link = try link() else { return try await body() }
        let number = expirations.nextNumber()
        // Before the supervisor knows of it: from then on its time may be over.
        expirations.add(number)
        defer { expirations.remove(number) }
        // Whatever comes of it, the task is over for the supervisor as well.
        defer { link.post { $0.endTask(number) } }
        let refusal = await withCheckedContinuation { continuation in
            link.post { conversation in
                conversation.beginTask(number, name) { continuation.resume(returning: $0) }
            }
        }
        if let refusal { throw refusal }
        let work = Task { try await body() }
        expirations.start(number) { work.cancel() }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
    }
}
