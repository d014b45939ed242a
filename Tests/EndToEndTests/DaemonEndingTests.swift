import Foundation
import Glibc
import TestSupport
import Testing

/// The end of a daemon that has no holder unit, and of all its workers, while things happen that would wake them.
@Suite(.timeLimit(.minutes(60))) struct `The end of the daemon` {
    /// One that ends at once and is woken by a path, and one that touches this path while it ends, when the other has gone.
    private func daemon() throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest([
            "woken": """
            [Worker]
            ExecStart=/bin/sh -c 'echo $$$$ >> DIRECTORY/woken.pids; exec sleep 1000'
            Launch=boot
            [Background]
            Modes=path
            [Notifications]
            WatchPaths=DIRECTORY/watched
            """,
            "slow": """
            [Worker]
            ExecStart=/bin/bash -c 'end() { read pid < DIRECTORY/woken.pids; while kill -0 $$pid 2>/dev/null; do sleep 0.01; done; touch DIRECTORY/watched; sleep 0.7; rm DIRECTORY/watched; sleep 0.3; exit 0; }; trap end TERM; while :; do sleep 0.05; done'
            Launch=boot
            """,
        ])
        #expect(try daemon.torpor("activate", "woken", "slow").status == 0)
        // A worker is active from its execve(2) on; its first line comes when it has been given a processor.
        try awaitLaunches(1, in: daemon)
        return daemon
    }

    private func awaitLaunches(_ count: Int, in daemon: DaemonUnderTest) throws {
        _ = try eventually("launch \(count)") { daemon.lines(of: "woken.pids").count >= count ? true : nil }
    }

    @Test func `SIGTERM ends it although an event wakes a worker while another is still ending`() throws {
        let daemon = try daemon()
        daemon.process.send(SIGTERM)
        #expect(try daemon.process.wait() == .exited(0))
        #expect(daemon.lines(of: "woken.pids").count == 1, "it was not launched again")
    }

    @Test func `shutdown says 0 when no worker runs, and an operator's launch has the wakes again`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("shutdown").status == 0)
        #expect(daemon.lines(of: "woken.pids").count == 1)
        for name in ["woken", "slow"] { #expect(try daemon.torpor("status", name).status == 3) }
        #expect(try daemon.torpor("launch", "woken").status == 0)
        try awaitLaunches(2, in: daemon)
        #expect(daemon.lines(of: "woken.pids").count == 2)
    }
}
