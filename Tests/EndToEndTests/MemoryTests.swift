import Cgroups
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Memory, of real workers under a real daemon, as far as the build machine allows it.
@Suite(.long, .timeLimit(.minutes(60))) struct `A worker's memory` {
    /// Moves itself into a group of cgroup v1 with a limit, and says which; the group is its test's to remove.
    private static let limited = """
        import os, sys
        group = sys.argv[1]
        os.makedirs(group)
        open(group + "/memory.limit_in_bytes", "w").write(str(24 << 20))
        open(group + "/cgroup.procs", "w").write(str(os.getpid()))
        """

    /// Follows systemd's memory-pressure protocol as it is written (https://systemd.io/MEMORY_PRESSURE), and makes pressure.
    private static let follower =
        limited + """

            import base64, select, threading
            path = os.environ["MEMORY_PRESSURE_WATCH"]
            write = base64.b64decode(os.environ["MEMORY_PRESSURE_WRITE"])
            end = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            os.write(end, write)
            poll = select.poll()
            poll.register(end, select.POLLPRI)
            out = open(sys.argv[2] + "/told", "a", buffering=1)
            print(write.decode().rstrip("\\0"), file=out)
            def squeeze():
                with open(sys.argv[2] + "/file", "wb") as f:
                    for _ in range(96): f.write(b"x" * (1 << 20))
                    f.flush(); os.fsync(f.fileno())
                while True:
                    with open(sys.argv[2] + "/file", "rb", buffering=0) as f:
                        while f.read(1 << 20): pass
            threading.Thread(target=squeeze, daemon=True).start()
            for _ in range(2):
                poll.poll()
                print("pressed", file=out)
            print("done", file=out)
            threading.Event().wait()
            """

    private func withLegacyGroup(_ body: (String) throws -> Void) throws {
        let group = "\(try #require(LegacyMemory.mountPoint()))/torpor-test-\(UUID().uuidString)"
        // Its page cache may be charged to it a moment longer.
        defer { for _ in 0..<1000 where rmdir(group) != 0 && errno == EBUSY { usleep(1000) } }
        try body(group)
    }

    private func wait(_ isSo: () throws -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !isSo() {
            guard Date.now < deadline else { throw TimedOut(description: "it has not come about") }
            usleep(5000)
        }
    }

    private func told(_ daemon: DaemonUnderTest) -> [String] {
        let text = (try? String(contentsOfFile: "\(daemon.directory)/told", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func script(_ text: String, in daemon: DaemonUnderTest) throws {
        try text.write(toFile: "\(daemon.directory)/worker.py", atomically: true, encoding: .utf8)
    }

    @Test(.requires(.realPressure)) func `is told by the kernel, by systemd's protocol, as its file says`()
        throws
    {
        try withLegacyGroup { group in
            let daemon = try DaemonUnderTest([
                "web": """
                [Worker]
                ExecStart=/usr/bin/python3 DIRECTORY/worker.py \(group) DIRECTORY
                [Memory]
                MemoryPressureThresholdSec=60ms
                """
            ])
            try script(Self.follower, in: daemon)
            #expect(try daemon.torpor("launch", "web").status == 0)
            try wait { told(daemon).count == 4 }
            #expect(told(daemon) == ["some 60000 2000000", "pressed", "pressed", "done"])
            #expect(try daemon.torpor("kill", "web").status == 0)
        }
    }

    @Test func `is told what its file says of the protocol, whatever the place`() throws {
        let worker = { (word: String) in
            """
            [Worker]
            ExecStart=/bin/sh -c 'echo "$$MEMORY_PRESSURE_WATCH $$MEMORY_PRESSURE_WRITE" > DIRECTORY/\(word); exec sleep 1000'
            [Memory]
            MemoryPressureWatch=\(word)
            """
        }
        let words = ["off", "skip", "on"]
        let daemon = try DaemonUnderTest(Dictionary(uniqueKeysWithValues: words.map { ($0, worker($0)) }))
        for word in words { #expect(try daemon.torpor("launch", word).status == 0) }
        func told(_ word: String) -> String? {
            let text = try? String(contentsOfFile: "\(daemon.directory)/\(word)", encoding: .utf8)
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
        try wait { words.allSatisfy { told($0) != nil } }
        #expect(told("off") == "/dev/null \n")
        #expect(told("skip") == " \n")
        let path = try #require(told("on")?.split(separator: " ").first)
        #expect(path.hasPrefix("/") && access(String(path), R_OK | W_OK) == 0, "\(path)")
    }

    @Test(.requires(.realPressure))
    func `ended by the kernel's OOM killer is recorded as that, and by anybody else not`()
        throws
    {
        try withLegacyGroup { group in
            let daemon = try DaemonUnderTest([
                "hog": "[Worker]\nExecStart=/usr/bin/python3 DIRECTORY/worker.py \(group)\n",
                "other": "[Worker]\nExecStart=/bin/sleep 1000\n",
            ])
            try script(Self.limited + "\nimport time; time.sleep(1); x = b'x' * (64 << 20)\n", in: daemon)
            #expect(try daemon.torpor("launch", "hog").status == 0)
            try wait { try daemon.torpor("report", "hog").output.contains("kernel-oom") }
            #expect(try daemon.torpor("launch", "other").status == 0)
            let status = try daemon.torpor("status", "other", "--json=short").output
            let pid = try #require(status.firstMatch(of: /"pid":\s*(\d+)/).flatMap { Int32($0.1) })
            kill(pid, SIGKILL)
            try wait { try daemon.torpor("report", "other").status == 0 }
            let report = try daemon.torpor("report", "other").output
            #expect(!report.contains("kernel-oom"), "\(report)")
        }
    }

    @Test(.requires(.root)) func `is given back while it sleeps, and the sum of it is told`() throws {
        let daemon = try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/usr/bin/python3 DIRECTORY/worker.py DIRECTORY\nType=notify\n"
        ])
        let mapping = """
            \(MappedFile.python)
            import socket, time
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
            time.sleep(1000)
            """
        try script(mapping, in: daemon)
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        try wait { try daemon.torpor("list").output.contains("1 asleep, ") }
        #expect(try daemon.torpor("list").output.contains("reclaimed"))
        #expect(try daemon.torpor("status", "web").output.contains("reclaimed: "))
        #expect(try daemon.torpor("resume", "web").status == 0)
        #expect(try !daemon.torpor("list").output.contains("reclaimed"))
        #expect(try daemon.torpor("status").output.contains("Memory: "))
    }
}
