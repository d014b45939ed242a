import Foundation
import Glibc
import TestSupport
import Testing

/// Workers that cannot say that they are done: they are not put to sleep before they are (1.3).
@Suite(.long, .timeLimit(.minutes(60))) struct `A worker that cannot say that it is done` {
    /// Takes 50 ms over a signal or a line on its standard input, then writes a line; the same on SIGTERM, and ends.
    private static let program = """
        import os, signal, sys, time
        def save(word):
            time.sleep(0.05)
            with open("DIRECTORY/log", "a") as log: log.write(word + "\\n")
        def end(*_):
            save("ended")
            os._exit(0)
        signal.signal(signal.SIGUSR1, lambda *_: save("saved"))
        signal.signal(signal.SIGTERM, end)
        print("ready", flush=True)
        open("DIRECTORY/up", "w").close()
        while True:
            try:
                line = sys.stdin.readline()
                if not line: signal.pause()
                save(line.strip())
            except InterruptedError: pass
        """

    private func daemon(_ hook: String, _ lines: String = "") throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest([
            "late": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/late.py
            \(lines)
            [Callbacks]
            DidEnterBackground=\(hook)
            """
        ])
        try Self.program.replacingOccurrences(of: "DIRECTORY", with: daemon.directory).write(
            toFile: "\(daemon.directory)/late.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "late").status == 0)
        _ = try eventually("it to be up") { access("\(daemon.directory)/up", F_OK) == 0 ? true : nil }
        return daemon
    }

    @Test(.requires(.program("/usr/bin/python3")), arguments: ["signal:USR1", "stdin:saved"])
    func `has handled its hook before it sleeps, every time`(_ hook: String) throws {
        let daemon = try daemon(hook)
        for round in 1...5 {
            #expect(try daemon.torpor("suspend", "late").status == 0)
            #expect(daemon.lines(of: "log").count == round)
            #expect(try daemon.torpor("activate", "late").status == 0)
        }
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `is woken to be stopped, since its hook proves nothing`() throws {
        let daemon = try daemon("signal:USR1")
        #expect(try daemon.torpor("suspend", "late").status == 0)
        #expect(try daemon.torpor("terminate", "late").status == 0)
        #expect(daemon.lines(of: "log") == ["saved", "ended"])
        #expect(try daemon.torpor("report", "late").output.contains("Cause: stopped"))
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `sleeps at once where it says so`() throws {
        let daemon = try daemon("signal:USR1", "[Background]\nQuietSec=0")
        #expect(try daemon.torpor("suspend", "late").status == 0)
        #expect(try daemon.torpor("activate", "late").status == 0)
        _ = try eventually("it to have saved") { daemon.lines(of: "log") == ["saved"] ? true : nil }
    }

    /// Works for more than a second, writes a line and ends.
    private static let job = """
        [Worker]
        ExecStart=/bin/sh -c 'n=0; while [ $$n -lt 1500000 ]; do n=$$((n+1)); done; echo done >> DIRECTORY/log'

        """

    private func expectJobRan(_ daemon: DaemonUnderTest) throws {
        var told: [String] = []
        while let line = try daemon.process.errors.next() {
            told.append(line)
            if line.contains("ended: ") { break }
        }
        #expect(!told.contains { $0.contains("suspended") }, "\(told)")
        #expect(daemon.lines(of: "log") == ["done"])
    }

    @Test func `runs its job to the end when a path launches it`() throws {
        let daemon = try DaemonUnderTest([
            "job": Self.job + "[Background]\nModes=path\n[Notifications]\nWatchPaths=DIRECTORY/in\n"
        ])
        // A daemon that serves watches its paths.
        #expect(try daemon.list().first?.state == "notRunning")
        try "something".write(toFile: "\(daemon.directory)/in", atomically: true, encoding: .utf8)
        try expectJobRan(daemon)
    }

    @Test func `runs its job to the end when it was launched ahead of its use`() throws {
        let daemon = try DaemonUnderTest([
            "job": Self.job.replacingOccurrences(of: "[Worker]\n", with: "[Worker]\nLaunch=prelaunch\n")
        ])
        try expectJobRan(daemon)
    }

    @Test func `says so when it is asked why it is awake`() throws {
        let daemon = try DaemonUnderTest([
            "busy": """
            [Worker]
            ExecStart=/bin/sh -c 'while :; do :; done'
            Nice=5
            Launch=prelaunch
            """
        ])
        try daemon.process.errors.until("notRunning → background")
        let why = try eventually("it to be looked at") {
            let why = try daemon.torpor("why", "busy").output
            return why.contains("quiet") ? why : nil
        }
        #expect(why.contains("it cannot report that it is done, and has not been quiet for long enough"))
    }
}
