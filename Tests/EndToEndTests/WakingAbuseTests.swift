import Foundation
import Glibc
import TestSupport
import Testing

/// Sleepers and clients that behave as badly as they can.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3")))
struct `A sleeper is watched without harm` {
    /// Answers each connection, and counts datagrams; says its port.
    private static let server = """
        import selectors, socket
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(4096)
        u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(l.getsockname())
        print(l.getsockname()[1], flush=True)
        s = selectors.PollSelector(); s.register(l, selectors.EVENT_READ); s.register(u, selectors.EVENT_READ)
        while True:
            for key, _ in s.select():
                if key.fileobj is l: s.register(l.accept()[0], selectors.EVENT_READ)
                elif key.fileobj is u: u.recv(100)
                else:
                    try: data = key.fileobj.recv(100)
                    except OSError: data = b''
                    if data: key.fileobj.sendall(data)
                    else: s.unregister(key.fileobj); key.fileobj.close()
        """

    @Test func `while a storm of connections comes, before, in and after each freeze`() throws {
        let server = try Wrapper(["-v"], ["python3", "-c", Self.server])
        let socket = try server.controlSocket()
        let port = try #require(try server.output.next())
        let storm = try Wrapper(
            [], [],
            line: [
                "python3", "-c",
                """
                import signal, socket, sys, threading
                at = ('127.0.0.1', int(sys.argv[1])); failed = []; over = threading.Event()
                signal.signal(signal.SIGUSR1, lambda *_: over.set())
                print('begun', flush=True)
                def work():
                    while not over.is_set() and not failed:
                        try:
                            with socket.create_connection(at, 30) as s:
                                s.settimeout(30); s.sendall(b'x'); assert s.recv(1) == b'x'
                        except Exception as e: failed.append(repr(e))
                all = [threading.Thread(target=work) for _ in range(4)]
                for t in all: t.start()
                for t in all: t.join()
                print('failed', len(failed), failed[:3], flush=True)
                """, port,
            ])
        #expect(try storm.output.next() == "begun")
        for _ in 0..<20 { _ = try Wrapper.start("suspend", at: socket).wait() }
        kill(storm.pid, SIGUSR1)
        #expect(try storm.output.next() == "failed 0 []")
    }

    /// Says when it has been asked; it answers at once until a file is there, then when that has gone.
    private static let slow = """
        import os, socket, sys, time
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(10)
        print(l.getsockname()[1], flush=True)
        while True:
            c, _ = l.accept()
            while data := c.recv(100):
                print("asked", flush=True)
                while os.path.exists(sys.argv[1]): time.sleep(0.01)
                c.sendall(data)
        """

    @Test func `in the middle of a request, and why says that an answer is owed`() throws {
        let busy = "/tmp/torpor-test-busy-\(UUID().uuidString.prefix(8))"
        defer { unlink(busy) }
        let server = try Wrapper(["-v"], ["python3", "-c", Self.slow, busy])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let client = try Client(port: port)
        #expect(try client.ask("a") == "a")
        #expect(try server.output.next() == "asked")
        #expect(FileManager.default.createFile(atPath: busy, contents: nil))
        // The kernel's ages tell a request from the answer before it when they are 8 ms apart.
        usleep(100_000)
        try client.send("b")
        #expect(try server.output.next() == "asked")
        try server.suspend(at: socket)
        try eventually("the debt to be known") {
            let why = try explanation(at: socket)
            return why.contains("1 answer owed to 127.0.0.1:") ? () : nil
        }
        #expect(!client.isReadable)
        unlink(busy)
        #expect(try Wrapper.start("activate", at: socket).wait() == .exited(0))
        #expect(try client.receive() == "b")
        let why = try explanation(at: socket)
        #expect(!why.contains("owed"), "\(why)")
    }

    @Test func `while datagrams flood it that are not to wake it`() throws {
        let server = try Wrapper(
            ["-v", "--wake-on", "connection,data"], ["python3", "-c", Self.server])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let kept = try Client(port: port)
        #expect(try kept.ask("a") == "a")
        try server.suspend(at: socket)
        let before = try cpu(of: server.pid)
        let flood = try Wrapper(
            [], [],
            line: [
                "python3", "-c",
                """
                import socket, sys
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', int(sys.argv[1])))
                for n in range(100000): s.send(b'x' * 100)
                print('sent', flush=True)
                """, "\(port)",
            ])
        #expect(try flood.output.next() == "sent")
        #expect(try cpu(of: server.pid) - before < 50, "hundredths of a second for 100000 datagrams")
        #expect(try !server.errors.arrived().contains("woken"))
        #expect(try kept.ask("b") == "b")
        try server.errors.until("woken by data from 127.0.0.1:")
    }

