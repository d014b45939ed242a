import Cgroups
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Real pressure on real workers: which are evicted, which stay, which come back (2.3).
@Suite(.long, .timeLimit(.minutes(60))) struct `Memory pressure` {
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

    private func configure(_ daemon: DaemonUnderTest, _ lines: String) throws {
        try ("[Memory]\n" + lines).write(
            toFile: "\(daemon.directory)/conf/torpord.conf", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("reload").status == 0)
    }

    /// For how long all of a worker have waited for memory, in microseconds.
    private func stall(of worker: String, _ daemon: DaemonUnderTest) throws -> Int64 {
        let status = try daemon.torpor("status", worker).output
        let pid = try #require(status.firstMatch(of: /Main PID: (\d+)/).flatMap { Int32($0.1) })
        let groups = try String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
        let path = try #require(groups.firstMatch(of: /(?m)^0::(.*)$/)).1
        guard case .cgroup(let tree) = FreezeMethod.detect() else { return 0 }
        let text = try String(contentsOfFile: "\(tree.base.path)\(path)/memory.pressure", encoding: .utf8)
        return text.firstMatch(of: /full .*total=(\d+)/).flatMap { Int64($0.1) } ?? 0
    }

    private func wait(_ isSo: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 120)
        while try !isSo() {
            guard Date.now < deadline else { throw TimedOut(description: "it has not come about") }
            usleep(50_000)
        }
    }

    /// What a worker's hook has written: the level and what may still be taken, one telling a line.
    private func told(_ daemon: DaemonUnderTest) -> [(level: Substring, available: Int64)] {
        let text = (try? String(contentsOfFile: "\(daemon.directory)/told", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            return words.count == 2 ? Int64(words[1]).map { (words[0], $0) } : nil
        }
    }

    private static let telling = """
        [Callbacks]
        DidReceiveMemoryWarning=exec:/bin/sh -c 'echo "$$TORPOR_MEMORY_LEVEL $$TORPOR_MEMORY_AVAILABLE" >> DIRECTORY/told'
        """

    @Test func `tells how short it is and that it is over, and ends who has slept longest when it lasts`()
        throws
    {
        let daemon = try DaemonUnderTest([
            "told": Self.holder("no") + "\nMemoryMax=4G\n" + Self.telling,
            "early": Self.holder("silent"), "late": Self.holder("silent"), "kept": Self.holder("no"),
        ])
        for name in ["kept", "early", "late"] {
            #expect(try daemon.torpor("launch", name).status == 0)
            #expect(try daemon.torpor("suspend", name).status == 0)
        }
        #expect(try daemon.torpor("launch", "told").status == 0)
        // The machine is short by what its settings say, for as long as they say so.
        try configure(daemon, "CriticalAvailable=1%\nWarningAvailable=99%\nWarningMaxSec=12s\n")
        try wait { !told(daemon).isEmpty }
        let first = try #require(told(daemon).first)
        #expect(first.level == "warning" && first.available > 0 && first.available < 4 << 30)
        #expect(try daemon.torpor("status", "early").output.contains("State: suspended"))
        try wait {
            try daemon.torpor("status", "early").status == 3 && daemon.torpor("status", "late").status == 3
        }
        #expect(try daemon.torpor("status", "kept").output.contains("State: suspended"))
        #expect(try daemon.torpor("status", "told").output.contains("State: active"))
        #expect(try daemon.torpor("status", "early").output.contains("notRunning (evicted)"))
        let history = try daemon.torpor("history").output
        let lines = history.split(separator: "\n").filter {
            $0.contains("memory has been short for too long")
        }
        #expect(lines.count == 2, "\(history)")
        #expect(lines.map { $0.contains("early") } == lines.map { !$0.contains("late") }, "\(lines)")
        try configure(daemon, "")
        try wait { told(daemon).last?.level == "normal" }
        #expect(told(daemon).filter { $0.level == "normal" }.count == 1)
        for name in ["told", "kept"] { #expect(try daemon.torpor("kill", name).status == 0) }
    }

    @Test(.requires(.noMemoryController))
    func `of a worker at 80 % of its limit is told, and that it is over, where nobody else sees to it`()
        throws
    {
        let script = """
            import os, time
            held = [os.urandom(1 << 20) for _ in range(78)]
            while not os.path.exists("DIRECTORY/drop"): time.sleep(0.05)
            held = None
            time.sleep(1000)
            """
        let daemon = try DaemonUnderTest([
            "grown": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/grow.py
            [Memory]
            MemoryMax=100M
            \(Self.telling)
            """
        ])
        try script.replacing("DIRECTORY", with: daemon.directory).write(
            toFile: "\(daemon.directory)/grow.py", atomically: true, encoding: .utf8)
        // Whatever the machine has.
        try configure(daemon, "CriticalAvailable=0.5%\nWarningAvailable=0.5%\n")
        #expect(try daemon.torpor("launch", "grown").status == 0)
        try wait { !told(daemon).isEmpty }
        let first = try #require(told(daemon).first)
        #expect(first.level == "warning" && first.available <= 20 << 20, "\(first)")
        try "".write(toFile: "\(daemon.directory)/drop", atomically: true, encoding: .utf8)
        try wait { told(daemon).last?.level == "normal" }
        #expect(told(daemon).map(\.level) == ["warning", "normal"])
        #expect(try daemon.torpor("status", "grown").output.contains("State: active"))
        #expect(try daemon.torpor("kill", "grown").status == 0)
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
        // Only now: under the pressure of other tests a sleeper could be evicted before the caller heard that it sleeps.
        try configure(daemon, "CriticalPressure=1%\nWarningPressure=1%\n")
        #expect(try daemon.torpor("launch", "press").status == 0)
        // It stalls on its own limit, and the machine has memory: that is its own matter.
        let stalled = try stall(of: "press", daemon)
        // On a fast disk it stalls hardly more than 1 % of the time, and this takes half a minute.
        try wait { try stall(of: "press", daemon) > stalled + 400_000 }
        for name in ["a", "b", "kept", "press"] { #expect(try daemon.torpor("status", name).status == 0) }
        let calm = try daemon.torpor("status").output
        #expect(calm.contains("Memory: normal"), "\(calm)")
        #expect(try !daemon.torpor("history").output.contains("memory: "))
        // Now the machine itself is short, by what its settings say.
        try configure(daemon, "CriticalAvailable=99%\nWarningAvailable=99%\n")
        // 3: it does not run any more.
        try wait { try daemon.torpor("status", "a").status == 3 && daemon.torpor("status", "b").status == 3 }
        #expect(try daemon.torpor("status", "kept").output.contains("State: suspended"))
        #expect(try daemon.torpor("status", "press").output.contains("State: active"))
        #expect(try daemon.torpor("status", "a").output.contains("notRunning (evicted)"))
        let history = try daemon.torpor("history", "a").output
        #expect(history.contains("its eviction freed"), "\(history)")
        let report = try daemon.torpor("report", "a").output
        #expect(
            report.contains("evicted (memory was short)") && report.contains(" freed by its end"), "\(report)"
        )
        let status = try daemon.torpor("status").output
        #expect(status.contains("by ending 2 workers"), "\(status)")
        print(history.split(separator: "\n").filter { $0.contains("brought") }.joined(separator: "\n"))
        print(status)
        #expect(try daemon.torpor("kill", "press").status == 0)
        // A worker that is wanted again comes back, and knows why.
        #expect(try daemon.torpor("activate", "a").status == 0)
        #expect(try daemon.torpor("status", "a").output.contains("Launched for: operator, restored"))
    }
}
