internal import Foundation
package import Glibc

/// A directory of its own for the length of `body`, with these permissions whatever the umask is.
package func withTemporaryDirectory<Result>(mode: mode_t = 0o755, _ body: (String) throws -> Result) throws
    -> Result
{
    let path = "/tmp/torpor-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    chmod(path, mode)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}
