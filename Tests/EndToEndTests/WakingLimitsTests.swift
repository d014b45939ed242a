import Foundation
import Glibc
import TestSupport
import Testing

/// Sleepers with many sockets or several processes, and places where descriptors cannot be duplicated.
@Suite(.long, .timeLimit(.minutes(60))) struct `Sleepers of every shape wake` {
    @Test(.requires(.program("/usr/sbin/nginx")))
    func `nginx with three processes and one listener, before and after it was reloaded`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let port = try freePort()
            try """
            worker_processes 3; daemon off; pid \(directory)/pid; error_log stderr;
            events { worker_connections 64; }
            http {
                access_log off; client_body_temp_path \(directory)/b; proxy_temp_path \(directory)/p;
                fastcgi_temp_path \(directory)/f; uwsgi_temp_path \(directory)/u; scgi_temp_path \(directory)/s;
                server { listen 127.0.0.1:\(port); location / { return 200 "hello"; } }
            }
            """.write(toFile: "\(directory)/nginx.conf", atomically: false, encoding: .utf8)
            let nginx = try Wrapper(
                ["-v"], ["/usr/sbin/nginx", "-e", "stderr", "-c", "\(directory)/nginx.conf"])
            let socket = try nginx.controlSocket()
            let request = "GET / HTTP/1.0\r\n\r\n"
            func isServed() throws -> Bool {
                let client = try eventually("nginx to listen") { try? Client(port: port) }
                try client.send(request)
                var text = ""
                while case let part = try client.receive(), !part.isEmpty { text += part }
                return text.hasSuffix("hello")
            }
            #expect(try isServed())
            for _ in 0..<2 {
                for _ in 0..<3 {
                    try nginx.suspend(at: socket)
                    #expect(try isServed())
                }
                let pid = try #require(
                    Int32(
                        String(contentsOfFile: "\(directory)/pid", encoding: .utf8).split(separator: "\n")[0])
                )
                kill(pid, SIGHUP)
            }
        }
    }

    @Test(.requires(.program("/usr/bin/redis-server")))
    func `redis with 600 quiet connections: data on one of them`() throws {
        let port = try freePort()
        let redis = try Wrapper(
            ["-v"], ["redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", ""])
        let socket = try redis.controlSocket()
        let clients = try (0..<600).map { _ in
            try eventually("redis to listen") { try? Client(port: port) }
        }
        defer { withExtendedLifetime(clients) {} }
        for client in clients { #expect(try client.ask("PING\r\n") == "+PONG\r\n") }
        for client in [clients[300], clients[0], clients[599]] {
            #expect(try redis.suspend(at: socket).contains("600 connections (its epoll)"))
            #expect(try client.ask("PING\r\n") == "+PONG\r\n")
        }
    }

    @Test func `one with more sockets than are duplicated is sampled, and wakes`() throws {
        let server = try Wrapper(["-v"], ["python3", "-c", Self.pollingServer])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let clients = try (0..<520).map { _ in try Client(port: port) }
        defer { withExtendedLifetime(clients) {} }
        for client in clients { #expect(try client.ask("x\n") == "x\n") }
        #expect(try server.suspend(at: socket).contains("DescriptorsMax=512"))
        #expect(try clients[260].ask("y\n") == "y\n")
        #expect(try server.suspend(at: socket).contains("DescriptorsMax=512"))
        #expect(try Client(port: port).ask("z\n") == "z\n")
    }

    @Test func `where the kernel refuses duplicates sockets are sampled, and why says what mends that`()
        throws
    {
        let server = try Wrapper(
            ["-v"], ["python3", "-c", Self.pollingServer], through: ["python3", "-c", Refusal.script])
        let socket = try server.controlSocket()
        let port = try #require(UInt16(server.output.next() ?? ""))
        let kept = try Client(port: port)
        defer { withExtendedLifetime(kept) {} }
        #expect(try kept.ask("x\n") == "x\n")
        for _ in 0..<2 {
            #expect(try server.suspend(at: socket).contains("pidfd_getfd"))
            #expect(try kept.ask("y\n") == "y\n")
            #expect(try server.suspend(at: socket).contains("pidfd_getfd"))
            #expect(try Client(port: port).ask("z\n") == "z\n")
        }
        // A probe wakes it here neither.
        #expect(try server.suspend(at: socket).contains("pidfd_getfd"))
        _ = try Client(port: port)
        usleep(400_000)
        let why = try Wrapper.start("why", at: socket)
        #expect(try why.output.rest().joined(separator: "\n").contains("suspended"))
    }

    @Test func `a client that pings each 300 ms keeps one awake with IdleSec=1s, a quiet one does not`()
        throws
    {
        let server = try Wrapper(["-v", "--idle", "1s"], ["python3", "-c", Self.pollingServer])
        let port = try #require(UInt16(server.output.next() ?? ""))
        let (pinging, quiet) = (try Client(port: port), try Client(port: port))
        defer { withExtendedLifetime(quiet) {} }
        #expect(try quiet.ask("x\n") == "x\n")
        for _ in 0..<15 {
            #expect(try pinging.ask("x\n") == "x\n")
            usleep(300_000)
        }
        #expect(try !server.errors.arrived().contains("→ suspended"))
        try server.errors.until("→ suspended")
        #expect(try quiet.ask("y\n") == "y\n")
    }

    /// Answers each connection with what it says, by poll(2).
    private static let pollingServer = """
        import selectors, socket
        l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(4096)
        print(l.getsockname()[1], flush=True)
        s = selectors.PollSelector(); s.register(l, selectors.EVENT_READ)
        while True:
            for key, _ in s.select():
                if key.fileobj is l:
                    c, _ = l.accept(); s.register(c, selectors.EVENT_READ)
                else:
                    try: data = key.fileobj.recv(100)
                    except OSError: data = b''
                    if data: key.fileobj.sendall(data)
                    else: s.unregister(key.fileobj); key.fileobj.close()
        """
}

/// A place where no descriptor can be duplicated.
enum Refusal {
    /// Executes its arguments where pidfd_getfd(2), whose number is 438 on every architecture, fails with EPERM, as in many a container.
    static let script = """
        import ctypes, os, struct, sys
        code = b''.join(struct.pack('HBBI', *line) for line in [
            (0x20, 0, 0, 0), (0x15, 0, 1, 438), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)])
        class Program(ctypes.Structure):
            _fields_ = [('len', ctypes.c_ushort), ('filter', ctypes.c_char_p)]
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.prctl(38, 1, 0, 0, 0) == 0
        assert libc.prctl(22, 2, ctypes.byref(Program(4, code)), 0, 0) == 0
        os.execv(sys.argv[1], sys.argv[1:])
        """
}

extension Wrapper {
    /// Suspends the one worker, and waits until it is said how it is watched.
    @discardableResult func suspend(at socket: String) throws -> String {
        #expect(try Wrapper.start("suspend", at: socket).wait() == .exited(0))
        return try errors.until("wakes by ")
    }
}
