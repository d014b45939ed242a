import Foundation
import Linux
import Supervisor
import Systemd

/// A loop on a thread of its own for a test, and a directory that goes with it.
final class Bench {
    let loop: EventLoop
    let directory: String

    init() throws {
        loop = try EventLoop()
        var template = Array("/tmp/torpor-sources-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw LinuxError(errno: errno, call: "mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Runs `body` with a bench, on a thread that is gone afterwards: a loop must never block the cooperative pool, and
    /// what the thread has unshared goes with it.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (Bench) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let work: @Sendable () -> Void = {
                continuation.resume(
                    with: Swift.Result {
                        let bench = try Bench()
                        defer { bench.clear() }
                        return try body(bench)
                    })
            }
            do {
                try DetachedThread.start(work)
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Runs the loop, until `turn` answers true; it is asked every millisecond.
    func run(until turn: @escaping () -> Bool) throws {
        let box = Box<TimeSource>()
        let loop = loop
        box.value = try TimeSource(on: loop, priority: .clients) { _ in
            if turn() { return loop.exit(0) }
            box.value?.arm(at: KernelClock.monotonic + 1000)
        }
        box.value?.arm(at: 0)
        _ = try loop.run()
        // The handler holds the box.
        box.value = nil
    }

    /// The absolute path of `name` in the directory.
    func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Removes the directory with all that is in it.
    private func clear() {
        try? FileManager.default.removeItem(atPath: directory)
    }
}

/// Writes a file as `>` in a shell does.
func write(_ text: String, to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    precondition(file >= 0, "\(path): \(errno)")
    let bytes = Array(text.utf8)
    precondition(Foundation.write(file, bytes, bytes.count) == bytes.count)
    close(file)
}
