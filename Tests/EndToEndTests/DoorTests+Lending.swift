import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Workers that are given their sockets where they bind them (`HandOver=handover`).
extension `The sockets of an evicted worker stay open` {
    private static let handover = "[Memory]\nEvictable=silent\nHandOver=handover"

    /// A server that binds another socket when it is asked to, and says how its process is.
    private static let binder = Server(
        name: "binder", program: "/usr/bin/python3",
        line: "/usr/bin/python3 DIRECTORY/binder.py PORT", request: "x",
        file: (
            "binder.py",
            """
            import socket, sys
            server = socket.socket()
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("127.0.0.1", int(sys.argv[1])))
            server.listen(100)
            kept = []
            while True:
                client, peer = server.accept()
                word = client.recv(100)
                answer = b"port %d\\n" % peer[1]
                if word == b"bind":
                    kept.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                    try:
                        kept[-1].bind(("127.0.0.1", 0))
                        answer = b"bound\\n"
                    except OSError as problem: answer = b"errno %d\\n" % problem.errno
                if word == b"status":
                    wanted = ("NoNewPrivs:", "Seccomp:")
                    lines = [l.split() for l in open("/proc/self/status") if l.startswith(wanted)]
                    answer = (" ".join(w for l in lines for w in l) + "\\n").encode()
                client.sendall(answer)
                client.close()
            """
        ))

    /// What the binder at a port answers.
    private func ask(_ word: String, _ port: UInt16) throws -> String {
        let client = try connected(to: port)
        try client.send(word)
        return try client.receive()
    }

    @Test(.requires(.bindNotices), .requires(.cgroupV2Writable), arguments: servers)
    func `handover: no client is refused, and the server sees its own port`(_ server: Server) throws {
        guard server.isThere else { return print("skipped: \(server.name) is not installed") }
        let port = try freePort()
        let daemon = try daemon(server, port, Self.handover)
        for _ in 0..<2 {
            let wakes = try evict(daemon, at: port)
            #expect(wakes.hasPrefix("tcp 127.0.0.1:\(port) (handover"), "\(wakes)")
            let counts = try storm(server, at: port)
            #expect(counts.answered == 600, "\(counts)")
            let status = try daemon.torpor("status", "server").output
            #expect(status.contains("Launched for: socket, restored after an eviction"), "\(status)")
            #expect(!status.contains("Wakes by"), "\(status)")
        }
        #expect(try daemon.torpor("kill", "server").status == 0)
        #expect(!listens(at: port))
    }

