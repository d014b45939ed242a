extension Worker {
    /// Runs `body` as a background task: the worker is not suspended until it ends, as long as background time is left.
    ///
    /// Begin the task before the work starts, also in the foreground. The task ends when `body` returns or throws. When the
    /// background time is nearly over, or the caller is cancelled, `body` is cancelled and should stop soon. Tasks may be nested
    /// and run concurrently. They are begun again after the supervisor has been restarted.
    ///
    /// Expiry is announced by a callback and therefore noticed only while callbacks are served, by ``run(_:)`` or ``callbacks(_:)``.
    ///
    /// - Throws: errors of `body`; a ``WorkerError`` with the code `notNow` or `tooManyTasks` before `body` has begun.
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
