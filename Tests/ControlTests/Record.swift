import Foundation
import TestSupport

/// What happened on the server's thread, for a test's to read.
final class Record: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: all is behind the lock.
    private let lock = NSLock()
    private var entries: [String] = []

    func add(_ entry: String) { lock.withLock { entries.append(entry) } }

    var all: [String] { lock.withLock { entries } }

    func count(_ entry: String) -> Int { all.count { $0 == entry } }
}

/// Waits until `fact` is one; only the time is bounded.
func awaitFact(_ fact: () throws -> Bool) throws {
    _ = try eventually { try fact() ? true : nil }
}
