internal import Linux
internal import Systemd

/// Where entries of the log go; writing never waits.
package protocol LogSink: AnyObject {
    /// Writes `entry`; false when it is lost, because the reader does not keep up.
    func write(_ entry: LogEntry) -> Bool
}

/// The journal, with all fields; where it does not answer, lines with their level to its stream.
final class JournalSink: LogSink {
    private let journal: SourceBox<Journal>
    private let stream: LineSink

    init(_ journal: consuming Journal, stream: LineSink) {
        self.journal = SourceBox()
        self.journal.handle = consume journal
        self.stream = stream
    }

    func write(_ entry: LogEntry) -> Bool {
        guard let outcome = try? journal.handle?.send(entry.journalFields) else { return stream.write(entry) }
        return outcome == .sent
    }
}

/// Plain lines to a descriptor.
final class LineSink: LogSink {
    private let output: LineOutput
    /// Whether each line begins with `<n>`, which the journal's stream understands and a person does not want to read
    /// (sd-daemon(3)).
    private let showsLevel: Bool

    init(_ descriptor: Int32, showsLevel: Bool) {
        output = LineOutput(descriptor)
        self.showsLevel = showsLevel
    }

    func write(_ entry: LogEntry) -> Bool { output.write(Self.render(entry, showsLevel: showsLevel)) }

    static func render(_ entry: LogEntry, showsLevel: Bool) -> [UInt8] {
        let prefix = showsLevel ? "<\(entry.level.priority)>" : ""
        return Array("\(prefix)\(entry.line)\n".utf8)
    }
}
