import ArgumentParser
internal import ConfigurationSyntax
import Lifecycle
import WorkerFile

/// The value of `--timeout`, as systemd.time(7) writes spans.
struct WaitLimit {
    /// Nil without an end.
    let milliseconds: Int64?
    /// Nil without an end.
    let span: TimeSpan?

    /// Reads one.
    ///
    /// - Throws: what is wrong with the text, and what is expected.
    static func reading(_ text: String) throws -> WaitLimit {
        do throws(ValueError) {
            return WaitLimit(try TimeLimit(parsing: text))
        } catch {
            throw ValidationError(error.description)
        }
    }

    private init(_ limit: TimeLimit) {
        span = limit.span
        // Rounded up: a wait of less than a millisecond is still one.
        milliseconds = limit.span.map { $0.microseconds / 1000 + ($0.microseconds % 1000 > 0 ? 1 : 0) }
    }
}
