import Glibc
import Linux
import Varlink

/// What the test worker tells of itself: one JSON object a line, written at once.
struct Journal {
    private let descriptor: Int32

    /// Appends to the file at `path`; to the standard error where there is none.
    init(_ path: String?) {
        let file = path.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) } ?? -1
        descriptor = file >= 0 ? file : STDERR_FILENO
    }

    /// `event` and `fields`, with the time in microseconds of the monotonic clock.
    func write(_ event: String, _ fields: JSON.Object = [:]) {
        var line: JSON.Object = ["at": .int(KernelClock.monotonic), "event": .string(event)]
        for member in fields.members { line[member.key] = member.value }
        var bytes = Array(JSON.object(line).text.utf8) + [UInt8(ascii: "\n")]
        // One write, so that lines of several processes do not mix.
        _ = Glibc.write(descriptor, &bytes, bytes.count)
    }
}
