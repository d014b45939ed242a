import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Real servers that are evicted, or end instead of sleeping, with clients that go on connecting (section 5 of the spec's `5-waking`).
@Suite(.long, .timeLimit(.minutes(60))) struct `The sockets of an evicted worker stay open` {
    /// A server as it is, and how it is asked for the port of the client.
    struct Server: CustomTestStringConvertible, Sendable {
        let name: String
        let program: String
        /// Its command line, with `PORT` and `DIRECTORY`.
        var line: String
        var request = "GET / HTTP/1.0\\r\\n\\r\\n"
        /// What its answer contains, with `PORT` for the client's own.
        var answer = "port PORT"
        /// A file that it reads, by its name.
        var file: (name: String, text: String)?

        var testDescription: String { name }
        var isThere: Bool { access(program, X_OK) == 0 }
    }

    private static let python = """
        import socketserver, sys
        class Server(socketserver.ThreadingTCPServer): allow_reuse_address = True
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                self.request.recv(100)
                self.request.sendall(b"port %d\\n" % self.client_address[1])
        Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    private static let java = """
        import com.sun.net.httpserver.*;
        import java.net.*;
        public class Server {
            public static void main(String[] line) throws Exception {
                HttpServer server = HttpServer.create(
                    new InetSocketAddress(InetAddress.getByName("127.0.0.1"), Integer.parseInt(line[0])), 0);
                server.createContext("/", exchange -> {
                    byte[] answer = ("port " + exchange.getRemoteAddress().getPort() + "\\n").getBytes();
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
                server.start();
            }
        }
        """

    private static let nginx = """
        daemon off;
        pid DIRECTORY/nginx.pid;
        error_log DIRECTORY/nginx.log;
        events {}
        http {
            access_log off;
            server { listen 127.0.0.1:PORT; return 200 "port $remote_port\\n"; }
        }
        """

    private static let haproxy = """
        defaults
            mode http
            timeout client 10s
            timeout server 10s
            timeout connect 10s
        frontend all
            bind 127.0.0.1:PORT
            http-request return status 200 content-type text/plain lf-string "port %[src_port]"

        """

    private static let go = """
        package main
        import ("fmt"; "net"; "os")
        func main() {
            listener, err := net.Listen("tcp4", "127.0.0.1:"+os.Args[1])
            if err != nil { panic(err) }
            for {
                client, err := listener.Accept()
                if err != nil { panic(err) }
                go func() {
                    defer client.Close()
                    client.Read(make([]byte, 100))
                    fmt.Fprintf(client, "port %d\\n", client.RemoteAddr().(*net.TCPAddr).Port)
                }()
            }
        }
        """

    static let servers = [
        Server(
            name: "redis", program: "/usr/bin/redis-server",
            line: "/usr/bin/redis-server --port PORT --bind 127.0.0.1 --save ''",
            request: "CLIENT INFO\\r\\n", answer: ":PORT "),
        Server(
            name: "nginx", program: "/usr/sbin/nginx", line: "/usr/sbin/nginx -c DIRECTORY/nginx.conf",
            file: ("nginx.conf", nginx)),
        Server(
            name: "python", program: "/usr/bin/python3",
            line: "/usr/bin/python3 DIRECTORY/server.py PORT", request: "x", file: ("server.py", python)),
        Server(
            name: "node", program: "/usr/bin/node",
            line:
                "/usr/bin/node -e \"require('http').createServer((q,r)=>r.end('port '+q.socket.remotePort)).listen(PORT,'127.0.0.1')\""
        ),
        Server(
            name: "java", program: "/usr/bin/javac", line: "/usr/bin/java DIRECTORY/Server.java PORT",
            file: ("Server.java", java)),
        // It is built at its first launch.
        Server(
            name: "Go", program: "/usr/bin/go",
            line:
                "/bin/sh -c \"test -x DIRECTORY/go || GOCACHE=DIRECTORY/cache GO111MODULE=off go build -o DIRECTORY/go DIRECTORY/server.go; exec DIRECTORY/go PORT\"",
            request: "x", file: ("server.go", go)),
        Server(
            name: "haproxy", program: "/usr/sbin/haproxy",
            line: "/usr/sbin/haproxy -db -f DIRECTORY/haproxy.cfg", file: ("haproxy.cfg", haproxy)),
        Server(
            name: "memcached", program: "/usr/bin/memcached",
            line: "/usr/bin/memcached -u root -l 127.0.0.1 -p PORT", request: "version\\r\\n",
            answer: "VERSION"),
    ]

    /// One connection each 5 ms, so many of them, each with one request; what became of them.
    private static let storm = """
        import asyncio, json, sys
        host, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        request, expected = sys.argv[4].encode().decode("unicode_escape").encode(), sys.argv[5]
        seen = {"answered": 0, "refused": 0, "reset": 0, "late": 0, "wrong": 0}
        async def one():
            writer = None
            try:
                reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 60)
                wanted = expected.replace("PORT", str(writer.get_extra_info("sockname")[1])).encode()
                writer.write(request)
                got = b""
                while wanted not in got:
                    more = await asyncio.wait_for(reader.read(4096), 60)
                    if not more: break
                    got += more
                seen["answered" if wanted in got else "wrong" if got else "reset"] += 1
            except ConnectionRefusedError: seen["refused"] += 1
            except (ConnectionResetError, BrokenPipeError): seen["reset"] += 1
            except asyncio.TimeoutError: seen["late"] += 1
            finally:
                if writer: writer.close()
        async def main():
            loop = asyncio.get_running_loop()
            begun, tasks = loop.time(), []
            for number in range(count):
                await asyncio.sleep(max(0, begun + number * 0.005 - loop.time()))
                tasks.append(asyncio.create_task(one()))
            await asyncio.gather(*tasks)
            print(json.dumps(seen), flush=True)
        asyncio.run(main())
        """

    struct Counts: Decodable {
        let answered: Int
        let refused: Int
        let reset: Int
        let late: Int
        let wrong: Int
    }

    func storm(
        _ server: Server, at port: UInt16, count: Int = 600, host: String = "127.0.0.1",
        through prefix: [String] = []
    ) throws -> Counts {
        let process = try Wrapper(
            [], [],
            line: prefix + [
                "/usr/bin/python3", "-c", Self.storm, host, "\(port)", "\(count)", server.request,
                server.answer,
            ])
        let line = try #require(try process.output.next())
        print("\(server.name): \(line)")
        return try JSONDecoder().decode(Counts.self, from: Data(line.utf8))
    }

    private static func worker(_ server: Server, _ port: UInt16, _ more: String) -> String {
        """
        [Worker]
        ExecStart=\(server.line.replacing("PORT", with: "\(port)"))
        \(more)
        """
    }

    func daemon(_ server: Server, _ port: UInt16, _ more: String, through: [String] = []) throws
        -> DaemonUnderTest
    {
        let daemon = try DaemonUnderTest(["server": Self.worker(server, port, more)], through: through)
        if let file = server.file {
            try file.text.replacing("PORT", with: "\(port)").replacing("DIRECTORY", with: daemon.directory)
                .write(toFile: "\(daemon.directory)/\(file.name)", atomically: true, encoding: .utf8)
        }
        return daemon
    }

    /// What the daemon tells of the worker when a client had no answer.
    private func story(_ daemon: DaemonUnderTest) throws -> String {
        try ["status", "why", "logs"].map { try daemon.torpor($0, "server").output }.joined(separator: "\n")
    }

    func connected(to port: UInt16) throws -> Client {
        try eventually("port \(port) to be listened at") { try? Client(port: port) }
    }

    func listens(at port: UInt16) -> Bool { (try? Client(port: port)) != nil }

    /// Has the worker launched, put to sleep and evicted, and returns by what it wakes then.
    func evict(_ daemon: DaemonUnderTest, at port: UInt16, exits: Bool = false) throws -> String {
        #expect(try daemon.torpor("launch", "server").status == 0)
        // Not only the socket that was left open, once that is there.
        try eventually("it listens") {
            let isOpen = try daemon.torpor("status", "server").output.contains("Wakes by")
            return !isOpen && listens(at: port) ? () : nil
        }
        #expect(try daemon.torpor("suspend", "server").status == 0)
        if !exits {
            try configure(daemon, "CriticalAvailable=99%\nWarningAvailable=99%\n")
            try eventually("it is evicted") {
                if try daemon.torpor("status", "server").status == 3 { return () }
                // A busy server has not accepted the look at its port before it slept: that may wake it once.
                if try daemon.list().first?.state != "suspended" {
                    _ = try daemon.torpor("suspend", "server")
                }
                return nil
            }
            try configure(daemon, "Policy=observe\n")
        }
        let status = try daemon.torpor("status", "server")
        #expect(status.status == 3)
        return status.output.firstMatch(of: /Wakes by: (.*)/).map { String($0.1) } ?? ""
    }

    private func configure(_ daemon: DaemonUnderTest, _ lines: String) throws {
        try ("[Memory]\n" + lines).write(
            toFile: "\(daemon.directory)/conf/torpord.conf", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("reload").status == 0)
    }

    /// Whether another process of the same user could take clients of this port.
    private func isShared(_ port: UInt16) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(socket, 1) == 0
            }
        }
    }

    @Test(.requires(.portSharing), .requires(.cgroupV2Writable), arguments: servers)
    func `migrate: no client is refused, and the server sees its own port`(_ server: Server) throws {
        guard server.isThere else { return print("skipped: \(server.name) is not installed") }
        let port = try freePort()
        let daemon = try daemon(server, port, "[Memory]\nEvictable=silent")
        #expect(try evict(daemon, at: port).hasPrefix("tcp 127.0.0.1:\(port) (migrate"))
        let counts = try storm(server, at: port)
        #expect(counts.answered == 600, "\(counts)")
        let status = try daemon.torpor("status", "server").output
        #expect(status.contains("Launched for: socket, restored after an eviction"), "\(status)")
        if server.name != "haproxy" {
            // haproxy shares its port by itself.
            try eventually("the port is its own") { isShared(port) ? nil : () }
        }
        #expect(try daemon.torpor("kill", "server").status == 0)
        #expect(!listens(at: port))
    }

    static let redis = servers[0]

    @Test(.requires(.portSharing), .requires(.program("/usr/bin/redis-server")))
    func `a worker that ends instead of sleeping leaves them too, and a graceful one`() throws {
        let port = try freePort()
        let daemon = try daemon(Self.redis, port, "ExitsOnSuspend=yes\n[Memory]\nEvictable=graceful")
        for _ in 0..<2 {
            #expect(try evict(daemon, at: port, exits: true).hasPrefix("tcp 127.0.0.1:\(port) (migrate"))
            let counts = try storm(Self.redis, at: port, count: 50)
            #expect(counts.answered == 50, "\(counts)")
        }
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.program("/usr/bin/redis-server")))
    func `an operator's end, and a launch that fails again and again, close them`() throws {
        let port = try freePort()
        let daemon = try daemon(
            Self.redis, port, "ExitsOnSuspend=yes\nExecStartPre=/usr/bin/test ! -e DIRECTORY/broken")
        _ = try evict(daemon, at: port, exits: true)
        #expect(listens(at: port))
        #expect(try daemon.torpor("terminate", "server").status == 0)
        #expect(!listens(at: port))
        _ = try evict(daemon, at: port, exits: true)
        try "".write(toFile: "\(daemon.directory)/broken", atomically: true, encoding: .utf8)
        let client = try connected(to: port)
        try client.send("PING\r\n")
        // Closed at the start limit: told, and not left waiting.
        var byte: UInt8 = 0
        #expect(recv(client.descriptor, &byte, 1, 0) <= 0)
        try eventually("it is closed") { listens(at: port) ? nil : () }
        let status = try daemon.torpor("status", "server").output
        #expect(status.contains("failed"), "\(status)")
    }

    @Test(arguments: servers.filter { ["redis", "python", "node"].contains($0.name) })
    func `splice: clients are refused only from the launch until the server listens`(_ server: Server) throws
    {
        guard server.isThere else { return print("skipped: \(server.name) is not installed") }
        let port = try freePort()
        let daemon = try daemon(server, port, "ExitsOnSuspend=yes\n[Memory]\nHandOver=splice")
        #expect(try evict(daemon, at: port, exits: true).hasPrefix("tcp 127.0.0.1:\(port) (splice"))
        // The port that it sees of those that waited is the relay's.
        var asked = server
        asked.answer = server.name == "redis" ? "addr=" : "port "
        let counts = try storm(asked, at: port)
        #expect(counts.answered + counts.refused == 600, "\(counts)")
        #expect(counts.answered > 400, "\(counts)")
        #expect(try storm(server, at: port, count: 20).answered == 20)
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.program("/usr/bin/redis-server")), arguments: ["splice", "auto"])
    func `the client of a launch that fails is answered by the next one`(_ handOver: String) throws {
        let port = try freePort()
        var redis = Self.redis
        redis.line =
            "/bin/sh -c 'rm DIRECTORY/broken && exit 1; exec /usr/bin/redis-server --port PORT --save \"\"'"
        (redis.request, redis.answer) = ("PING\\r\\n", "+PONG")
        let daemon = try daemon(redis, port, "ExitsOnSuspend=yes\n[Memory]\nHandOver=\(handOver)")
        _ = try evict(daemon, at: port, exits: true)
        try "".write(toFile: "\(daemon.directory)/broken", atomically: true, encoding: .utf8)
        #expect(try storm(redis, at: port, count: 1).answered == 1)
        #expect(access("\(daemon.directory)/broken", F_OK) != 0)
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.program("/usr/bin/redis-server")))
    func `splice: the client that launches a worker with ReadyWhen= is answered`() throws {
        let port = try freePort()
        var redis = try #require(Self.servers.first { $0.name == "redis" })
        redis.answer = "addr="
        let more = "ExitsOnSuspend=yes\nReadyWhen=port:\(port)\n[Memory]\nHandOver=splice"
        let daemon = try daemon(redis, port, more)
        _ = try evict(daemon, at: port, exits: true)
        #expect(try storm(redis, at: port, count: 1).answered == 1)
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(
        .requires(.program("/usr/bin/redis-server")), .requires(.root), .requires(.networkNamespaces))
    func `splice: a server that trusts its own machine does not trust a client of the network for it`() throws
    {
        // A namespace of its own, in which this machine has an address of the network.
        let network = "ip link set lo up && ip addr add 10.99.0.1/32 dev lo && exec \"$@\""
        let redis = Server(
            name: "redis", program: "", line: "/usr/bin/redis-server --port 6379 --save ''",
            request: "PING\\r\\n", answer: "DENIED Redis is running in protected mode")
        let daemon = try daemon(
            redis, 6379, "ExitsOnSuspend=yes\n[Memory]\nHandOver=splice",
            through: ["unshare", "-n", "sh", "-c", network, "sh"])
        let inside = ["nsenter", "-t", "\(daemon.process.pid)", "-n"]
        #expect(try daemon.torpor("launch", "server").status == 0)
        try eventually("it listens") {
            try storm(redis, at: 6379, count: 1, host: "10.99.0.1", through: inside).answered == 1 ? () : nil
        }
        var trusting = redis
        trusting.answer = "+PONG"
        for (host, server) in [("10.99.0.1", redis), ("127.0.0.1", trusting)] {
            #expect(try daemon.torpor("suspend", "server").status == 0)
            let status = try daemon.torpor("status", "server").output
            #expect(status.contains("(splice"), "\(status)")
            // The first one is held while it is launched.
            let isAnswered = try storm(server, at: 6379, count: 1, host: host, through: inside).answered == 1
            let story = try isAnswered ? "" : story(daemon)
            #expect(isAnswered, "\(story)")
            #expect(try storm(server, at: 6379, count: 1, host: host, through: inside).answered == 1)
        }
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.program("/usr/bin/redis-server"))) func `HoldSockets=no keeps none`() throws {
        let port = try freePort()
        let daemon = try daemon(Self.redis, port, "ExitsOnSuspend=yes\n[Memory]\nHoldSockets=no")
        #expect(try evict(daemon, at: port, exits: true) == "")
        #expect(!listens(at: port))
    }

    @Test func `a Unix socket is a bell, and the worker sees the client's own identity`() throws {
        let script = """
            import os, socket, struct, sys
            path = sys.argv[1]
            if os.path.exists(path): os.unlink(path)
            server = socket.socket(socket.AF_UNIX)
            server.bind(path)
            os.chmod(path, 0o777)
            server.listen(5)
            while True:
                client, _ = server.accept()
                pid, uid, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                client.sendall(b"%d %d" % (pid, uid))
                client.close()
            """
        let asking = """
            import os, socket, sys, time
            os.setuid(65534)
            tries = 0
            while True:
                tries += 1
                try:
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(sys.argv[1])
                    answer = client.recv(100).decode()
                    if answer: break
                except OSError: pass
                time.sleep(0.01)
            print(tries, answer == "%d 65534" % os.getpid(), flush=True)
            """
        let daemon = try DaemonUnderTest([
            "server": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/server.py /tmp/torpor-test-unix-\(getpid()).sock
            ExitsOnSuspend=yes
            """
        ])
        let path = "/tmp/torpor-test-unix-\(getpid()).sock"
        defer { unlink(path) }
        try script.write(toFile: "\(daemon.directory)/server.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "server").status == 0)
        try eventually("it listens") { access(path, F_OK) == 0 ? () : nil }
        #expect(try daemon.torpor("suspend", "server").status == 0)
        let status = try daemon.torpor("status", "server").output
        #expect(status.contains("Wakes by: \(path) (no: a Unix socket is bound anew"), "\(status)")
        let client = try Wrapper([], [], line: ["/usr/bin/python3", "-c", asking, path])
        let line = try #require(try client.output.next())
        print("Unix: tries, and whether the server saw the client itself: \(line)")
        #expect(line.hasSuffix("True"), "\(line)")
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.portSharing), .requires(.program("/usr/bin/redis-server")))
    func `they survive the daemon's replacement, and its death with a manager's store`() throws {
        let port = try freePort()
        let manager = try StoringManager()
        let daemon = try daemon(Self.redis, port, "ExitsOnSuspend=yes", through: manager.starter)
        _ = try evict(daemon, at: port, exits: true)
        try manager.awaitBeginning("stored door.worker-server.")
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("status", "server").output.contains("(migrate"))
        var early: Client?
        try daemon.killAndRestart {
            early = try connected(to: port)
            try early?.send("PING\r\n")
        }
        #expect(try early?.receive() == "+PONG\r\n")
        #expect(try storm(Self.redis, at: port, count: 50).answered == 50)
        #expect(try daemon.torpor("kill", "server").status == 0)
        #expect(!listens(at: port))
    }
}

extension Capability {
    /// Programs of bpf(2) by which listening sockets share a port.
    static let portSharing = Capability("CAP_BPF and CAP_NET_ADMIN") {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let text = status.firstMatch(of: /CapEff:\s*([0-9a-f]+)/), let set = UInt64(text.1, radix: 16)
        else { return "unknown" }
        return set & 1 << 39 != 0 && set & 1 << 12 != 0 ? nil : "not in effect"
    }
}
