internal import Foundation

/// What a test waits for did not come in time.
package struct TimedOut: Error, CustomStringConvertible {
    /// What it was.
    package let description: String

    /// It was `description`.
    package init(description: String = "it never came true") {
        self.description = description
    }
}

/// Returns the first answer that is not nil, looking again and again; it waits for the fact and only bounds the time.
package func eventually<Answer>(_ what: String = "what is waited for", _ look: () throws -> Answer?) throws
    -> Answer
{
    for _ in 0..<60_000 {
        if let answer = try look() { return answer }
        usleep(1000)
    }
    throw TimedOut(description: "never came true: \(what)")
}

/// Runs `body` on a thread of its own: it blocks.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
    -> Result
{
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
    }
}
