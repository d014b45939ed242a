import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Real pressure on real workers: who goes, who stays, who comes back (2.3).
@Suite(.timeLimit(.minutes(15))) struct `Memory pressure` {
    /// Moves itself into a group of cgroup v1 with a limit, and reads a file that is bigger, again and again: its page cache is
    /// charged to it, and our v2 group stalls.
    private static let presser = """
        import os, sys
        group, place = sys.argv[1:]
        os.makedirs(group)
        open(group + "/memory.limit_in_bytes", "w").write(str(24 << 20))
        open(group + "/cgroup.procs", "w").write(str(os.getpid()))
        with open(place + "/file", "wb") as f:
            for _ in range(96): f.write(b"x" * (1 << 20))
            f.flush(); os.fsync(f.fileno())
        while True:
            with open(place + "/file", "rb", buffering=0) as f:
                while f.read(1 << 20): pass
        """

    /// A worker that holds some 30 MB.
    private static func holder(_ evictable: String) -> String {
        """
        [Worker]
        ExecStart=/usr/bin/python3 -c "held = b'x' * (24 << 20); import time; time.sleep(1000)"
        [Memory]
        Evictable=\(evictable)
        """
    }

    private func wait(_ isSo: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 120)
        while try !isSo() {
            guard Date.now < deadline else { throw TimedOut(description: "it has not come about") }
            usleep(50_000)
        }
    }

    @Test(.requires(.realPressure)) func `sheds those that sleep, one after the other, and brings them back`()
        throws
    {
        let group = "\(try #require(LegacyMemory.mountPoint()))/torpor-test-\(UUID().uuidString)"
        // Its page cache may be charged to it a moment longer.
        defer { for _ in 0..<1000 where rmdir(group) != 0 && errno == EBUSY { usleep(1000) } }
        let daemon = try DaemonUnderTest([
            "a": Self.holder("silent"), "b": Self.holder("silent"), "kept": Self.holder("no"),
            "press": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/press.py \(group) DIRECTORY
            [Memory]
            Evictable=no
            """,
        ])
        try Self.presser.write(toFile: "\(daemon.directory)/press.py", atomically: true, encoding: .utf8)
        for name in ["a", "b", "kept"] {
            #expect(try daemon.torpor("launch", name).status == 0)
            #expect(try daemon.torpor("suspend", name).status == 0)
        }
        // Only now: while others press, a sleeper could go before anybody heard that it sleeps.
        try "[Memory]\nCriticalPressure=1%\nWarningPressure=1%\n".write(
            toFile: "\(daemon.directory)/conf/torpord.conf", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("launch", "press").status == 0)
        // 3: it does not run any more.
        try wait { try daemon.torpor("status", "a").status == 3 && daemon.torpor("status", "b").status == 3 }
        #expect(try daemon.torpor("status", "kept").output.contains("State: suspended"))
        #expect(try daemon.torpor("status", "press").output.contains("State: active"))
        #expect(try daemon.torpor("status", "a").output.contains("notRunning (evicted)"))
        let history = try daemon.torpor("history", "a").output
        #expect(history.contains("its end brought"), "\(history)")
        let report = try daemon.torpor("report", "a").output
        #expect(report.contains("evicted (memory was short)") && report.contains(" by its end"), "\(report)")
        let status = try daemon.torpor("status").output
        #expect(status.contains("by ending 2 workers"), "\(status)")
        print(history.split(separator: "\n").filter { $0.contains("brought") }.joined(separator: "\n"))
        print(status)
        #expect(try daemon.torpor("kill", "press").status == 0)
        // Whoever is wanted again comes back, and knows why.
        #expect(try daemon.torpor("activate", "a").status == 0)
        #expect(try daemon.torpor("status", "a").output.contains("Launched for: restore"))
    }
}