    /// User and system time of a process, in hundredths of a second (proc_pid_stat(5)).
    private func cpu(of process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    /// Shares its descriptors with a process outside of its cgroup, which swaps them all the time.
    private static let swapper = """
        import ctypes, os, select, signal, socket, sys, time
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(100)
        print(l.getsockname()[1], flush=True)
        libc = ctypes.CDLL(None, use_errno=True)
        CLONE_FILES, number = 0x400, 56 if os.uname().machine == 'x86_64' else 220
        pid = libc.syscall(number, CLONE_FILES | signal.SIGCHLD, 0, 0, 0, 0)
        if pid == 0:
            group = sys.argv[1]
            open(group + '/cgroup.procs', 'w').write(str(os.getpid()))
            r, w = os.pipe(); e = select.epoll().fileno(); a, b = socket.socketpair()
            kinds = [os.dup(r), os.dup(a.fileno()), os.dup(l.fileno()), os.open('/dev/null', os.O_RDONLY), os.dup(e)]
            print(os.getpid(), flush=True)
            n = 0
            while True:
                n += 1
                os.dup2(kinds[n % len(kinds)], 100 + n % 7)
                if n % 11 == 0: os.close(100 + n % 7)
        while True:
            c, _ = l.accept(); c.sendall(c.recv(100)); c.close()
        """

    @Test(.requires(.root), .requires(.cgroupV2Writable))
    func `while a process that shares its descriptors swaps them`() throws {
        let base = try #require(Places.base)
        let server = try Wrapper(["-v"], ["python3", "-c", Self.swapper, base])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let helper = try #require(Int32(server.output.next() ?? ""))
        defer { kill(helper, SIGKILL) }
        // With the first it opens what it needs for all.
        var counts: [Int] = []
        for _ in 0..<30 {
            try server.suspend(at: socket)
            #expect(try Client(port: port).ask("x") == "x")
            try server.errors.until("woken by")
            counts.append(try descriptors(of: server.pid))
        }
        // The call that suspends it has a connection, which may still be open.
        #expect(counts[29] <= counts[0] + 2, "\(counts)")
    }

    /// What why says of the one worker.
    private func explanation(at socket: String) throws -> String {
        let why = try Wrapper.start("why", at: socket)
        return try withExtendedLifetime(why) { try why.output.rest().joined(separator: "\n") }
    }

    private func descriptors(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    @Test func `where the supervisor has no descriptor free: it is sampled, and wakes`() throws {
        let server = try Wrapper(
            ["-v"], ["python3", "-c", Self.server], through: ["prlimit", "--nofile=48:48"])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let clients = try (0..<38).map { _ in try Client(port: port) }
        defer { withExtendedLifetime(clients) {} }
        for client in clients { #expect(try client.ask("x") == "x") }
        for client in [clients[0], clients[37]] {
            let line = try server.suspend(at: socket)
            #expect(line.contains("no free descriptors; raise its LimitNOFILE="), "\(line)")
            #expect(try client.ask("y") == "y")
        }
    }

    /// Executes its arguments where neither descriptors can be duplicated nor sock_diag(7) asked.
    private static let blindfold = Refusal.script.replacingOccurrences(
        of: "(0x15, 0, 1, 438), (0x06, 0, 0, 0x00050001),",
        with: """
            (0x15, 0, 1, 438), (0x06, 0, 0, 0x00050001), (0x15, 0, 5, 41 if os.uname().machine == 'x86_64' else 198),
                (0x20, 0, 0, 16), (0x15, 0, 3, 16), (0x20, 0, 0, 32), (0x15, 0, 1, 4), (0x06, 0, 0, 0x00050001),
            """
    ).replacingOccurrences(of: "Program(4,", with: "Program(10,")

    @Test func `where nothing can be seen of sockets idleness is not acted on, and an operator is obeyed`()
        throws
    {
        let server = try Wrapper(
            ["-v", "--idle", "200ms"], ["python3", "-c", Self.server],
            through: ["python3", "-c", Self.blindfold])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let line = try server.errors.until("cannot list the sockets of this machine")
        #expect(line.contains("never suspended for idleness"), "\(line)")
        usleep(1_500_000)
        let lines = try server.errors.arrived()
        #expect(!lines.contains("suspended") && !lines.contains("cannot list"), "\(lines)")
        #expect(try Wrapper.start("suspend", at: socket).wait() == .exited(0))
        let sight = try server.errors.until("wakes by ")
        #expect(
            sight.contains("neither its descriptors nor the sockets of this machine may be listed"),
            "\(sight)")
        let client = try Client(port: port)
        try client.send("x")
        #expect(try Wrapper.start("activate", at: socket).wait() == .exited(0))
        #expect(try client.receive() == "x")
    }

    @Test func `while a peer sends a byte each second for ever: it stays awake, and why names the peer`()
        throws
    {
        let server = try Wrapper(["-v", "--idle", "500ms"], ["python3", "-c", Self.server])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let client = try Client(port: port)
        for _ in 0..<14 {
            #expect(try client.ask("x") == "x")
            usleep(1_000_000)
        }
        let sleeps = try server.errors.arrived().components(separatedBy: "→ suspended").count - 1
        // Its delay is doubled each time that it was woken again too soon.
        #expect(sleeps <= 3)
        let why = try explanation(at: socket)
        #expect(why.contains("127.0.0.1"), "\(why)")
    }
}