    @Test(.requires(.bindNotices), .requires(.cgroupV2Writable), .requires(.program("/usr/sbin/dnsmasq")))
    func `handover: the datagram that launches a server is answered by its new process`() throws {
        // Below the ports that the kernel gives out by itself: none of those counts as one of a server.
        let port = try #require(
            (20_000..<30_000).lazy.map { UInt16($0 + Int(getpid()) % 1000) }.first(where: Self.isFree))
        let line =
            "/usr/sbin/dnsmasq -k -u root -C /dev/null -R -h --pid-file= --bind-interfaces -a 127.0.0.1 -p \(port)"
        let daemon = try DaemonUnderTest([
            "server": """
            [Worker]
            ExecStart=\(line) --address=/torpor.test/192.0.2.7
            \(Self.handover)
            """
        ])
        for _ in 0..<3 {
            let wakes = try evict(daemon, at: port)
            #expect(wakes.contains("udp 127.0.0.1:\(port) (handover"), "\(wakes)")
            #expect(wakes.contains("tcp 127.0.0.1:\(port) (handover"), "\(wakes)")
            // One query, and no second try.
            let asking = try Wrapper([], [], line: ["/usr/bin/python3", "-c", Self.query, "\(port)"])
            let answer = try #require(try asking.output.next())
            print("dnsmasq, evicted: \(answer)")
            #expect(answer.hasPrefix("192.0.2.7 "), "\(answer)")
            let status = try daemon.torpor("status", "server").output
            #expect(status.contains("Launched for: socket, restored after an eviction"), "\(status)")
        }
        #expect(try daemon.torpor("kill", "server").status == 0)
        #expect(Self.isFree(port))
    }

    private static func isFree(_ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return [SOCK_STREAM, SOCK_DGRAM].allSatisfy { kind in
            let socket = socket(AF_INET, Int32(kind.rawValue), 0)
            defer { close(socket) }
            var yes: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return withUnsafePointer(to: &address) { place in
                place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    /// Asks once for the address of torpor.test, and prints it with how long that took.
    private static let query = """
        import socket, struct, sys, time
        name = b"".join(bytes([len(p)]) + p for p in (b"torpor", b"test")) + b"\\0"
        asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asking.settimeout(60)
        begun = time.monotonic()
        packet = struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1)
        asking.sendto(packet, ("127.0.0.1", int(sys.argv[1])))
        answer = asking.recv(512)
        taken = (time.monotonic() - begun) * 1000
        print(socket.inet_ntoa(answer[-4:]), "in %.0f ms" % taken, flush=True)
        """

    @Test(.requires(.bindNotices))
    func `handover: a server binds as it did across the daemon's replacement, and its death with a store`()
        throws
    {
        let port = try freePort()
        let manager = try StoringManager()
        let daemon = try daemon(
            Self.binder, port, "ExitsOnSuspend=yes\n[Memory]\nHandOver=handover", through: manager.starter)
        let wakes = try evict(daemon, at: port, exits: true)
        #expect(wakes.hasPrefix("tcp 127.0.0.1:\(port) (handover"), "\(wakes)")
        #expect(try daemon.torpor("reexec").status == 0)
        try daemon.killAndRestart()
        #expect(try storm(Self.binder, at: port, count: 50).answered == 50)
        #expect(try ask("bind", port) == "bound\n")
        try manager.awaitBeginning("stored bind.worker-server.")
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try ask("bind", port) == "bound\n")
        var early: Client?
        try daemon.killAndRestart {
            early = try connected(to: port)
            // It waits for the next daemon.
            try early?.send("bind")
        }
        #expect(try early?.receive() == "bound\n")
        #expect(try ask("bind", port) == "bound\n")
        let status = try daemon.torpor("status", "server").output
        #expect(!status.contains("HandOver"), "\(status)")
        #expect(try daemon.torpor("kill", "server").status == 0)
        // The last process is gone, and with it what was kept: the manager sees it too.
        try manager.awaitBeginning("removed bind.worker-server.", "hung up bind.worker-server.")
    }

    /// Binds all the time, in a thread of its own, and says how often it has.
    private static let busy = Server(
        name: "busy", program: "/usr/bin/python3", line: "/usr/bin/python3 DIRECTORY/busy.py PORT",
        file: (
            "busy.py",
            """
            import socket, sys, threading
            count = 0
            def work():
                global count
                while True:
                    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one: one.bind(("127.0.0.1", 0))
                    count += 1
            server = socket.socket()
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(("127.0.0.1", int(sys.argv[1])))
            server.listen(100)
            threading.Thread(target=work, daemon=True).start()
            while True:
                client, peer = server.accept()
                client.recv(100)
                client.sendall(b"%d\\n" % count)
                client.close()
            """
        ))

    @Test(.requires(.bindNotices), .requires(.cgroupV2Writable))
    func `handover: a worker that binds while the daemon is killed or replaced is answered by the next one`()
        throws
    {
        let port = try freePort()
        let manager = try StoringManager()
        let daemon = try daemon(
            Self.busy, port, "[Memory]\nHandOver=handover", through: manager.starter)
        #expect(try daemon.torpor("launch", "server").status == 0)
        try manager.awaitBeginning("stored bind.worker-server.")
        func count() throws -> Int { Int(try ask("x", port).dropLast()) ?? -1 }
        for round in 0..<20 {
            if round.isMultiple(of: 2) {
                try daemon.killAndRestart()
            } else {
                #expect(try daemon.torpor("reexec").status == 0)
            }
            let before = try count()
            try eventually("it binds again, in round \(round)") { try count() > before ? () : nil }
        }
        print("bound \(try count()) times")
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.bindNotices))
    func `handover: without a store a daemon that is killed is missed, which is told and mended`() throws {
        let port = try freePort()
        let daemon = try daemon(Self.binder, port, "[Memory]\nHandOver=handover")
        #expect(try daemon.torpor("launch", "server").status == 0)
        #expect(try ask("bind", port) == "bound\n")
        try daemon.killAndRestart()
        #expect(try ask("bind", port) == "errno \(ENOSYS)\n")
        #expect(try ask("x", port).hasPrefix("port "))
        let status = try daemon.torpor("status", "server").output
        #expect(status.contains("HandOver=handover: the process can bind no further socket"), "\(status)")
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("worker server: the process can bind no further socket"), "\(doctor)")
        #expect(try daemon.torpor("restart", "server").status == 0)
        #expect(try ask("bind", port) == "bound\n")
        #expect(try !daemon.torpor("status", "server").output.contains("HandOver="))
        #expect(try daemon.torpor("kill", "server").status == 0)
    }

    @Test(.requires(.portSharing), .requires(.cgroupV2Writable))
    func `handover: where seccomp(2) is refused, the best other way is taken, and told once`() throws {
        let port = try freePort()
        let daemon = try daemon(
            Self.binder, port, Self.handover, through: ["/usr/bin/python3", "-c", Self.refusing])
        let wakes = try evict(daemon, at: port)
        let expected = "tcp 127.0.0.1:\(port) (migrate: a seccomp filter refuses seccomp(2)"
        #expect(wakes.hasPrefix(expected), "\(wakes)")
        #expect(try storm(Self.binder, at: port, count: 100).answered == 100)
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("SystemCallFilter=seccomp"), "\(doctor)")
        #expect(try daemon.torpor("kill", "server").status == 0)
        daemon.process.send(SIGTERM)
        var told = 0
        while let line = try daemon.process.errors.next() {
            if line.contains("HandOver=handover is taken for auto") { told += 1 }
        }
        #expect(told == 1)
    }

    /// Runs the rest of its command line with a filter by which seccomp(2) fails.
    private static let refusing = """
        import ctypes, os, struct, sys
        number = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
        lines = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | 1), (6, 0, 0, 0x7fff0000)]
        program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
        filter = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(program)))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(filter)), 0, 0): sys.exit("no filter")
        os.execv(sys.argv[1], sys.argv[1:])
        """

    @Test(.requires(.bindNotices), .requires(.root), .requires(.program("/usr/bin/setpriv")))
    func `handover costs new privileges only where the daemon has not CAP_SYS_ADMIN`() throws {
        let without = ["/usr/bin/setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]
        for (prefix, expected) in [
            ([], "NoNewPrivs: 0 Seccomp: 2\n"), (without, "NoNewPrivs: 1 Seccomp: 2\n"),
        ] {
            let port = try freePort()
            let daemon = try daemon(Self.binder, port, "[Memory]\nHandOver=handover", through: prefix)
            #expect(try daemon.torpor("launch", "server").status == 0)
            #expect(try ask("status", port) == expected)
            #expect(try daemon.torpor("kill", "server").status == 0)
        }
    }
}

extension Capability {
    /// System calls that are told to a supervisor.
    static let bindNotices = Capability("seccomp_unotify(2), and pidfd_getfd(2)") {
        guard
            let text = try? String(contentsOfFile: "/proc/sys/kernel/seccomp/actions_avail", encoding: .utf8)
        else { return "no seccomp filters" }
        return text.contains("user_notif") ? nil : "no user_notif"
    }
}
