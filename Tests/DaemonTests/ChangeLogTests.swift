import ControlAPI
import Foundation
import SupervisorPorts
import TestSupport
import Testing

@testable import History
@testable import Launching
@testable import Lifecycle
@testable import Linux
@testable import Supervisor
@testable import Systemd

@Suite struct `The log` {
    private final class FullSink: LogSink {
        var entries: [LogEntry] = []
        var isFull = false

        func write(_ entry: LogEntry) -> Bool {
            if !isFull { entries.append(entry) }
            return !isFull
        }
    }

    private let change = Notice.changed(
        Transition(
            from: .active, to: .inactive, cause: .goal(.operator(uid: 7, pid: 42)), notTold: [],
            suspendedFor: nil, at: .zero))

    @Test func `each kind has an id of its own, as sd_id128 writes it`() {
        let ids = LogEntry.Kind.allCases.map(\.messageID)
        #expect(Set(ids).count == ids.count)
        #expect(
            ids.allSatisfy { $0.utf8.count == 32 && $0.utf8.allSatisfy("0123456789abcdef".utf8.contains) })
    }

    @Test func `a change is one line, with who asked in its fields`() {
        let entry = LogEntry(change, of: "web")
        #expect(entry.line == "web: active → inactive (operator, uid 7, pid 42)")
        #expect(
            entry.journalFields.map { "\($0.name)=\($0.value)" } == [
                "MESSAGE=\(entry.line)", "PRIORITY=6", "MESSAGE_ID=\(LogEntry.Kind.changed.messageID)",
                "SYSLOG_IDENTIFIER=torpord", "TORPOR_WORKER=web", "TORPOR_FROM=active", "TORPOR_TO=inactive",
                "TORPOR_REASON=operator, uid 7, pid 42", "TORPOR_UID=7", "TORPOR_PID=42",
            ])
        #expect(LineSink.render(entry, showsLevel: false) == Array("\(entry.line)\n".utf8))
        #expect(LineSink.render(entry, showsLevel: true) == Array("<6>\(entry.line)\n".utf8))
    }

    @Test func `what others say can neither break a line nor make it endless`() {
        let rows = [
            ("a\nb\u{1b}[31m\u{7f}\u{85}", "a\\x0ab\\x1b[31m\\x7f\\x85"), ("grün\u{202e}", "grün\\x202e"),
            ("", ""),
        ]
        for (text, shown) in rows { #expect(LogEntry(.ignored, .debug, text).line == shown) }
        for filler in ["x", "ü", "\n", "👩‍👩‍👧"] {
            let long = LogEntry(.ignored, .debug, worker: "w", String(repeating: filler, count: 100_000))
            #expect(long.message.utf8.count <= LogEntry.lengthLimit && long.message.hasSuffix("…"))
            #expect(LineSink.render(long, showsLevel: true).count <= LineOutput.lengthLimit)
        }
    }

    @Test func `only what is urgent enough is logged`() {
        let sink = FullSink()
        let log = ChangeLog(level: .notice, sink: sink)
        log.log(change, of: "web")
        log.log(.launchFailed(LaunchError(stage: .exec, errno: 2, subject: "x")), of: "web")
        log.level = .debug
        log.log(.ignored("noise"), of: "web")
        #expect(sink.entries.map(\.line) == ["web: command not found: x", "web: noise"])
    }

    @Test func `what is lost is counted, and told once there is room`() {
        let sink = FullSink()
        let log = ChangeLog(sink: sink)
        sink.isFull = true
        for _ in 0..<3 { log.log(change, of: "web") }
        #expect(log.lost == 3)
        sink.isFull = false
        log.log(change, of: "web")
        #expect(log.lost == 0 && sink.entries.count == 2)
        #expect(sink.entries.first?.line == "3 log lines were lost")
    }

    @Test func `a pipe that nobody reads makes nobody wait`() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let sink = LineSink(ends[1], showsLevel: false)
        let entry = LogEntry(.ignored, .debug, String(repeating: "x", count: 1000))
        var written = 0
        while sink.write(entry), written < 10_000 { written += 1 }
        #expect((1..<10_000).contains(written))
        // Its descriptor is as it was for every other process that has it.
        #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    }

    @Test func `a socket that nobody reads makes nobody wait`() throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        let output = LineOutput(ends[1])
        let line = [UInt8](repeating: 65, count: 4096)
        var written = 0
        while output.write(line), written < 10_000 { written += 1 }
        #expect((1..<10_000).contains(written))
        #expect(fcntl(ends[1], F_GETFL) & O_NONBLOCK == 0)
    }

    @Test func `the journal gets fields by its own protocol, and a full one makes nobody wait`() throws {
        try withTemporaryDirectory { path in
            let receiver = try DatagramSocket(
                receivingAt: try UnixSocketAddress(path + "/journal"), access: .ours, receiveBuffer: 1 << 16)
            let journal = try Journal(at: path + "/journal")
            #expect(try journal.send([.init("MESSAGE", "a b"), .init("TEXT", "two\nlines")]) == .sent)
            let received = try receiver.receive(capacity: 4096)?.bytes
            #expect(
                received == Array("MESSAGE=a b\nTEXT\n".utf8) + [9, 0, 0, 0, 0, 0, 0, 0]
                    + Array("two\nlines\n".utf8))
            var outcome = Journal.Outcome.sent
            for _ in 0..<10_000 where outcome == .sent { outcome = try journal.send([.init("MESSAGE", "x")]) }
            #expect(outcome == .wouldBlock)
            let nobody = try Journal(at: path + "/nobody")
            #expect(throws: LinuxError.self) { try nobody.send([]) }
        }
    }

    @Test func `standard error is the journal only where the device and inode agree`() {
        var status = stat()
        #expect(fstat(2, &status) == 0)
        let own = "JOURNAL_STREAM=\(status.st_dev):\(status.st_ino)"
        let rows = [(own, true), (own + "1", false), ("JOURNAL_STREAM=", false), ("OTHER=1", false)]
        for (entry, isJournal) in rows {
            #expect(
                Journal.receives(2, environment: Environment(entries: [ByteString(entry)])) == isJournal)
        }
    }
}
