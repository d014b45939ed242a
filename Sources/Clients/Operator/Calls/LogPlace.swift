/// Where the output of a worker goes that does not pass through the supervisor, and how it is read there.
package enum LogPlace: Hashable, Sendable {
    /// The journal, under this identifier.
    case journal(identifier: String)
    /// A file.
    case file(String)

    /// The place as the supervisor tells of it: a path, or `journal:` and an identifier.
    package init(_ text: String) {
        let prefix = "journal:"
        self =
            text.hasPrefix(prefix) ? .journal(identifier: String(text.dropFirst(prefix.count))) : .file(text)
    }

    /// The command that shows the newest `lines` of it, and goes on with what comes where that is wanted; nothing that came later than
    /// `end`, in microseconds since 1970, where the place knows when its lines came.
    package func command(following follows: Bool, _ lines: LineCount, before end: Int64? = nil) -> [String] {
        switch self {
        case .journal(let identifier):
            let count = if case .newest(let number) = lines { "\(number)" } else { "all" }
            return ["journalctl", "--no-pager", "--quiet", "--output=cat", "--lines=\(count)"]
                + (follows ? ["--follow"] : [])
                // To the second that follows: the last words come with the end.
                + (end.map { ["--until=@\($0 / 1_000_000 + 1)"] } ?? []) + ["SYSLOG_IDENTIFIER=\(identifier)"]
        case .file(let path):
            let count = if case .newest(let number) = lines { "\(number)" } else { "+1" }
            return ["tail", "-n", count] + (follows ? ["-F"] : []) + ["--", path]
        }
    }
}
