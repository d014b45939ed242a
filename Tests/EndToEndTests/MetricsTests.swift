import Foundation
import Glibc
import TestSupport
import Testing

/// What `torpor metrics` shows, and what is read at the socket of `[Metrics] Listen=`.
@Suite(.long, .timeLimit(.minutes(60))) struct `The metrics of a daemon` {
    private static let files = [
        "web": """
        [Worker]
        ExecStart=/bin/sleep 1000
        [Callbacks]
        DidEnterBackground=exec:/bin/true
        """,
        "bad": "[Worker]\nExecStart=/bin/sh -c 'exit 3'\n",
    ]

    private func serving() throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest(Self.files)
        let text = DaemonUnderTest.unmoved + "[Metrics]\nListen=\(daemon.directory)/metrics\n"
        try text.write(
            toFile: "\(daemon.directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
        try daemon.killAndRestart()
        return daemon
    }

    /// The answer to one request at the daemon's socket.
    private func ask(_ daemon: DaemonUnderTest, _ request: String) throws -> String {
        let socket = try connected(to: "\(daemon.directory)/metrics")
        defer { close(socket) }
        _ = request.withCString { write(socket, $0, strlen($0)) }
        var answer: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(socket, &room, room.count), count > 0 { answer += room[..<count] }
        return String(decoding: answer, as: UTF8.self)
    }

    private func connected(to path: String) throws -> Int32 {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw TimedOut(description: "cannot connect to \(path): \(errno)") }
        return socket
    }

    @Test func `count what has happened to its workers, and what callbacks took`() throws {
        let daemon = try DaemonUnderTest(Self.files)
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.torpor("activate", "web").status == 0)
        _ = try daemon.torpor("launch", "bad")
        let lines = try eventually("the end of bad to be counted") {
            let text = try daemon.torpor("metrics").output
            return text.contains(#"torpor_worker_ends_total{worker="bad",cause="failed"}"#) ? text : nil
        }.split(separator: "\n").map(String.init)
        #expect(lines.last == "# EOF")
        for expected in [
            #"torpor_worker_state{worker="web",torpor_worker_state="active"} 1"#,
            #"torpor_worker_changes_total{worker="web",state="suspended"} 1"#,
            #"torpor_worker_launches_total{worker="web",reason="operator"} 1"#,
            #"torpor_callback_duration_seconds_count{callback="didEnterBackground"} 1"#,
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
        let asleep = #"torpor_worker_state_seconds_total{worker="web",state="suspended"} "#
        let time = lines.first { $0.hasPrefix(asleep) }.flatMap { Double($0.dropFirst(asleep.count)) }
        #expect((time ?? 0) > 0)
        #expect(try daemon.torpor("metrics", "--format=xml").status == 64)
        #expect(
            try daemon.torpor("metrics", "--format=prometheus").output.contains("# TYPE torpor_workers gauge")
        )
    }

    @Test func `are read at a socket, in the format that the client accepts, by any number of clients`()
        throws
    {
        let daemon = try serving()
        let plain = try ask(daemon, "GET /metrics HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(plain.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"))
        #expect(plain.contains("\n# TYPE torpor_workers gauge\n") && !plain.contains("# EOF"))
        let open = try ask(
            daemon, "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0\r\n\r\n")
        #expect(open.contains("application/openmetrics-text") && open.hasSuffix("# EOF\n"))
        #expect(try ask(daemon, "POST /metrics HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 405 "))
        #expect(try ask(daemon, "GET /secrets HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 404 "))
        #expect(try ask(daemon, "nonsense\n\n").hasPrefix("HTTP/1.1 400 "))
        #expect(try ask(daemon, String(repeating: "x", count: 9000)).hasPrefix("HTTP/1.1 431 "))
        // Clients that say nothing keep no worker and no caller waiting.
        let silent = try (0..<4).map { _ in try connected(to: "\(daemon.directory)/metrics") }
        #expect(try daemon.torpor("launch", "web").status == 0)
        silent.forEach { close($0) }
        let after = try ask(daemon, "GET /metrics HTTP/1.1\r\n\r\n")
        #expect(after.contains(#"torpor_worker_state{worker="web",torpor_worker_state="active"} 1"#))
    }

    @Test func `are still served by the daemon that replaces it`() throws {
        let daemon = try serving()
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try ask(daemon, "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200 OK"))
    }

    @Test func `are not served to the network`() throws {
        let daemon = try DaemonUnderTest(Self.files)
        let conf = "\(daemon.directory)/conf/torpord.conf"
        for address in ["9477", "0.0.0.0:9477", "[::]:9477"] {
            try "[Metrics]\nListen=\(address)\n".write(toFile: conf, atomically: false, encoding: .utf8)
            let verdict = try daemon.torpor("verify", conf)
            #expect(verdict.status == 78 && verdict.errors.contains("without authentication"), "\(verdict)")
        }
        try "[Metrics]\nListen=127.0.0.1:9477\n".write(toFile: conf, atomically: false, encoding: .utf8)
        #expect(try daemon.torpor("verify", conf).status == 0)
    }

    @Test(.requires(.program("/usr/bin/promtool"))) func `are well formed in the opinion of Prometheus`()
        throws
    {
        let daemon = try DaemonUnderTest(Self.files)
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        _ = try daemon.torpor("launch", "bad")
        let file = "\(daemon.directory)/metrics.txt"
        try daemon.torpor("metrics", "--format=prometheus").output.write(
            toFile: file, atomically: false, encoding: .utf8)
        let check = try Wrapper([], [], line: ["/bin/sh", "-c", "exec promtool check metrics < \(file)"])
        let result = try DaemonUnderTest.result(of: check)
        #expect(result.status == 0 && result.output.isEmpty, "\(result.output) \(result.errors)")
    }

    @Test(.requires(.program("/usr/bin/prometheus")), .requires(.program("/usr/bin/promtool")))
    func `are scraped by Prometheus, while workers change, without a scrape that fails`() throws {
        let (listen, web) = (try freePort(), try freePort())
        let daemon = try DaemonUnderTest(Self.files)
        let text = DaemonUnderTest.unmoved + "[Metrics]\nListen=127.0.0.1:\(listen)\n"
        try text.write(
            toFile: "\(daemon.directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
        try daemon.killAndRestart()
        let settings = "\(daemon.directory)/prometheus.yml"
        try """
        global: {scrape_interval: 2s, scrape_timeout: 2s}
        scrape_configs:
          - job_name: torpor
            static_configs: [{targets: ["127.0.0.1:\(listen)"]}]

        """.write(toFile: settings, atomically: false, encoding: .utf8)
        let prometheus = try Wrapper(
            [], [],
            line: [
                "/usr/bin/prometheus", "--config.file=\(settings)", "--log.level=warn",
                "--storage.tsdb.path=\(daemon.directory)/prometheus",
                "--web.listen-address=127.0.0.1:\(web)",
            ])
        // `{labels} => value @[time]`, a line each.
        func values(_ expression: String) throws -> [Double] {
            let query = try Wrapper(
                [], [],
                line: ["/usr/bin/promtool", "query", "instant", "http://127.0.0.1:\(web)", expression])
            return try DaemonUnderTest.result(of: query).output.split(separator: "\n").compactMap { line in
                line.firstRange(of: "=> ").flatMap { found in
                    Double(line[found.upperBound...].prefix { $0 != " " })
                }
            }
        }
        _ = try eventually("the supervisor to be scraped") {
            try values("up{job=\"torpor\"}") == [1] ? true : nil
        }
        // `make test-seen` takes a minute.
        let seconds =
            ProcessInfo.processInfo.environment["TORPOR_SCRAPE_SECONDS"].flatMap(Double.init) ?? 0
        let end = Date().addingTimeInterval(seconds)
        #expect(try daemon.torpor("launch", "web").status == 0)
        let changes = #"torpor_worker_changes_total{worker="web",state="suspended"}"#
        var sleeps = 0
        while sleeps < 5 || Date() < end {
            #expect(try daemon.torpor("suspend", "web").status == 0)
            #expect(try daemon.torpor("activate", "web").status == 0)
            _ = try daemon.torpor("launch", "bad")
            sleeps += 1
            // An increase is one since a scrape: the first is not to come with the last.
            guard sleeps == 1 else { continue }
            _ = try eventually("the first change to be scraped") {
                try values(changes) == [1] ? true : nil
            }
        }
        _ = try eventually("the last change to be scraped") {
            try values(changes) == [Double(sleeps)] ? true : nil
        }
        _ = try eventually("five scrapes") {
            try values("count_over_time(up{job=\"torpor\"}[1h])").contains { $0 >= 5 } ? true : nil
        }
        #expect(try values("min_over_time(up{job=\"torpor\"}[1h])") == [1])
        #expect(try values("increase(\(changes)[1h])").allSatisfy { $0 > 0 })
        #expect(try values(#"sum by (worker) (torpor_worker_state{worker="web"})"#) == [1])
        #expect(
            try values(#"torpor_worker_ends_total{worker="bad",cause="failed"} >= \#(sleeps)"#).count == 1)
        prometheus.send(SIGTERM)
        let (_, _, said) = try DaemonUnderTest.result(of: prometheus)
        #expect(!said.contains("Error on ingesting") && !said.contains("append failed"), "\(said)")
    }
}
