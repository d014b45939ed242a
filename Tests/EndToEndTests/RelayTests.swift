import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Workers whose clients come to them through a relay.
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3"))) struct `A relay of a daemon` {
    /// Listens at its own port once `GATE` is there, and answers each line with it and the peer's address; says that it is ready then.
    private static let server = """
        import os, socket, threading, time
        def notify(text):
            if "NOTIFY_SOCKET" not in os.environ: return
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.connect(os.environ["NOTIFY_SOCKET"].replace("@", "\\0", 1))
            s.send(text.encode())
        assert "LISTEN_FDS" not in os.environ
        if os.environ.get("GATE"):
            notify("STATUS=loading <things>")
            while not os.path.exists(os.environ["GATE"]): time.sleep(0.01)
        def serve(c):
            while True:
                data = c.recv(4096)
                if not data: break
                c.sendall(data.upper())
            c.close()
        s = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
        notify("READY=1\\nSTATUS=")
        while True:
            threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
        """

    private struct Way {
        let daemon: DaemonUnderTest
        let door: UInt16

        /// The pids of the relays of this daemon's worker.
        func relays() -> [Int32] {
            Directory.entries(of: "/proc").compactMap { Int32($0) }.filter { pid in
                let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
                guard name == "torpor-relay\n" else { return false }
                let group = try? String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
                return group?.contains(daemon.directory.split(separator: "/").last ?? "-") == true
            }
        }

        func state() throws -> String? { try daemon.list().first?.state }

        func log() throws -> String { try daemon.torpor("history", "web").output }
    }

    private func way(
        _ foreground: String = "", gated: Bool = false, type: String = "notify",
        beside others: [String: String] = [:]
    ) throws -> Way {
        let (door, own) = (try freePort(), try freePort())
        let web = [
            "web": """
            [Worker]
            Description=Web & more
            Type=\(type)
            ExecStart=/usr/bin/python3 -ISu DIRECTORY/server.py
            Environment=PORT=\(own) \(gated ? "GATE=DIRECTORY/gate" : "")
            [Foreground]
            ListenStream=127.0.0.1:\(door)
            ForwardTo=127.0.0.1:\(own)
            \(foreground)
            """
        ]
        let daemon = try DaemonUnderTest(web.merging(others) { $1 })
        try Self.server.write(toFile: "\(daemon.directory)/server.py", atomically: true, encoding: .utf8)
        return Way(daemon: daemon, door: door)
    }

    @Test func `launches the worker for its first client, and wakes it for what is forwarded`() throws {
        let way = try way()
        #expect(try way.state() == "notRunning")
        let client = try Client(port: way.door)
        #expect(try client.ask("x\n") == "X\n")
        #expect(try way.state() == "active")
        // By data on a connection that is forwarded, and by a new one.
        #expect(try way.daemon.torpor("suspend", "web").status == 0)
        #expect(try client.ask("y\n") == "Y\n")
        #expect(try way.daemon.torpor("suspend", "web").status == 0)
        #expect(try Client(port: way.door).ask("z\n") == "Z\n")
        #expect(try way.state() == "active")
        // Each end is passed on alone.
        shutdown(client.descriptor, Int32(SHUT_WR))
        #expect(try client.receive() == "")
    }

    @Test func `keeps a worker awake that does not listen yet while a client waits, and wakes it`() throws {
        // The relay tells of the client each half second: on a busy machine it is late by a second now and then.
        let idle = "IdleSec=5s"
        let witness = DaemonUnderTest.witness.replacingOccurrences(of: "IdleSec=1s", with: idle)
        let way = try way(idle, gated: true, type: "simple", beside: ["witness": witness])
        let client = try Client(port: way.door)
        _ = try eventually("its use") {
            try way.daemon.torpor("why", "web").output.contains("a connection that waits to be forwarded")
                ? true : nil
        }
        try way.daemon.awaitWitness()
        #expect(try !way.log().contains("suspended"))
        // Neither its sockets nor a new client could wake it now.
        #expect(try way.daemon.torpor("suspend", "web").status == 0)
        _ = try eventually("its wake") { try way.state() == "active" ? true : nil }
        #expect(FileManager.default.createFile(atPath: "\(way.daemon.directory)/gate", contents: nil))
        #expect(try client.ask("x\n") == "X\n")
    }

    @Test func `ends with the worker, and is there again with the next client`() throws {
        let way = try way()
        let client = try Client(port: way.door)
        #expect(try client.ask("x\n") == "X\n")
        #expect(try way.daemon.torpor("terminate", "web").status == 0)
        #expect(try client.receive() == "")
        for text in ["a", "b"] {
            #expect(try Client(port: way.door).ask(text + "\n") == text.uppercased() + "\n")
            #expect(try way.daemon.torpor("terminate", "web").status == 0)
        }
    }

    @Test func `keeps its connections while the daemon is killed and replaced`() throws {
        let way = try way()
        let client = try Client(port: way.door)
        #expect(try client.ask("x\n") == "X\n")
        try way.daemon.killAndRestart { () throws in
            let answer = try client.ask("meanwhile\n")
            #expect(answer == "MEANWHILE\n")
        }
        #expect(try client.ask("after\n") == "AFTER\n")
        #expect(try Client(port: way.door).ask("new\n") == "NEW\n")
        #expect(try client.ask("still\n") == "STILL\n")
        #expect(try way.daemon.torpor("reexec").status == 0)
        #expect(try client.ask("later\n") == "LATER\n")
        #expect(try Client(port: way.door).ask("new\n") == "NEW\n")
    }

    @Test(.requires(.cgroupV2Writable)) func `that is killed is told of, and replaced`() throws {
        let way = try way()
        let client = try Client(port: way.door)
        #expect(try client.ask("x\n") == "X\n")
        let relay = try #require(way.relays().first)
        kill(relay, SIGKILL)
        #expect(try client.receive() == "")
        #expect(try Client(port: way.door).ask("y\n") == "Y\n")
        try way.daemon.process.errors.until(
            "torpor-relay: it has ended; the connections that it forwarded were lost")
        #expect(way.relays().first != relay)
    }

    @Test func `shows browsers a page while the worker is launched, and keeps all others`() throws {
        let way = try way("Placeholder=yes\nPlaceholderAfterSec=0", gated: true)
        let other = try Client(port: way.door)
        try other.send("other\n")
        let request = "GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n"
        let page = try eventually("the page with what the worker said") { () -> String? in
            let browser = try Client(port: way.door)
            try browser.send(request)
            let page = try browser.readAll()
            return page.contains("loading") ? page : nil
        }
        #expect(page.hasPrefix("HTTP/1.1 503 "))
        #expect(page.contains("<h1>Web &amp; more</h1>") && page.contains("loading &lt;things&gt;"))
        #expect(!other.isReadable)
        _ = FileManager.default.createFile(atPath: "\(way.daemon.directory)/gate", contents: nil)
        #expect(try other.receive() == "OTHER\n")
        // A worker that is there, asleep or not, gets every request itself.
        let browser = try Client(port: way.door)
        #expect(try browser.ask(request) == request.uppercased())
        #expect(try way.daemon.torpor("suspend", "web").status == 0)
        #expect(try browser.ask(request) == request.uppercased())
    }

    @Test func `shows a file of the operator's, and its own page where that is gone`() throws {
        let way = try way("Placeholder=DIRECTORY/wait.html\nPlaceholderAfterSec=0", gated: true)
        func page() throws -> String {
            try eventually("a page") {
                let browser = try Client(port: way.door)
                try browser.send("GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n")
                return try browser.readAll()
            }
        }
        #expect(try page().contains("<h1>Web &amp; more</h1>"))
        try way.daemon.process.errors.until("the built-in page is shown")
        #expect(try way.daemon.torpor("terminate", "web").status == 0)
        try "<p>{{name}}: {{description}}".write(
            toFile: "\(way.daemon.directory)/wait.html", atomically: true, encoding: .utf8)
        #expect(try page().hasSuffix("<p>web: Web &amp; more"))
    }

    @Test func `keeps clients of a socket that the worker takes itself, while it is launched`() throws {
        let port = try freePort()
        let daemon = try HeldServer.daemon([
            "web": HeldServer.worker(
                "ListenStream=127.0.0.1:\(port)\nPlaceholder=yes\nPlaceholderAfterSec=0",
                worker: "ExecStartPre=/bin/sh -c 'while [ ! -e DIRECTORY/gate ]; do sleep 0.01; done'")
        ])
        let other = try Client(port: port)
        try other.send("other\n")
        let page = try eventually("the page") { () -> String? in
            let browser = try Client(port: port)
            try browser.send("GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n")
            return try browser.readAll()
        }
        // Strangers see no command line.
        #expect(page.hasPrefix("HTTP/1.1 503 ") && !page.contains("sleep 0.01"))
        _ = FileManager.default.createFile(atPath: "\(daemon.directory)/gate", contents: nil)
        #expect(try other.receive() == "OTHER\n")
        #expect(try Client(port: port).ask("direct\n") == "DIRECT\n")
    }
}

extension TestSocket {
    /// Everything up to the end.
    fileprivate func readAll() throws -> String {
        var text = ""
        while case let part = try receive(), !part.isEmpty { text += part }
        return text
    }
}
