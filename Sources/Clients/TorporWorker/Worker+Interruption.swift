internal import ControlAPI

extension Worker {
    /// Runs `body` as an interruption of this worker: while it runs, the worker is inactive where it would be active.
    ///
    /// For a dialog or a question that must be answered first. An active worker receives ``LifecycleDelegate/willResignActive()`` when
    /// the interruption begins, and ``LifecycleDelegate/didBecomeActive()`` when the last one is over: interruptions nest, and others may
    /// come from the lock of the session, an alert or an operator. It is over when `body` returns or throws, or after `limit`, and it ends
    /// with the process. A supervisor that is restarted goes on with it. Without a supervisor only `body` runs.
    ///
    /// - Throws: errors of `body`; a ``WorkerError`` if there are too many interruptions, before `body` has begun.
    public func withInterruption<Result: Sendable>(
        for purpose: String, limit: Duration? = nil,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard isSupervised else { return try await body() }
        let parameters = WorkerInterface.Interrupt.Parameters(
            purpose: purpose, limitUsec: limit?.wholeMicroseconds)
        var number: Int64?
        do throws(WorkerError) {
            number = try await call(WorkerInterface.Interrupt.self, parameters).number
        } catch {
            // A supervisor that is away interrupts nothing.
            guard error.code == .disconnected else { throw error }
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        if let number {
            // Ignoring an error: one whose time is over has ended already. A task of its own, which no cancellation of the caller stops.
            let ending = Task {
                _ = try? await self.call(WorkerInterface.EndInterruption.self, .init(number: number))
            }
            await ending.value
        }
        return try result.get()
    }
}
