import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What counts as use besides connections, and what becomes of a worker that leaves a client waiting.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3")))
struct `A worker with IdleSec=` {
    private func state(_ daemon: DaemonUnderTest, _ name: String) throws -> String? {
        try daemon.list().first { $0.name == name }?.state
    }

    /// Says that it is in use or not whenever a file of that name comes.
    private static let gambler = """
        import os, socket, time
        def say(what):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.connect(os.environ['NOTIFY_SOCKET'].replace('@', '\\0')); s.send(what)
        say(b'READY=1\\nX_TORPOR_IN_USE=1')
        while not os.path.exists('DIRECTORY/over'): time.sleep(0.01)
        say(b'X_TORPOR_IN_USE=0')
        while True: time.sleep(0.01)
        """

    @Test func `stays awake while it says that it is in use, also after the daemon was killed`() throws {
        let daemon = try DaemonUnderTest([
            "game": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/game.py
            Type=notify
            [Foreground]
            IdleSec=200ms
            """, "witness": DaemonUnderTest.witness,
        ])
        try Self.gambler.replacingOccurrences(of: "DIRECTORY", with: daemon.directory).write(
            toFile: "\(daemon.directory)/game.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "game").status == 0)
        for _ in 0..<2 {
            let why = try eventually("it to be told") {
                let text = try daemon.torpor("why", "game").output
                return text.contains("the worker reports that it is in use") ? text : nil
            }
            #expect(why.contains("in use: "), "\(why)")
            try daemon.awaitWitness()
            #expect(try state(daemon, "game") == "active")
            try daemon.killAndRestart()
        }
        try "".write(toFile: "\(daemon.directory)/over", atomically: true, encoding: .utf8)
        try eventually("it to fall asleep") { try state(daemon, "game") == "suspended" ? () : nil }
    }

    /// Says the same by a call on its socket, and takes it back when its connection to a file is there.
    private static let player = """
        import json, os, socket, time
        s = socket.socket(socket.AF_UNIX); s.connect(os.environ['TORPOR_SOCKET'])
        a = socket.socket(socket.AF_UNIX); a.connect(os.environ['TORPOR_SOCKET'])
        def call(method, **parameters):
            s.sendall(json.dumps({'method': 'io.torpor.Worker.' + method, 'parameters': parameters}).encode() + b'\\0')
            answer = b''
            while not answer.endswith(b'\\0'): answer += s.recv(4096)
            print(method, answer[:-1].decode(), flush=True)
        a.sendall(b'{"method":"io.torpor.Worker.Attach","parameters":{"callbacks":[]},"more":true}\\0'); a.recv(4096)
        call('SetInUse', inUse=True)
        while not os.path.exists('DIRECTORY/over'): time.sleep(0.01)
        call('SetInUse', inUse=False)
        while True: time.sleep(0.01)
        """

    @Test func `hears it from an app by its socket as well`() throws {
        let daemon = try DaemonUnderTest([
            "game": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/game.py
            StandardOutput=append:DIRECTORY/game.log
            Type=app
            [Foreground]
            IdleSec=200ms
            """, "witness": DaemonUnderTest.witness,
        ])
        try Self.player.replacingOccurrences(of: "DIRECTORY", with: daemon.directory).write(
            toFile: "\(daemon.directory)/game.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "game").status == 0)
        try eventually("it to be told") {
            try daemon.torpor("why", "game").output.contains("the worker reports that it is in use")
                ? () : nil
        }
        try daemon.awaitWitness()
        #expect(try state(daemon, "game") == "active")
        try "".write(toFile: "\(daemon.directory)/over", atomically: true, encoding: .utf8)
        try eventually("it to fall asleep") { try state(daemon, "game") == "suspended" ? () : nil }
        #expect(
            daemon.lines(of: "game.log").allSatisfy {
                $0 == "SetInUse {}" || $0 == "SetInUse {\"parameters\":{}}"
            })
    }

    @Test func `is used by torpor send, and by an operator that wants it in the foreground`() throws {
        let daemon = try DaemonUnderTest([
            "shell": """
            [Worker]
            ExecStart=/bin/cat
            StandardInput=pipe
            StandardOutput=null
            [Foreground]
            IdleSec=4s
            """
        ])
        #expect(try daemon.torpor("launch", "shell").status == 0)
        for verb in ["send", "activate"] {
            for _ in 0..<5 {
                let arguments = verb == "send" ? ["shell", "hello"] : ["shell"]
                let sent = try DaemonUnderTest.result(
                    of: Wrapper(
                        [], [], line: [Wrapper.program, verb, "--socket", daemon.socket] + arguments))
                #expect(sent.status == 0, "\(sent)")
                usleep(1_000_000)
                #expect(try state(daemon, "shell") == "active")
            }
        }
        let why = try daemon.torpor("why", "shell").output
        #expect(why.contains("'torpor send', ") || why.contains("a request for the foreground, "), "\(why)")
        try eventually("it to fall asleep") { try state(daemon, "shell") == "suspended" ? () : nil }
        let log = try daemon.torpor("history", "shell").output
        #expect(log.components(separatedBy: "→ suspended").count <= 2, "\(log)")
    }

