import Glibc

/// What a thread is to do, and where its result goes.
private final class Errand: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

/// Runs `body` on a thread of its own: a loop must never block the cooperative pool.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        startThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Starts a detached thread that runs `body`.
func startThread(_ body: @escaping @Sendable () -> Void) {
    let errand = Unmanaged.passRetained(Errand(body)).toOpaque()
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Errand>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, errand)
    precondition(result == 0, "pthread_create: \(result)")
    pthread_detach(thread)
}
