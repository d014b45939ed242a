import Foundation
import Glibc
import TestSupport
import Testing

/// `torpor hold`: an operator's task costs the worker nothing, and says when it is in vain.
@Suite(.timeLimit(.minutes(60))) struct `Holding a worker` {
    private func daemon(_ lines: String = "") throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n\(lines)",
            "witness": DaemonUnderTest.witness,
        ])
        try daemon.process.errors.until("inactive → active")
        return daemon
    }

    private func hold(_ daemon: DaemonUnderTest, _ arguments: String...) throws -> Wrapper {
        try Wrapper([], [], line: [Wrapper.program, "hold", "--socket", daemon.socket] + arguments)
    }

    /// A command that runs until there is a file.
    private func untilThere(_ file: String) -> String {
        "echo begun; while [ ! -e '\(file)' ]; do sleep 0.02; done"
    }

    @Test func `for longer than its background time does not cost its life`() throws {
        let daemon = try daemon("[Background]\nTaskLimitSec=200ms\n")
        let go = "\(daemon.directory)/go"
        let holding = try hold(daemon, "web", "--", "/bin/sh", "-c", untilThere(go))
        #expect(try holding.output.next() == "begun")
        #expect(try daemon.torpor("suspend", "--no-wait", "web").status == 0)
        try daemon.process.errors.until("inactive → background")
        // Five times what the worker may have for tasks of its own.
        try daemon.awaitWitness()
        #expect(try daemon.list().first?.state == "background")
        #expect(try daemon.torpor("why", "web").output.contains("one background task keeps it awake"))
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try holding.wait() == .exited(0))
        try daemon.process.errors.until("background → suspended")
    }

    @Test func `ends with the limit that is given, and the worker lives on`() throws {
        let daemon = try daemon()
        let go = "\(daemon.directory)/go"
        let holding = try hold(daemon, "--limit", "300ms", "web", "--", "/bin/sh", "-c", untilThere(go))
        #expect(try holding.output.next() == "begun")
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try holding.errors.next()?.contains("web is no longer held: the limit has expired") == true)
        #expect(try daemon.list().first?.state == "suspended")
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try holding.wait() == .exited(0))
    }

    @Test func `says at once when the worker ends all the same, and returns so`() throws {
        let daemon = try daemon()
        let go = "\(daemon.directory)/go"
        let holding = try hold(daemon, "web", "--", "/bin/sh", "-c", untilThere(go))
        #expect(try holding.output.next() == "begun")
        kill(try #require(try daemon.list().first?.pid), SIGKILL)
        let line = try #require(try holding.errors.next())
        #expect(line.contains("web is no longer held: it ") && line.contains("signal 9"), "\(line)")
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try holding.wait() == .exited(75))
    }

    @Test func `says at once when the supervisor is gone, and returns so`() throws {
        let daemon = try daemon()
        let go = "\(daemon.directory)/go"
        let holding = try hold(daemon, "web", "--", "/bin/sh", "-c", untilThere(go) + "; exit 3")
        #expect(try holding.output.next() == "begun")
        try daemon.killAndRestart()
        #expect(try holding.errors.next()?.contains("web is no longer held") == true)
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try holding.wait() == .exited(3))
    }

    @Test func `refuses a limit that is none`() throws {
        let daemon = try daemon()
        for limit in ["0", "-1", "soon"] {
            #expect(try hold(daemon, "--limit=\(limit)", "web", "--", "true").wait() == .exited(64))
        }
    }
}
