import Linux
import Testing

@testable import Lifecycle
@testable import Supervisor
@testable import WorkerIO

@Suite struct `Lines of workers in the log` {
    private let start = Instant.zero

    private struct Row: Sendable, CustomTestStringConvertible {
        let pieces: [String]
        let lines: [String]
        var testDescription: String { pieces.joined(separator: "|") }
    }

    private static let rows: [Row] = [
        Row(pieces: ["one\ntwo\n"], lines: ["one", "two"]),
        Row(pieces: ["on", "e", "\nt", "wo"], lines: ["one", "two"]),
        Row(pieces: ["", "\n", "\r\n"], lines: ["", ""]),
        // A line of the supervisor's own cannot be forged, nor what a terminal shows be changed.
        Row(
            pieces: ["torpord: started\n", "a\rother: ended\n", "\u{1b}[2J\u{9b}x\n", "\u{2028}new\n"],
            lines: ["torpord: started", "a\\x0dother: ended", "\\x1b[2J\\x9bx", "\\x2028new"]),
    ]

    @Test(arguments: rows) private func `each line is marked, and has no control characters`(_ row: Row) {
        var relay = LineRelay()
        var output: [UInt8] = []
        for piece in row.pieces { output += relay.take(Array(piece.utf8)[...], mark: "web[7]: ", at: start) }
        output += relay.finish(mark: "web[7]: ", at: start)
        #expect(String(decoding: output, as: UTF8.self) == row.lines.map { "web[7]: \($0)\n" }.joined())
    }

    @Test func `a line is cut, however long it is and whatever is in it`() {
        for piece in ["x", "\u{1}", "ä", "\u{ff}"] {
            var relay = LineRelay()
            let long = Array(String(repeating: piece, count: 100_000).utf8)
            var output = relay.take(long[..<10], mark: "m: ", at: start)
            output += relay.take(long[10...] + Array("\nnext\n".utf8), mark: "m: ", at: start)
            let lines = output.split(separator: UInt8(ascii: "\n"))
            #expect(lines.count == 2 && lines[0].count <= LineRelay.longest + 3)
            #expect(String(decoding: lines[0].suffix(3), as: UTF8.self) == "…")
            #expect(String(decoding: lines[1], as: UTF8.self) == "m: next")
        }
        var relay = LineRelay()
        _ = relay.take([0xff, 0xfe, 0x00], mark: "", at: start)
        let last = relay.finish(mark: "", at: start)
        #expect(last == Array("\u{fffd}\u{fffd}\\x00\n".utf8))
    }

    @Test func `more lines than the quota are left out, and counted`() {
        var relay = LineRelay()
        let flood = Array(String(repeating: "y\n", count: LineQuota.burst + 500).utf8)
        let output = relay.take(flood[...], mark: "", at: start)
        #expect(output.count == 2 * LineQuota.burst && relay.leftOut == 500)
        let more = relay.take(flood[...], mark: "", at: start)
        #expect(more.isEmpty)
        let left = LineQuota.burst + 1000
        #expect(relay.leftOut == left)
        // 3 ms later there is one more.
        let later = relay.take(Array("z\nz\n".utf8)[...], mark: "m: ", at: start + .milliseconds(3))
        let told = "m: (\(left) lines dropped: more than 10000 in 30 s)\nm: z\n"
        #expect(String(decoding: later, as: UTF8.self) == told)
        let last = relay.finish(mark: "m: ", at: start + .milliseconds(3))
        #expect(String(decoding: last, as: UTF8.self) == "m: (1 lines dropped: more than 10000 in 30 s)\n")
    }

    @Test func `the quota is full again after its period, and never fuller`() {
        for (wait, expected) in [
            (TimeSpan.zero, 0), (.milliseconds(1), 0), (.milliseconds(30), 10), (.seconds(30), 10_000),
            (.seconds(3600), 10_000), (TimeSpan(microseconds: .max), 10_000),
        ] {
            var quota = LineQuota()
            let isWhole = (0..<LineQuota.burst).allSatisfy { _ in quota.take(at: start) }
            #expect(isWhole)
            let later = start + wait
            var count = 0
            while count < 20_000, quota.take(at: later) { count += 1 }
            #expect(count == expected, "\(wait)")
        }
    }

    @Test func `what is written at once is whole lines, as many as no other can part`() {
        let short = Array("a\nbb\n".utf8)
        #expect(LineOutput.chunk(of: short[...]) == short[...])
        let line = Array(String(repeating: "x", count: 1999).utf8) + [0x0a]
        let many = line + line + line
        #expect(LineOutput.chunk(of: many[...]).count == 4000)
        #expect(LineOutput.chunk(of: many[4000...]).count == 2000)
    }
}
