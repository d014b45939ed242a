import Foundation
import Linux
import Testing

/// A directory of its own for the length of `body`.
func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = "/tmp/torpor-daemon-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// What a test got instead of what it needs to go on.
struct Unexpected: Error {
    let found: String
}
