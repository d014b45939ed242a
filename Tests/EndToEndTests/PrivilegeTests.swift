import Foundation
import Glibc
import TestSupport
import Testing

/// What needs no capability (capabilities(7)), and which ones the daemon needs.
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/setpriv"))) struct `Without capabilities` {
    /// In front of a command line: it has no capabilities but these, whoever its user is.
    private static func only(_ capabilities: [String] = []) -> [String] {
        let bounding = ["-all"] + capabilities.map { "+" + $0 }
        return geteuid() == 0
            ? ["setpriv", "--bounding-set=\(bounding.joined(separator: ","))", "--inh-caps=-all", "--"]
            : ["setpriv", "--inh-caps=-all", "--"]
    }

    /// A set of capabilities of a process, as proc_pid_status(5) has it.
    private func set(_ name: String, of process: Int32) throws -> UInt64 {
        let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(UInt64(line.split(separator: "\t").last ?? "", radix: 16))
    }

    private static let server = """
        import socket, sys
        l = socket.create_server(('127.0.0.1', int(sys.argv[1]))); print(l.getsockname()[1], flush=True)
        while True:
            c = l.accept()[0]; c.sendall(c.recv(100).upper()); c.close()
        """

    @Test func `torpor run puts its command to sleep, and a client wakes it`() throws {
        let run = try Wrapper(["-v"], ["python3", "-c", Self.server, "0"], through: Self.only())
        let socket = try run.controlSocket()
        let port = try #require(UInt16(run.output.next() ?? ""))
        #expect(try set("CapEff", of: run.pid) == 0 && set("CapBnd", of: run.pid) == 0 || geteuid() != 0)
        let suspended = try Wrapper.start("suspend", at: socket)
        #expect(try suspended.wait() == .exited(0))
        let client = try Client(port: port)
        let answer = try? client.ask("x")
        let why = answer == "X" ? [] : try Wrapper.start("status", at: socket).output.rest()
        let sockets = answer == "X" ? [] : try Wrapper([], [], line: ["ss", "-tnap"]).output.rest()
        run.send(SIGTERM)
        let said = try run.errors.rest()
        let open = sockets.filter { $0.contains(":\(port) ") }
        #expect(answer == "X", "\(why) \(open) \(said)")
        #expect(try run.wait() == .exited(143))
    }

    @Test func `a daemon leads its workers, and answers a scrape`() throws {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper], through: Self.only())
        let text = DaemonUnderTest.unmoved + "[Metrics]\nListen=\(daemon.directory)/metrics\n"
        try text.write(toFile: "\(daemon.directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
        try daemon.killAndRestart()
        _ = try daemon.awaitWeb()
        #expect(try set("CapEff", of: daemon.process.pid) == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.torpor("activate", "web").status == 0)
        let scrape = try Wrapper(
            [], [],
            line: Self.only() + [
                "python3", "-c",
                """
                import socket
                s = socket.socket(socket.AF_UNIX); s.connect('\(daemon.directory)/metrics')
                s.sendall(b'GET /metrics HTTP/1.0\\r\\n\\r\\n')
                while data := s.recv(65536): print(data.decode())
                """,
            ])
        let answer = try scrape.output.rest()
        #expect(answer.first?.contains("200") == true)
        #expect(answer.contains { $0.hasPrefix("torpor_worker_") && $0.contains(#"worker="web""#) })
        #expect(try daemon.torpor("terminate", "web").status == 0)
    }

    @Test(.requires(.program("/usr/bin/python3"))) func `a relay has none, whatever its daemon has`() throws {
        let (door, own) = (try freePort(), try freePort())
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/usr/bin/python3 -ISu DIRECTORY/server.py \(own)
            ReadyWhen=port:\(own)
            [Foreground]
            ListenStream=127.0.0.1:\(door)
            ForwardTo=127.0.0.1:\(own)
            """
        ])
        try Self.server.write(toFile: "\(daemon.directory)/server.py", atomically: true, encoding: .utf8)
        #expect(try Client(port: door).ask("x") == "X")
        let relay = try #require(
            children(of: daemon.process.pid).first {
                (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "torpor-relay\n"
            })
        for name in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            #expect(try set(name, of: relay) == 0, "\(name)")
        }
        // It cannot get any by a program either, and a filter bounds its system calls.
        #expect(try set("NoNewPrivs", of: relay) == 1 && set("Seccomp", of: relay) == 2)
        if geteuid() == 0 {
            let status = try String(contentsOfFile: "/proc/\(relay)/status", encoding: .utf8)
            #expect(status.contains("Uid:\t65533\t65533\t65533\t65533"))
        }
    }

    /// Those that the system unit names as the daemon's own, but for HandOver= and other network namespaces.
    private static let needed = [
        "setuid", "setgid", "chown", "fowner", "dac_override", "dac_read_search", "kill", "sys_ptrace",
        "sys_resource", "sys_nice", "ipc_lock", "net_bind_service",
    ]

    @Test(.requires(.root)) func `but for those that the unit calls its own, a daemon has all that it needs`()
        throws
    {
        let port = try freePort()
        // CAP_SYS_RESOURCE, which a machine may withhold from its root.
        let score = try set("CapEff", of: getpid()) & 1 << 24 == 0 ? "" : "OOMScoreAdjust=-100"
        let daemon = try DaemonUnderTest(
            [
                "web": """
                [Worker]
                ExecStart=/usr/bin/python3 -ISu DIRECTORY/server.py \(port)
                ReadyWhen=port:\(port)
                WorkingDirectory=/
                User=4201
                Group=4201
                \(score)
                Nice=-5
                LimitNOFILE=8192
                """
            ], through: Self.only(Self.needed))
        try Self.server.write(toFile: "\(daemon.directory)/server.py", atomically: true, encoding: .utf8)
        chmod(daemon.directory, 0o755)
        let launch = try daemon.torpor("launch", "web")
        #expect(launch.status == 0, "\(launch)")
        let web = try #require(try daemon.list().last?.pid)
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("✓ wake by sockets"), "\(doctor)")
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.torpor("list").output.contains("tcp \(port)"))
        #expect(try Client(port: port).ask("x") == "X")
        #expect(try set("CapEff", of: web) == 0)
        #expect(try daemon.torpor("kill", "web").status == 0)
        try awaitEnd(of: web)
    }
}
