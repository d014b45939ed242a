import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Programs whose sockets wake them, as they are: none is changed for that.
@Suite(.timeLimit(.minutes(60))) struct `A sleeper wakes by its own sockets` {
    /// How a program sleeps.
    enum Freezing: CaseIterable {
        case freezer
        case signals

        /// What is put in front of a command line.
        var starter: [String] { self == .signals ? NoGroups.starter : [] }
    }

    @Test(.requires(.program("/usr/bin/redis-server")), .requires(.ownMounts), arguments: Freezing.allCases)
    func `redis: a new connection, and data on one that it has`(_ way: Freezing) throws {
        let port = try freePort()
        let redis = try Wrapper(
            ["-v"], ["redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", ""],
            through: way.starter)
        let socket = try redis.controlSocket()
        let kept = try connected(to: port)
        #expect(try kept.ask("SET a 1\r\n") == "+OK\r\n")
        for _ in 0..<3 {
            try sleep(redis, at: socket, "(its epoll)")
            #expect(try kept.ask("GET a\r\n") == "$1\r\n1\r\n")
            try redis.errors.until("woken by data from 127.0.0.1:")
            try sleep(redis, at: socket, "(its epoll)")
            let new = try Client(port: port)
            #expect(try new.ask("PING\r\n") == "+PONG\r\n")
            try redis.errors.until("woken by a connection from 127.0.0.1:")
        }
    }

    @Test(arguments: Freezing.allCases)
    func `a program without epoll: by a duplicate of each socket`(_ way: Freezing) throws {
        let server = try Wrapper(
            ["-v"], ["python3", "-c", Self.blockingServer], through: way.starter)
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let kept = try connected(to: port)
        #expect(try kept.ask("one\n") == "ONE\n")
        try sleep(server, at: socket, "(its sockets)")
        #expect(try kept.ask("two\n") == "TWO\n")
        try sleep(server, at: socket, "(its sockets)")
        #expect(try connected(to: port).ask("three\n") == "THREE\n")
    }

    @Test
    func `the end of a connection, a probe and a port scan wake nothing, and the request after them does`()
        throws
    {
        let server = try Wrapper(["-v"], ["python3", "-c", Self.blockingServer])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        var kept = try (0..<5).map { _ in try connected(to: port) }
        for client in kept { #expect(try client.ask("x\n") == "X\n") }
        // The second time after a wake that was for something.
        for answer in ["Y\n", "Z\n"] {
            try sleep(server, at: socket, "sockets")
            let last = kept.removeLast()
            kept.removeLast()
            for round in 0..<20 {
                let scanner = try Client(port: port)
                if round.isMultiple(of: 2) { scanner.resetAtClose() }
            }
            // What would wake it has had all the time that a silent connection is given.
            usleep(100_000)
            #expect(try state(at: socket) == "suspended")
            #expect(try last.ask(answer.lowercased()) == answer)
            #expect(try state(at: socket) == "active")
        }
    }

    @Test func `a server that speaks first is woken by a connection that is silent`() throws {
        let server = try Wrapper(["-v"], ["python3", "-c", Self.greeter])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        try sleep(server, at: socket, "its socket")
        #expect(try Client(port: port).receive() == "hello\n")
    }

    @Test func `WakeOn=request and WakeNotFrom= hold for that, and input and Unix sockets wake as well`()
        throws
    {
        let server = try Wrapper(
            ["-v", "--wake-on", "request", "--wake-not-from", "127.0.0.2"],
            ["python3", "-c", Self.blockingServer])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        try sleep(server, at: socket, "its socket")
        let silent = try Client(port: port)
        let stranger = try Client(port: port, from: 0x7f00_0002)
        defer { withExtendedLifetime((silent, stranger)) {} }
        try stranger.send("no\n")
        usleep(100_000)
        #expect(try state(at: socket) == "suspended")
        // It is accepted in the order of the backlog; both are served then.
        try silent.send("yes\n")
        #expect(try silent.receive() == "YES\n")
        #expect(try stranger.receive() == "NO\n")
    }

    @Test func `a signal is not lost to a program that waits for it by signalfd`() throws {
        let program = try Wrapper(["-v"], ["python3", "-c", Self.signalReader])
        let socket = try program.controlSocket()
        let port = try #require(UInt16(program.output.next() ?? ""))
        let pid = try #require(Int32(program.output.next() ?? ""))
        try sleep(program, at: socket, "its socket")
        kill(pid, SIGUSR1)
        #expect(try connected(to: port).ask("x\n") == "x\n")
        #expect(try program.output.next() == "signal")
    }

    @Test func `the end of a connection reaches its peer at once after a wake`() throws {
        let server = try Wrapper(["-v"], ["python3", "-c", Self.blockingServer])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        for _ in 0..<5 {
            let client = try connected(to: port)
            #expect(try client.ask("x\n") == "X\n")
            try sleep(server, at: socket, "(its sockets)")
            #expect(try client.ask("close\n") == "bye\n")
            #expect(try client.receive() == "")
        }
    }

    @Test func `sleepers of a daemon wake after it was killed, and after it replaced itself`() throws {
        let port = try freePort()
        let daemon = try DaemonUnderTest(["server": Self.worker(port)])
        func answers(_ text: String) throws {
            #expect(try connected(to: port).ask("\(text)\n") == "\(text.uppercased())\n")
            try eventually("it is awake") { try daemon.list().first?.state == "active" ? () : nil }
        }
        try answers("a")
        #expect(try daemon.torpor("suspend", "server").status == 0)
        try answers("b")
        #expect(try daemon.torpor("suspend", "server").status == 0)
        let early = try daemonIsKilled(daemon, port)
        #expect(try early.receive() == "C\n")
        try eventually("it is awake") { try daemon.list().first?.state == "active" ? () : nil }
        #expect(try daemon.torpor("suspend", "server").status == 0)
        #expect(try daemon.torpor("reexec").status == 0)
        try answers("d")
        #expect(try daemon.torpor("why", "server").output.contains("127.0.0.1"))
    }

    /// A request comes while no daemon is there.
    private func daemonIsKilled(_ daemon: DaemonUnderTest, _ port: UInt16) throws -> Client {
        var client: Client?
        try daemon.killAndRestart {
            client = try Client(port: port)
            try client?.send("c\n")
        }
        return try #require(client)
    }

    // MARK: idleness

    @Test func `torpor run --idle leaves one alone that owes an answer, computes or is spoken to`() throws {
        let server = try Wrapper(["-v", "--idle", "1s"], ["python3", "-c", Self.slowServer])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let client = try connected(to: port)
        for work in ["answer", "compute"] {
            // Three times as long as the delay; the clock of the machine is the server's too.
            try client.send("\(work)\n")
            #expect(try client.receive() == "done\n")
            try server.errors.until("→ suspended")
            let lines = server.errors.pending
            #expect(!lines.contains("woken"), "\(lines)")
        }
        #expect(try client.ask("ping\n") == "done\n")
        #expect(try state(at: socket) == "active")
    }

    @Test func `Idle=observe changes nothing, and counts`() throws {
        let port = try freePort()
        let daemon = try DaemonUnderTest([
            "server": Self.worker(port) + "[Foreground]\nIdleSec=100ms\nIdle=observe\n"
        ])
        let client = try connected(to: port)
        #expect(try client.ask("a\n") == "A\n")
        for count in 1...2 {
            let before = try figure("asleepUsec", daemon)
            _ = try eventually("a time at which it would sleep") {
                try figure("asleepUsec", daemon) > before ? true : nil
            }
            // By data on a connection that stays, and by a client that is gone at the next look.
            #expect(try (count == 1 ? client : connected(to: port)).ask("b\n") == "B\n")
            _ = try eventually("a wake that would have been") {
                try figure("wakeCount", daemon) == count ? true : nil
            }
        }
        let told = try daemon.torpor("doctor", "--gain", "server").output
        #expect(told.contains("observe") && told.contains("127.0.0.1 (2)"), "\(told)")
        #expect(told.contains("1 worker only observed (Idle=observe)"), "\(told)")
        #expect(try daemon.list().first?.state == "active")
        let why = try eventually("a look that is due after a use") {
            #expect(try client.ask("b\n") == "B\n")
            let why = try daemon.torpor("why", "server").output
            return why.contains("then it is only noted whether it was used (Idle=observe)") ? why : nil
        }
        #expect(why.contains("with Idle=act it would be suspended"), "\(why)")
    }

    /// A figure of what sleep would have given its only worker.
    private func figure(_ name: String, _ daemon: DaemonUnderTest) throws -> Int {
        let text = try daemon.torpor("doctor", "--gain", "--json=short").output
        let digits = text.split(separator: "\"\(name)\":", maxSplits: 1).last?.prefix(while: \.isNumber)
        return try #require(digits.flatMap { Int($0) }, "\(text)")
    }

    // MARK: programs

    /// Waits for bytes with a thread for each connection, and answers in capitals.
    private static let blockingServer = """
        import socket, threading
        def serve(c):
            while True:
                data = c.recv(4096)
                if not data: break
                if data == b'close\\n':
                    c.sendall(b'bye\\n'); break
                c.sendall(data.upper())
            c.close()
        l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        l.bind(('127.0.0.1', PORT)); l.listen(100)
        print(l.getsockname()[1], flush=True)
        while True:
            c, _ = l.accept()
            threading.Thread(target=serve, args=(c,), daemon=True).start()
        """.replacingOccurrences(of: "PORT", with: "int(__import__('os').environ.get('PORT', '0'))")

    private static let greeter = """
        import socket
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(10)
        print(l.getsockname()[1], flush=True)
        while True:
            c, _ = l.accept(); c.sendall(b'hello\\n'); c.close()
        """

    /// Has a signalfd in its epoll instance, as systemd's programs and postgres have.
    private static let signalReader = """
        import ctypes, os, select, signal, socket
        libc = ctypes.CDLL(None, use_errno=True)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        mask = (ctypes.c_ulong * 16)(1 << (signal.SIGUSR1 - 1))
        fd = libc.signalfd(-1, ctypes.byref(mask), 0o2000000)
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(10)
        e = select.epoll(); e.register(fd, select.EPOLLIN); e.register(l.fileno(), select.EPOLLIN)
        print(l.getsockname()[1], flush=True); print(os.getpid(), flush=True)
        while True:
            for number, _ in e.poll():
                if number == fd: os.read(fd, 128); print('signal', flush=True)
                else:
                    c, _ = l.accept(); c.sendall(c.recv(100)); c.close()
        """

    private static let slowServer = """
        import socket, time
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(10)
        print(l.getsockname()[1], flush=True)
        while True:
            c, _ = l.accept()
            while True:
                work = c.recv(100)
                if not work: break
                if work == b'answer\\n': time.sleep(3)
                if work == b'compute\\n':
                    end = time.monotonic() + 3
                    while time.monotonic() < end: pass
                c.sendall(b'done\\n')
        """

    private static func worker(_ port: UInt16) -> String {
        """
        [Worker]
        ExecStart=/usr/bin/python3 DIRECTORY/server.py
        Environment=PORT=\(port)
        Launch=boot

        """.replacingOccurrences(
            of: "DIRECTORY/server.py", with: "-c \"exec(__import__('base64').b64decode('\(encoded)'))\"")
    }

    private static let encoded = Data(blockingServer.utf8).base64EncodedString()

    // MARK: steps

    /// Suspends the one worker, and sees how it is watched.
    private func sleep(_ wrapper: Wrapper, at socket: String, _ words: String) throws {
        let line = try wrapper.suspend(at: socket)
        #expect(line.contains(words), "\(line)")
    }

    private func state(at socket: String) throws -> String {
        let list = try Wrapper([], [], line: [Wrapper.program, "list", "--socket", socket, "--no-legend"])
        let line = try #require(try list.output.next())
        let states = ["active", "inactive", "background", "suspended"]
        return try #require(line.split(separator: " ").map(String.init).first { states.contains($0) })
    }

    /// A connection, once the program listens.
    private func connected(to port: UInt16) throws -> Client {
        try eventually("port \(port) to be listened at") { try? Client(port: port) }
    }
}