    /// Accepts one connection, and no other.
    private static let deaf = """
        import socket, time
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(10)
        print(l.getsockname()[1], flush=True)
        c, _ = l.accept(); c.sendall(c.recv(100))
        while True: time.sleep(1000)
        """

    @Test func `that does not accept what it was woken for is told of, and has its whole delay`() throws {
        let server = try Wrapper(["-v", "--idle", "8s"], ["python3", "-c", Self.deaf])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        #expect(try Client(port: port).ask("x") == "x")
        try server.suspend(at: socket)
        // What it said would be a request that is owed an answer.
        let client = try Client(port: port)
        defer { withExtendedLifetime(client) {} }
        try server.errors.until("woken by a connection from 127.0.0.1:")
        let woken = ContinuousClock.now
        let warning = try server.errors.until("no process has accepted")
        #expect(warning.contains("a connection from 127.0.0.1:") && warning.contains("to 127.0.0.1:\(port)"))
        try server.errors.until("→ suspended")
        // The clock of the test has begun a little later than its own.
        #expect(ContinuousClock.now - woken > .seconds(7.5))
        try server.errors.until("woken by")
    }

    /// Listens at a Unix socket of its own with an abstract name, and accepts nothing.
    private static let deafAtUnix = """
        import os, socket, time
        l = socket.socket(socket.AF_UNIX); l.bind('\\0deaf-%d' % os.getpid()); l.listen(10)
        print('deaf-%d' % os.getpid(), flush=True)
        while True: time.sleep(1000)
        """

    @Test func `that does not accept a connection to its Unix socket is told of, and has its whole delay`()
        throws
    {
        let server = try Wrapper(["-v", "--idle", "8s"], ["python3", "-c", Self.deafAtUnix])
        let socket = try server.controlSocket()
        let name = try #require(try server.output.next())
        try server.suspend(at: socket)
        let client = try StreamSocket(connectingTo: UnixSocketAddress("@\(name)"), timeout: 5)
        defer { withExtendedLifetime(client) {} }
        try server.errors.until("woken by a connection to its Unix socket")
        let woken = ContinuousClock.now
        try server.errors.until("no process has accepted a connection to its Unix socket")
        try server.errors.until("→ suspended")
        // The clock of the test has begun a little later than its own.
        #expect(ContinuousClock.now - woken > .seconds(7.5))
    }

    @Test func `of torpor run is examined like the daemon's`() throws {
        let server = try Wrapper(["-v"], ["python3", "-c", Self.deafAtUnix])
        let socket = try server.controlSocket()
        let line = [Wrapper.program, "doctor", "--socket", socket, "--no-legend"]
        let doctor = try Wrapper([], [], line: line)
        try doctor.output.until("freezer")
        try doctor.output.until("wake by sockets")
        try doctor.output.until("inotify")
        #expect(try doctor.wait() == .exited(0))
    }

    /// Ticks each 700 ms by a timer in its epoll instance, and does nothing else.
    private static let ticker = """
        import ctypes, os, select, struct
        libc = ctypes.CDLL(None, use_errno=True)
        fd = libc.timerfd_create(1, 0o2000000)
        assert libc.timerfd_settime(fd, 0, struct.pack('qqqq', 0, 700000000, 0, 700000000), None) == 0
        e = select.epoll(); e.register(fd, select.EPOLLIN)
        print('ready', flush=True)
        while True:
            e.poll(); os.read(fd, 8); print('tick', flush=True)
        """

    @Test(.requires(.duplicates), arguments: [[], NoGroups.starter])
    func `and WakeOn=timer wakes when its own timer is due`(_ starter: [String]) throws {
        let program = try Wrapper(
            ["-v", "--wake-on", "timer"], ["python3", "-c", Self.ticker], through: starter)
        let socket = try program.controlSocket()
        #expect(try program.output.next() == "ready")
        for _ in 0..<3 {
            #expect(try program.suspend(at: socket).contains("its socket"))
            while try program.output.arrived().contains("\n") { _ = try program.output.next() }
            try program.errors.until("woken by a timer of its own")
            #expect(try program.output.next() == "tick")
        }
    }

