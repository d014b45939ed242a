import Glibc
import Linux
import TestSupport
import Testing

/// Where no groups can be made workers are known by their pid and its start, and sleep by SIGSTOP.
@Suite(.timeLimit(.minutes(60)), .requires(.ownMounts))
struct `A daemon after a crash where cgroups are read-only` {
    @Test func `finds its workers as they were, and leads them on`() throws {
        let daemon = try DaemonUnderTest(
            ["used": WorkerFiles.sleeper, "asleep": WorkerFiles.sleeper, "over": WorkerFiles.persistent],
            through: NoGroups.starter)
        #expect(try daemon.torpor("doctor").output.contains("read-only"))
        #expect(try daemon.torpor("suspend", "asleep").status == 0)
        let before = try daemon.list()
        for _ in 0..<2 {
            try daemon.killAndRestart()
            let after = try daemon.list()
            #expect(after.map(\.pid) == before.map(\.pid))
            #expect(after.map(\.state) == before.map(\.state))
            #expect(after.allSatisfy { $0.adopted == true })
        }
        let asleep = try #require(before.first { $0.name == "asleep" }?.pid)
        try awaitState("T", of: asleep)
        #expect(try daemon.torpor("activate", "asleep").status == 0)
        try awaitState("S", of: asleep)
        let used = try #require(before.first { $0.name == "used" }?.pid)
        #expect(try daemon.torpor("suspend", "used").status == 0)
        try awaitState("T", of: used)
        #expect(try daemon.list().first { $0.name == "used" }?.held == false)
        #expect(try daemon.torpor("terminate", "used").status == 0)
        let over = try #require(before.first { $0.name == "over" }?.pid)
        kill(over, SIGKILL)
        _ = try eventually("it is started again") {
            try daemon.list().first { $0.name == "over" && $0.pid != over && $0.state == "active" }
        }
    }

    @Test(arguments: [true, false])
    func `sees whom somebody has stopped or continued when it is asked`(_ hasGroups: Bool) throws {
        let daemon = try DaemonUnderTest(
            ["web": WorkerFiles.sleeper], through: hasGroups ? [] : NoGroups.starter)
        try daemon.killAndRestart()
        let pid = try #require(try daemon.list().first?.pid)
        // The kernel tells only the parent: this daemon looks when it is asked.
        kill(pid, SIGSTOP)
        let stopped = try eventually("it is seen to be stopped") {
            try daemon.list().first { $0.state == "suspended" }
        }
        #expect(stopped.held)
        kill(pid, SIGCONT)
        let continued = try eventually("it is seen to run") {
            try daemon.list().first { $0.state == "active" }
        }
        #expect(!continued.held)
        // Before it decides on a request, too.
        kill(pid, SIGSTOP)
        try awaitState("T", of: pid)
        #expect(try daemon.torpor("resume", "web").status == 0)
        try awaitState("S", of: pid)
        for verb in ["suspend", "activate", "terminate"] {
            let done = try daemon.torpor(verb, "web")
            #expect(done.status == 0, "\(verb): \(done.errors)")
        }
    }

    @Test(.requires(.root), .requires(.program("/usr/bin/python3")))
    func `takes nobody for its worker who has only its number`() throws {
        let daemon = try DaemonUnderTest(
            ["web": WorkerFiles.sleeper + "Restart=on-failure\nRestartSec=1h\n"], through: NoGroups.starter)
        let pid = try #require(try daemon.list().first?.pid)
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        kill(pid, SIGKILL)
        _ = try eventually("it is gone") { state(of: pid) == nil ? true : nil }
        let stranger = try Wrapper([], [], line: ["/usr/bin/python3", "-IS", "-c", Self.successor, "\(pid)"])
        guard try stranger.output.next() == "there" else {
            print("skipped: its number could not be given to somebody else")
            return
        }
        try daemon.killAndRestart()
        let listed = try #require(try daemon.list().first)
        #expect(listed.pid == nil && listed.state == "notRunning", "\(listed)")
        #expect(try daemon.torpor("kill", "web").status == 0)
        try awaitState("S", of: pid)
    }

    /// Has a child with the pid that it is given (clone3(2), `set_tid`).
    private static let successor = """
        import ctypes, os, signal, struct, sys, time
        wanted = (ctypes.c_int32 * 1)(int(sys.argv[1]))
        args = struct.pack("11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1, 0)
        libc = ctypes.CDLL(None, use_errno=True)
        pid = libc.syscall(435, ctypes.create_string_buffer(args, len(args)), len(args))
        if pid == 0:
            while True: time.sleep(1000)
        print("there" if pid > 0 else os.strerror(ctypes.get_errno()), flush=True)
        time.sleep(1000)
        """
}

/// A place where no groups can be made.
enum NoGroups {
    /// What is put in front of a command line: cgroups are there, and read-only, as in many a container.
    static let starter = [
        "/usr/bin/unshare", "-m", "/bin/sh", "-c",
        "for place in /sys/fs/cgroup/unified /sys/fs/cgroup; do mountpoint -q $place && mount -o remount,bind,ro $place; done; exec \"$@\"",
        "sh",
    ]
}
