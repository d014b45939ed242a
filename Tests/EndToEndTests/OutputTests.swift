import Foundation
import TestSupport
import Testing

/// What workers print where there is no journal, or where they are to inherit the daemon's own output.
@Suite(.timeLimit(.minutes(60))) struct `Output of workers in the log` {
    /// It prints the names of its own output, lines that it should not, and one whenever it gets SIGUSR1.
    private let talker = """
        [Worker]
        ExecStart=/bin/sh -c 'trap "echo again" USR1; echo $$$$; readlink /proc/$$$$/fd/1 /proc/$$$$/fd/2; \
          printf "\\033[2Jesc\\nuid 0 pid 1: forged\\nerr\\n" >&2; while :; do sleep 0.1; done'
        StandardOutput=inherit
        """

    /// The next line of the daemon that a worker has printed: the pid in its mark, and what follows that.
    private func next(_ daemon: DaemonUnderTest) throws -> (pid: Int32, text: String) {
        while let line = try daemon.process.errors.next() {
            guard let match = line.wholeMatch(of: /talker\[(\d+)\]: (.*)/), let pid = Int32(match.1) else {
                continue
            }
            return (pid, String(match.2))
        }
        throw TimedOut(description: "the daemon has ended")
    }

    @Test func `lines are marked and escaped, and the worker has a pipe and not the log`() throws {
        let daemon = try DaemonUnderTest(["talker": talker])
        #expect(try daemon.torpor("launch", "talker").status == 0)
        let (pid, said) = try next(daemon)
        #expect(said == "\(pid)")
        let pipe = "\(daemon.directory)/run/worker-talker.output"
        let told = try (0..<5).map { _ in try next(daemon).text }
        #expect(told == [pipe, pipe, "\\x1b[2Jesc", "uid 0 pid 1: forged", "err"])
        // One descriptor of the daemon's for both, of the worker's alone.
        let own = "/proc/\(daemon.process.pid)/fd"
        let open = try FileManager.default.contentsOfDirectory(atPath: own).filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(own)/\($0)")) == pipe
        }
        #expect(open.count == 1)
        // The next daemon goes on reading, whether it comes after a crash or in the same process.
        try daemon.killAndRestart()
        kill(pid, SIGUSR1)
        #expect(try next(daemon) == (pid, "again"))
        #expect(try daemon.torpor("reexec").status == 0)
        kill(pid, SIGUSR1)
        #expect(try next(daemon) == (pid, "again"))
        #expect(try daemon.torpor("terminate", "talker").status == 0)
        #expect(!FileManager.default.fileExists(atPath: pipe))
    }

    @Test func `the last words of a worker come before its end, with and without a newline`() throws {
        let daemon = try DaemonUnderTest([
            "talker":
                "[Worker]\nExecStart=/bin/sh -c 'printf \"first\\nlast words\"; exit 3'\nStandardOutput=inherit\n"
        ])
        _ = try daemon.torpor("launch", "talker")
        var told: [String] = []
        while let line = try daemon.process.errors.next() {
            if line.contains("talker") { told.append(line) }
            if line.hasPrefix("talker: ended") || line.contains("exit status 3") { break }
        }
        let words = told.compactMap { $0.firstMatch(of: /^talker\[\d+\]: (.*)$/).map { String($0.1) } }
        #expect(words == ["first", "last words"])
    }

    @Test func `a worker that prints without end is left out of, and the daemon answers`() throws {
        let daemon = try DaemonUnderTest([
            "talker": "[Worker]\nExecStart=/usr/bin/yes\nStandardOutput=inherit\n"
        ])
        #expect(try daemon.torpor("launch", "talker").status == 0)
        var lines = 0
        while let line = try daemon.process.errors.next(), !line.contains("lines dropped") {
            if line.hasSuffix("]: y") { lines += 1 }
        }
        #expect(lines >= 10_000 && lines < 20_000)
        let asked = Date()
        #expect(try daemon.torpor("list").status == 0)
        #expect(Date().timeIntervalSince(asked) < 10)
        #expect(try daemon.torpor("kill", "talker").status == 0)
    }
}
