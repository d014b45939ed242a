import Foundation
import Glibc
import TestSupport
import Testing

@testable import Launching
@testable import Linux
@testable import Processes

@Suite(.timeLimit(.minutes(60))) struct `A process's stat` {
    private static let tail =
        " 0 -1 4194560 10 20 30 40 100 23 5 6 25 5 3 0 77777 123 45 18446744073709551615 1 1 0 0 0 0\n"

    private func parse(_ text: String) -> ProcessStat? { ProcessStat(parsing: Array(text.utf8)) }

    @Test(arguments: [
        "sh", "", "a b", "a) R 1 (b", ")", "((", ") Z 9 9", "tab\tnewline\n)", "()",
    ])
    func `is read whatever its name`(_ name: String) throws {
        let stat = try #require(parse("42 (\(name)) S 1 2 3" + Self.tail))
        #expect(stat.pid == 42)
        #expect(stat.command == ByteString(name))
        #expect(stat.state == .sleeping)
        #expect(stat.parent == 1)
        #expect(stat.processGroup == 2)
        #expect(stat.session == 3)
        #expect(stat.cpuTicks == 123)
        #expect(stat.threadCount == 3)
        #expect(stat.startTime == 77777)
    }

    @Test(arguments: [
        "", "42", "42 (sh", "42 sh) S 1 2 3", "(sh) S 1 2 3", "42 (sh)", "42 (sh) ", "42 (sh) S",
        "42 (sh) S 1 2 3",
        "x (sh) S 1 2 3 0 -1 4194560 10 20 30 40 100 23 5 6 25 5 3 0 77777 1",
        "42 (sh) S 1 2 3 0 -1 4194560 10 20 30 40 -1 23 5 6 25 5 3 0 77777 1",
        "42 (sh) SS 1 2 3 0 -1 4194560 10 20 30 40 1 23 5 6 25 5 3 0 77777 1", ")(", "99999999999 (a) S",
    ])
    func `is not read from garbage`(_ text: String) {
        #expect(parse(text) == nil)
    }

    @Test(arguments: [UInt64.max, UInt64.max - 1, 922_337_203_685_477, 922_337_203_685_478] as [UInt64])
    func `has started later than any moment where its start is beyond all clocks`(_ ticks: UInt64) throws {
        let text = "42 (sh) S 1 2 3" + Self.tail.replacingOccurrences(of: "77777", with: "\(ticks)")
        #expect(try #require(parse(text)).hasStarted(since: 1 << 60))
    }

    @Test func `tells what a stopped process has been sent`() throws {
        let child = try Child(script: "trap : INT; echo ready; while :; do sleep 1000 & wait; done")
        #expect(child.line() == "ready")
        try child.send(.stop)
        _ = try eventually { child.stat?.state == .stopped ? true : nil }
        #expect(ProcessStat.pendingSignals(of: child.pid) == [])
        try child.send(.interrupt)
        let realTime = try #require(Signal("RTMAX"))
        try child.send(realTime)
        #expect(ProcessStat.pendingSignals(of: child.pid) == [.interrupt, realTime])
        #expect(ProcessStat.pendingSignals(of: Int32.max) == [])
    }

    @Test func `survives any bytes`() {
        var random = SplitMix64(seed: 7)
        let alphabet = Array("0123456789 ()SRTZ-\n\u{7f}".utf8) + [0, 0xff]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<80, using: &random)).compactMap { _ in
                alphabet.randomElement(using: &random)
            }
            _ = ProcessStat(parsing: bytes)
        }
    }

    @Test(arguments: [
        ("R", false), ("S", false), ("D", false), ("I", false), ("P", false), ("T", true), ("t", true),
        ("Z", true),
        ("X", true), ("x", true),
    ])
    func `says which states are still`(_ letter: String, _ isStill: Bool) throws {
        #expect(try #require(parse("1 (a) \(letter) 1 2 3" + Self.tail)).state.isStill == isStill)
    }

    @Test func `is that of a real process with a nasty name`() throws {
        try withTemporaryDirectory { directory in
            let name = "a) R 1 (b\nc"
            try FileManager.default.createSymbolicLink(
                atPath: "\(directory)/\(name)", withDestinationPath: "/bin/sleep")
            let child = try Child(
                LaunchRequest(ByteString("\(directory)/\(name)"), ["1000"], environment: .current))
            // It has its name a moment after its memory.
            let stat = try eventually { child.stat.flatMap { $0.command == ByteString(name) ? $0 : nil } }
            #expect(stat.parent == getpid())
            #expect(ProcessIdentity(pid: child.pid) == ProcessIdentity(stat))
            #expect(ProcessStat.tracer(of: child.pid) == nil)
        }
    }

    @Test func `is nil for nobody`() {
        #expect(ProcessStat.read(pid: Int32.max) == nil)
        #expect(ProcessStat.tracer(of: Int32.max) == nil)
        #expect(ProcessIdentity(pid: Int32.max) == nil)
    }
}

