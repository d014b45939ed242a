import ConfigurationSyntax
import Lifecycle
import Linux
import TestSupport
import Testing
import WorkerFile

@testable import Supervisor
@testable import SupervisorPorts
@testable import WorkerIO

@Suite struct `The parts of hooks` {
    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test(arguments: [
        (ChildEvent.Change.exited(code: 204), Completion.refused), (.exited(code: 3), .done),
        (.killed(by: .kill, coreDumped: false), .done), (.exited(code: 0), .done),
    ])
    func `a failure that is ignored is none, and no data stays no data`(
        _ change: ChildEvent.Change, _ expected: Completion
    ) {
        var hook = Hook(.command, completes: .exit)
        hook.ignoresFailure = true
        #expect(HookCall(id: 1, .performFetch, hook).outcome(of: change).0 == expected)
        hook.ignoresFailure = false
        let isData = change == .exited(code: 0)
        let strict = HookCall(id: 1, .performFetch, hook).outcome(of: change).0
        #expect(strict == (isData ? .done : change == .exited(code: 204) ? .refused : .failed))
    }

    @Test func `lines are the same however they are cut into pieces`() {
        let text = "one\n\ntwo\r\nthree is too long for this\nvier äöü\n\nlast"
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            var cutter = LineCutter(longest: 12)
            var lines: [String] = []
            var rest = bytes(text)
            while !rest.isEmpty {
                let count = Int.random(in: 1...10, using: &random)
                cutter.take(rest.prefix(count)) { lines.append(String(decoding: $0, as: UTF8.self)) }
                rest = rest.dropFirst(count)
            }
            #expect(lines == ["one", "", "two", "three is too…", "vier äöü", ""])
            let last = [cutter.finish(), cutter.finish()].map {
                $0.map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(last == ["last", nil])
        }
    }

    @Test func `a hook's lines are told up to a number, and then counted`() {
        var lines = PrintedLines()
        let first = [lines.take(bytes("a\nb")), lines.finish(), lines.finish()]
        #expect(first == [["a"], ["b"], []])
        var told = 0
        for _ in 0..<1000 { told += lines.take(bytes("x\ny\n")).count }
        #expect(told == PrintedLines.most - 2)
        let last = [lines.finish(), lines.finish()]
        #expect(last == [["... and \(2000 - told) more lines"], []])
    }

    @Test func `the tail of what was printed is bounded, and its last lines are there`() {
        var tail = OutputTail()
        #expect(tail.lines == [])
        tail.take(bytes("one\ntw"), from: 0)
        tail.take(bytes("error\n"), from: 1)
        tail.take(bytes("o\n> "), from: 0)
        #expect(tail.lines == ["one", "error", "two", "> "])
        for number in 0..<100_000 { tail.take(bytes("line \(number)\n"), from: 0) }
        #expect(tail.lines.count == OutputTail.mostLines)
        #expect(tail.lines.last == "line 99999")
        tail.take(bytes(String(repeating: "x", count: 1 << 20)), from: 0)
        #expect(tail.lines.last?.utf8.count == OutputTail.longest)
        tail.take(bytes(String(repeating: "y", count: 1 << 20) + "\nend\n"), from: 0)
        #expect(tail.lines.last == "end")
        #expect(tail.lines.count <= OutputTail.mostLines)
    }

    @Test func `a watch sees what matches from then on, with its end or without`() throws {
        var watch = OutputWatch(for: try OutputPattern(parsing: "^saved [0-9]+ files$"))
        // The other stream does not come between.
        let pieces = [
            ("not saved 5 files\n", 0), ("sav", 0), ("ed 5 files\n", 1), ("ed 12 files\nmore", 0),
        ]
        let answers = pieces.map { watch.hears(bytes($0.0), from: $0.1) }
        #expect(answers == [false, false, false, true])
        var prompt = OutputWatch(for: try OutputPattern(parsing: ">>> $"))
        let prompted = [">>", "> "].map { prompt.hears(bytes($0), from: 0) }
        #expect(prompted == [false, true])
    }

    @Test func `CPU time is exceeded by what a window does not allow, and no sooner`() {
        // A tenth of a CPU in a second.
        let allowance = CPUAllowance(permyriad: 1000, window: .seconds(1))
        func exceeds(_ samples: [(at: Int64, used: Int64)]) -> [Bool] {
            var use = CPUUse(allowance)
            return samples.map {
                use.isExceeded(with: .milliseconds($0.used), at: .zero + .milliseconds($0.at))
            }
        }
        // What it used before it was looked at does not count.
        #expect(
            exceeds([(0, 5000), (500, 5050), (1000, 5100), (1500, 5150)]) == [false, false, false, false])
        // A burst is enough, and then it counts afresh.
        #expect(exceeds([(0, 0), (200, 101), (400, 150), (600, 202)]) == [false, true, false, true])
        // A window that has passed is forgotten.
        #expect(exceeds([(0, 0), (500, 90), (1500, 100), (2500, 190)]) == [false, false, false, false])
        #expect(exceeds([(0, 0), (1000, 90), (1500, 150), (2000, 195)]) == [false, false, false, true])
        // A look that comes late has allowed more.
        #expect(exceeds([(0, 0), (10_000, 900)]) == [false, false])
        #expect(exceeds([(0, 0), (10_000, 1100)]) == [false, true])
        // A process that ended took its time with it; a clock does not go back.
        #expect(exceeds([(0, 1000), (500, 10), (900, 100)]) == [false, false, false])
        #expect(CPUAllowance(permyriad: 8000, window: .seconds(60)).interval == .seconds(10))
        #expect(CPUAllowance(permyriad: 8000, window: .milliseconds(600)).interval == .milliseconds(600))
    }
}
