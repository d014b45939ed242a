import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Sockets that are held for a worker: no client is refused, whether it runs, sleeps, has ended or never ran.
@Suite(.long, .timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3")))
struct `A held socket of a daemon` {
    @Test func `launches the worker for its first client, which is named, and serves it`() throws {
        let port = try freePort()
        let daemon = try HeldServer.daemon([
            "web": HeldServer.worker("ListenStream=127.0.0.1:\(port)\nFileDescriptorName=http")
        ])
        let list = try daemon.torpor("list").output
        #expect(list.contains("tcp \(port)"), "\(list)")
        #expect(try daemon.list().first?.state == "notRunning")
        #expect(try Client(port: port).ask("x\n") == "X\n")
        #expect(try daemon.list().first?.state == "active")
        #expect(daemon.lines(of: "log") == ["launched socket 1 http"])
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("Launched for: socket") && status.contains("127.0.0.1:"), "\(status)")
        #expect(status.contains("ListenStream=127.0.0.1:\(port): open"), "\(status)")
        let history = try daemon.torpor("history", "web").output
        #expect(history.contains("a connection from 127.0.0.1:"), "\(history)")
        // The socket outlives its process.
        #expect(try daemon.torpor("terminate", "web").status == 0)
        #expect(try daemon.torpor("why", "web").output.contains("a client of tcp 127.0.0.1:\(port)"))
        #expect(try Client(port: port).ask("y\n") == "Y\n")
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try Client(port: port).ask("z\n") == "Z\n")
    }

    @Test func `launches it for a Unix socket, a datagram and a FIFO, too`() throws {
        let port = try freePort()
        let daemon = try HeldServer.daemon([
            "unix": HeldServer.worker(
                "ListenStream=DIRECTORY/made/for/unix.sock\nSocketMode=0600", log: "unix.log"),
            "udp": HeldServer.worker("ListenDatagram=127.0.0.1:\(port)", log: "udp.log"),
            "fifo": HeldServer.worker("ListenFIFO=DIRECTORY/fifo\nRemoveOnStop=yes", log: "fifo.log"),
            "packets": HeldServer.worker("ListenSequentialPacket=DIRECTORY/packets", log: "packets.log"),
        ])
        let path = "\(daemon.directory)/made/for/unix.sock"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let client = try connectedSocket(to: path)
        defer { close(client) }
        #expect(Glibc.send(client, "a\n", 2, 0) == 2)
        var answer = [UInt8](repeating: 0, count: 2)
        #expect(Waiting.isReadable(client) && recv(client, &answer, 2, 0) == 2 && answer == Array("A\n".utf8))
        let sender = try DaemonUnderTest.result(
            of: Wrapper(
                [], [],
                line: [
                    "/usr/bin/python3", "-ISc",
                    """
                    import socket, sys
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    s.settimeout(60)
                    s.sendto(b"ping", ("127.0.0.1", int(sys.argv[1])))
                    print(s.recv(100).decode())
                    p = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                    p.settimeout(60)
                    p.connect(sys.argv[2])
                    p.send(b"packet")
                    print(p.recv(100).decode())
                    """, "\(port)", "\(daemon.directory)/packets",
                ]))
        #expect(sender.output == "PING\nPACKET\n", "\(sender)")
        let fifo = open("\(daemon.directory)/fifo", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        #expect(fifo >= 0 && write(fifo, "line\n", 5) == 5)
        close(fifo)
        _ = try eventually("the line") { daemon.lines(of: "fifo.log").contains("input line") ? true : nil }
        let udp = try daemon.torpor("status", "udp").output
        #expect(udp.contains("a datagram from 127.0.0.1:"), "\(udp)")
        #expect(daemon.lines(of: "fifo.log").first == "launched socket 1 fifo")
        // It is not held any more, and its file goes.
        try FileManager.default.removeItem(atPath: "\(daemon.directory)/conf/workers/fifo.worker")
        #expect(try daemon.torpor("reload").status == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(daemon.directory)/fifo"))
    }

    @Test func `is not worn down by scans and probes, nor by peers that do not count`() throws {
        let port = try freePort()
        let daemon = try HeldServer.daemon([
            "web": HeldServer.worker("ListenStream=0.0.0.0:\(port)\nWakeNotFrom=127.0.0.2\nWakeOn=request")
        ])
        for round in 0..<20 {
            let scanner = try Client(port: port)
            if round.isMultiple(of: 2) { scanner.resetAtClose() }
        }
        let stranger = try Client(port: port, from: 0x7f00_0002)
        try stranger.send("no\n")
        // What would launch it has had all the time that a silent connection is given.
        usleep(100_000)
        let state = try daemon.list().first?.state
        let past = try daemon.torpor("history", "web").output
        #expect(state == "notRunning", "\(past)")
        // A client that leaves before the worker is up does no harm.
        do {
            let hasty = try Client(port: port)
            try hasty.send("gone\n")
        }
        #expect(try Client(port: port).ask("yes\n") == "YES\n")
        // It was in the queue, and is served with the others.
        #expect(try stranger.receive() == "NO\n")
        #expect(daemon.lines(of: "log").count == 1)
    }

    @Test func `wakes a sleeper by itself alone with Wake=held`() throws {
        let port = try freePort()
        let daemon = try HeldServer.daemon([
            "web": HeldServer.worker("ListenStream=127.0.0.1:\(port)\nWake=held", worker: "Launch=boot")
        ])
        let kept = try eventually("it serves") { try? Client(port: port) }
        #expect(try kept.ask("a\n") == "A\n")
        #expect(try daemon.torpor("suspend", "web").status == 0)
        let list = try daemon.torpor("list").output
        #expect(list.contains("tcp \(port)"), "\(list)")
        try kept.send("b\n")
        usleep(100_000)
        #expect(try daemon.list().first?.state == "suspended")
        #expect(try Client(port: port).ask("c\n") == "C\n")
        #expect(try kept.receive() == "B\n")
    }

    @Test func `is closed at the start limit, so that clients are told, and opened by an operator`() throws {
        let port = try freePort()
        let daemon = try HeldServer.daemon([
            "web": HeldServer.worker(
                "ListenStream=127.0.0.1:\(port)", worker: "Environment=EXIT=1\nStartLimitBurst=3")
        ])
        let client = try Client(port: port)
        try client.send("x\n")
        // No worker ever accepts it: the kernel ends it when the socket is closed.
        #expect(Waiting.isReadable(client.descriptor))
        #expect(daemon.lines(of: "log").count == 3)
        #expect(throws: TimedOut.self) { try Client(port: port) }
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("closed, since the worker was started too often"), "\(status)")
        try daemon.write(
            "web.worker",
            HeldServer.worker("ListenStream=127.0.0.1:\(port)")
                .replacingOccurrences(of: "DIRECTORY", with: daemon.directory))
        #expect(try daemon.torpor("reload").status == 0)
        #expect(throws: TimedOut.self) { try Client(port: port) }
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try Client(port: port).ask("y\n") == "Y\n")
        // An end that an operator forces is one for clients, too.
        #expect(try daemon.torpor("kill", "web").status == 0)
        #expect(throws: TimedOut.self) { try Client(port: port) }
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try Client(port: port).ask("z\n") == "Z\n")
        // Also of one that does not run, and has its sockets open.
        #expect(try daemon.torpor("terminate", "web").status == 0)
        #expect(try Client(port: port).ask("a\n") == "A\n")
        #expect(try daemon.torpor("terminate", "web").status == 0)
        #expect(try daemon.torpor("kill", "web").status == 0)
        #expect(throws: TimedOut.self) { try Client(port: port) }
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try Client(port: port).ask("b\n") == "B\n")
    }

    @Test func `says what is in its way, and is opened when that is gone`() throws {
        let (taken, shared) = (try Listener(), try freePort())
        var holder: Listener? = taken
        let daemon = try HeldServer.daemon([
            "a": HeldServer.worker("ListenStream=127.0.0.1:\(shared)"),
            "b": HeldServer.worker("ListenStream=\(shared)"),
            "file": HeldServer.worker("ListenStream=DIRECTORY/conf"),
            "port": HeldServer.worker("ListenStream=127.0.0.1:\(taken.port)", log: "port.log"),
            "under": HeldServer.worker("ListenStream=DIRECTORY/conf/torpord.conf/socket"),
        ])
        func status(_ name: String) throws -> String { try daemon.torpor("status", name).output }
        #expect(
            try status("b").contains("worker “a” has this address by ListenStream=127.0.0.1:\(shared)"))
        #expect(try status("a").contains("ListenStream=127.0.0.1:\(shared): open"))
        #expect(try status("file").contains("exists and is no socket; remove it"))
        #expect(try status("under").contains("cannot make or use its directory"))
        let busy = try status("port")
        #expect(busy.contains("the address is in use by") && busy.contains("(pid \(getpid()))"), "\(busy)")
        #expect(try daemon.torpor("doctor").output.contains("is not open"))
        let launch = try daemon.torpor("launch", "port")
        #expect(launch.status != 0 && launch.errors.contains("the address is in use"), "\(launch)")
        let port = taken.port
        withExtendedLifetime(holder) {}
        holder = nil
        try released(taken)
        let client = try eventually("it is tried again") { try? Client(port: port) }
        #expect(try client.ask("x\n") == "X\n")
    }

    /// Stops to listen.
    private func released(_ listener: Listener) throws { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }

    @Test func `keeps those that wait through a reload that leaves its address`() throws {
        let (port, other) = (try freePort(), try freePort())
        func file(_ lines: String, _ daemon: DaemonUnderTest?) -> String {
            let text = HeldServer.worker(lines, worker: "Environment=SLOW=1")
            return daemon.map { text.replacingOccurrences(of: "DIRECTORY", with: $0.directory) } ?? text
        }
        let daemon = try HeldServer.daemon([
            "web": file("ListenStream=127.0.0.1:\(port)\nWakeNotFrom=127.0.0.1", nil)
        ])
        let early = try Client(port: port)
        try early.send("early\n")
        try daemon.write(
            "web.worker",
            file(
                "ListenStream=127.0.0.1:\(other)\nListenStream=127.0.0.1:\(port)\nBacklog=17\nKeepAlive=yes",
                daemon))
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try early.receive() == "EARLY\n")
        #expect(try Client(port: other).ask("x\n") == "X\n")
        #expect(daemon.lines(of: "log") == ["launched socket 2 web,web"])
    }

    @Test func `warns of a worker that does not take it over`() throws {
        let port = try freePort()
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'exec 3<&-; exec sleep 1000'
            [Foreground]
            ListenStream=127.0.0.1:\(port)
            """
        ])
        let client = try Client(port: port)
        try client.send("x\n")
        try daemon.process.errors.until("which no process of the worker has open")
    }

    @Test func `4000 clients that wait for it are all served, and a short queue refuses none`() throws {
        let (port, short) = (try freePort(), try freePort())
        let daemon = try HeldServer.daemon([
            "web": HeldServer.worker("ListenStream=127.0.0.1:\(port)", worker: "Environment=SLOW=2"),
            "short": HeldServer.worker(
                "ListenStream=127.0.0.1:\(short)\nBacklog=2", worker: "Environment=SLOW=0.5"),
        ])
        _ = daemon
        func crowd(_ port: UInt16, _ count: Int) throws -> (status: Int32, output: String, errors: String) {
            try DaemonUnderTest.result(
                of: Wrapper(
                    [], [],
                    line: [
                        "/usr/bin/python3", "-ISc",
                        """
                        import resource, select, socket, sys
                        port, count = int(sys.argv[1]), int(sys.argv[2])
                        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
                        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
                        poll, all, served = select.epoll(), {}, 0
                        for _ in range(count):
                            c = socket.socket(); c.setblocking(False)
                            c.connect_ex(("127.0.0.1", port))
                            all[c.fileno()] = c
                            poll.register(c.fileno(), select.EPOLLOUT)
                        while served < count:
                            ready = poll.poll(120)
                            if not ready: break
                            for number, _ in ready:
                                c = all[number]
                                if c.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR): sys.exit("refused")
                                try: data = c.recv(10)
                                except BlockingIOError:
                                    c.send(b"x\\n"); poll.modify(number, select.EPOLLIN); continue
                                if data != b"X\\n": sys.exit("cut")
                                served += 1
                                poll.unregister(number)
                        print(served)
                        """, "\(port)", "\(count)",
                    ]))
        }
        #expect(try crowd(short, 8).output == "8\n")
        // As many as may wait; beyond that the kernel of a client tries again, after 1 s, 3 s, 7 s and so on.
        let many = try crowd(port, 4000)
        #expect(many.output == "4000\n", "\(many)")
    }
}
