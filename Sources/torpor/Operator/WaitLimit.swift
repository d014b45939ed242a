import ArgumentParser
import Lifecycle
import WorkerFile

/// The value of `--timeout`, as systemd.time(7) writes spans.
struct WaitLimit: ExpressibleByArgument {
    /// Nil without an end.
    let milliseconds: Int64?
    /// Nil without an end.
    let span: TimeSpan?

    init?(argument: String) {
        guard let limit = try? TimeLimit(parsing: argument) else { return nil }
        span = limit.span
        // Rounded up: a wait of less than a millisecond is still one.
        milliseconds = limit.span.map { $0.microseconds / 1000 + ($0.microseconds % 1000 > 0 ? 1 : 0) }
    }
}