    @Test(.requires(.root), .requires(.ownMounts))
    func `sleeps as a command of a container's init that may not duplicate descriptors, and wakes`() throws {
        let server = try Wrapper(
            ["-v", "--idle", "500ms"], ["python3", "-c", Crowd.server],
            through: ["/usr/bin/unshare", "-pf", "--mount-proc", "--kill-child"] + NoGroups.starter
                + ["python3", "-c", Refusal.script])
        let port = try #require(UInt16(server.output.next() ?? ""))
        #expect(try server.output.next() == "parent 1")
        let kept = try Client(port: port)
        #expect(try kept.ask("a\n") == "a\n")
        for text in ["b\n", "c\n"] {
            let line = try server.errors.until("wakes by")
            #expect(line.contains("sampled every 100 ms"), "\(line)")
            #expect(try kept.ask(text) == text)
            try server.errors.until("woken by data from 127.0.0.1:")
            try server.errors.until("wakes by")
            #expect(try Client(port: port).ask(text) == text)
            try server.errors.until("woken by a connection")
        }
    }
}

/// Many connections to one server, made by a process of their own.
private final class Crowd {
    private let process: Wrapper
    private let input: Int32

    /// Answers each connection with what it says; says its port, and its parent's number.
    static let server = """
        import os, selectors, socket
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(4096)
        print(l.getsockname()[1], 'parent %d' % os.getppid(), sep='\\n', flush=True)
        s = selectors.DefaultSelector(); s.register(l, selectors.EVENT_READ)
        while True:
            for key, _ in s.select():
                if key.fileobj is l: s.register(l.accept()[0], selectors.EVENT_READ)
                else:
                    try: data = key.fileobj.recv(100)
                    except OSError: data = b''
                    if data: key.fileobj.sendall(data)
                    else: s.unregister(key.fileobj); key.fileobj.close()
        """

    init(_ count: Int, at port: UInt16) throws {
        let (read, write) = try makePipe()
        defer { close(read) }
        input = write
        process = try Wrapper(
            [], [], line: ["python3", "-c", Self.script, "\(count)", "\(port)"], input: read)
        #expect(try process.output.next() == "\(count) connected")
    }

    deinit { close(input) }

    /// What the one of this number is answered to a PING.
    func ping(_ number: Int) throws -> String? {
        let line = "\(number)\n"
        try #require(write(input, line, line.utf8.count) == line.utf8.count)
        return try process.output.next()
    }

    private static let script = """
        import resource, socket, sys
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        count, at = int(sys.argv[1]), ('127.0.0.1', int(sys.argv[2]))
        def ping(s): s.sendall(b'PING\\r\\n'); return s.recv(100).decode().strip()
        all = [socket.create_connection(at) for _ in range(count)]
        assert all and {ping(s) for s in all} == {'+PONG'}
        print(count, 'connected', flush=True)
        for line in sys.stdin: print(ping(all[int(line)]), flush=True)
        """
}

extension Capability {
    /// Descriptors of a child.
    fileprivate static let duplicates = Capability("pidfd_getfd(2) of a child") {
        let kernel = Machine.current.kernelRelease.split(separator: ".").prefix(2).compactMap { Int($0) }
        return kernel.lexicographicallyPrecedes([5, 6]) ? "the kernel is older than 5.6" : nil
    }

    /// As many open files.
    fileprivate static func openFiles(_ count: Int) -> Capability {
        Capability("\(count) open files") {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
            return limit.rlim_max >= rlim_t(count) ? nil : "RLIMIT_NOFILE allows \(limit.rlim_max)"
        }
    }
}

/// Redis with very many connections on which nothing happens.
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/redis-server")))
struct `A sleeper with very many connections` {
    private func wake(with count: Int) throws {
        let port = try freePort()
        let redis = try Wrapper(
            ["-v"],
            [
                "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--maxclients",
                "\(count + 100)",
            ])
        let socket = try redis.controlSocket()
        _ = try eventually("redis to listen") { try? Client(port: port).ask("PING\r\n") }
        let crowd = try Crowd(count, at: port)
        for number in [500, 0, count - 1] {
            let line = try redis.suspend(at: socket)
            #expect(line.contains("\(count) connections (its epoll)"), "\(line)")
            #expect(try crowd.ping(number) == "+PONG")
            try redis.errors.until("woken by data from 127.0.0.1:")
        }
        try redis.suspend(at: socket)
        #expect(try Client(port: port).ask("PING\r\n") == "+PONG\r\n")
    }

    @Test(.requires(.openFiles(1200))) func `1000 of them: wakes for data on one`() throws {
        try wake(with: 1000)
    }

    @Test(.requires(.openFiles(9200))) func `9000 of them: wakes for data on one`() throws {
        try wake(with: 9000)
    }
}