@Suite(.timeLimit(.minutes(60))) struct `The process tree` {
    private func process(_ pid: Int32, _ parent: Int32, _ session: Int32 = 1) throws -> ProcessStat {
        let text = "\(pid) (p) S \(parent) 1 \(session) 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 5 0"
        return try #require(ProcessStat(parsing: Array(text.utf8)))
    }

    @Test func `knows children, descendants and sessions`() throws {
        let tree = ProcessTree([
            try process(2, 1), try process(3, 2, 3), try process(4, 2), try process(5, 3, 3),
            try process(6, 1, 3),
        ])
        #expect(Set(tree.children(of: 2)) == [3, 4])
        #expect(tree.descendants(of: 2) == [3, 4, 5])
        #expect(tree.descendants(of: 5) == [])
        #expect(tree.members(ofSession: 3) == [3, 5, 6])
    }

    @Test func `ends even where pids given again close a circle`() throws {
        let tree = ProcessTree([try process(2, 3), try process(3, 2), try process(4, 4)])
        #expect(tree.descendants(of: 2) == [3])
        #expect(tree.descendants(of: 4) == [])
    }

    @Test func `shows real descendants`() throws {
        let child = try Child(script: "sleep 1000 & sh -c 'sleep 1000 & echo ready; wait' & wait")
        #expect(child.line() == "ready")
        _ = try eventually { ProcessTree.snapshot().descendants(of: child.pid).count == 3 ? true : nil }
        let tree = ProcessTree.snapshot()
        #expect(tree.members(ofSession: child.pid) == tree.descendants(of: child.pid).union([child.pid]))
        #expect(Set(ProcessTree.currentChildren(of: child.pid)) == Set(tree.children(of: child.pid)))
        #expect(tree.children(of: getpid()).contains(child.pid))
        #expect(ProcessTree.currentChildren(of: Int32.max) == [])
    }
}

@Suite(.timeLimit(.minutes(60))) struct `A pidfd` {
    @Test func `means its process, and tells when that has ended`() throws {
        let child = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
        let before = child.hasEnded
        #expect(!before)
        #expect(try child.exitInfo() == nil)
        try Pidfd(pid: child.pid).send(.terminate)
        #expect(try child.next() == .killed(by: .terminate, coreDumped: false))
        #expect(child.hasEnded)
        #expect(throws: LinuxError(errno: ESRCH, call: "pidfd_send_signal", subject: "SIGTERM")) {
            try child.send(.terminate)
        }
    }

    @Test(.requires(.exitInfo)) func `tells how it ended after it was reaped`() throws {
        let child = try Child(script: "exit 9")
        _ = try eventually { child.hasEnded ? true : nil }
        #expect(try child.exitInfo() == nil)
        #expect(try child.next() == .exited(code: 9))
        #expect(try child.exitInfo() == .exited(code: 9))
        let other = try Child(LaunchRequest("sleep", ["1000"], environment: .current))
        try other.send(.kill)
        _ = try other.next()
        #expect(try other.exitInfo() == .killed(by: .kill, coreDumped: false))
    }

    @Test func `of nobody fails`() {
        let error = #expect(throws: LinuxError.self) { _ = try Pidfd(pid: Int32.max) }
        #expect(error?.errno == ESRCH)
    }
}

extension Capability {
    /// Linux 6.15: the record of how a process ended stays with its pidfd.
    fileprivate static let exitInfo = Capability("exitInfo") {
        guard let child = try? Child(script: "exit 0"), (try? child.next()) != nil else {
            return "no process"
        }
        return (try? child.exitInfo()) != nil ? nil : "this kernel keeps no exit record in pidfds"
    }
}
