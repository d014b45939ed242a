import Foundation
import TestSupport
import Testing

/// What the callers of verbs are told while the foreground is handed over, and of workers that end where they would sleep.
@Suite(.timeLimit(.minutes(60))) struct `A verb of the daemon` {
    /// A worker that is ready when the file `go` exists.
    private static let slow = """
        [Worker]
        ExecStart=/bin/sh -c 'until test -e DIRECTORY/go; do sleep 0.02; done; systemd-notify --ready; exec sleep 1000'
        Type=notify
        NotifyAccess=all
        [Foreground]
        ForegroundGroup=g
        """
    private static let fast = "[Worker]\nExecStart=/bin/sleep 1000\n[Foreground]\nForegroundGroup=g\n"

    @Test(.requires(.program("/usr/bin/systemd-notify")))
    func `says which worker takes the foreground, and which one holds it while it is launched`() throws {
        let daemon = try DaemonUnderTest(["slow": Self.slow, "fast": Self.fast])
        let launching = try Wrapper(
            [], [], line: [Wrapper.program, "activate", "--socket", daemon.socket, "slow"])
        _ = try eventually("it to be launched") {
            try daemon.list().first { $0.name == "slow" }?.state == "inactive" ? true : nil
        }
        let waiting = try daemon.torpor("activate", "--timeout", "1", "fast")
        let replaced = try DaemonUnderTest.result(of: launching)
        #expect(replaced.status == 75)
        #expect(
            replaced.errors
                == "torpor: slow is inactive, not active: fast took the foreground of its group\n")
        #expect(waiting.status == 75)
        let holder = "slow has the foreground of its group, and leaves it after its launch"
        #expect(
            waiting.errors
                == "torpor: fast is background, not active: timed out; \(holder); it is still moving to active\n"
        )
        #expect(try daemon.torpor("why", "fast").output.contains(": \(holder);"))
        let late = try daemon.torpor("resume", "--timeout", "1", "fast")
        #expect(late.status == 75 && late.errors.contains(holder), "\(late.errors)")
        try "".write(toFile: "\(daemon.directory)/go", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("activate", "fast").status == 0)
        // When a launch is not complete, the message says so.
        try FileManager.default.removeItem(atPath: "\(daemon.directory)/go")
        #expect(try daemon.torpor("kill", "slow").status == 0)
        let again = try daemon.torpor("activate", "--timeout", "1", "slow")
        #expect(
            again.errors.contains(
                "timed out; its launch is not complete yet; it is still moving to active"),
            "\(again.errors)")
    }

    @Test func `succeeds for a worker that ends where it would sleep, also when it has ended already`() throws
    {
        let daemon = try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/bin/sleep 1000\nExitsOnSuspend=yes\n",
            // Its hook has it end by itself before it is asked to.
            "leaver": """
            [Worker]
            ExecStart=/bin/sh -c 'trap "exit 0" USR1; while :; do sleep 0.02; done'
            ExitsOnSuspend=yes
            [Callbacks]
            WillResignActive=exec:/bin/sh -c 'kill -USR1 $$MAINPID; sleep 1000'
            """,
        ])
        for name in ["web", "leaver"] {
            #expect(try daemon.torpor("launch", name).status == 0)
            for _ in 0..<2 {
                let suspended = try daemon.torpor("suspend", name)
                #expect(suspended.status == 0 && suspended.errors.isEmpty, "\(name): \(suspended.errors)")
            }
            #expect(try daemon.list().first { $0.name == name }?.state == "notRunning")
        }
    }
}
