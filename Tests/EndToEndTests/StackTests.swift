import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// `After=`, `Requires=`, `Subscriptions=`, `OnFailure=` and `ReadyWhen=`, with real programs.
@Suite(.long, .timeLimit(.minutes(60))) struct `The daemon with workers that depend on each other` {
    /// A server that prints that it is ready when it is told to go on, and takes its time to end.
    private static func server(_ name: String, _ lines: String = "") -> String {
        """
        [Worker]
        ExecStart=/bin/sh -c 'trap "echo \(name) ends >> DIRECTORY/log; exit 0" TERM; echo \(name) starts >> DIRECTORY/log; read go < DIRECTORY/\(name).go; echo \(name) is up; while :; do sleep 0.02; done'
        ReadyWhen=output:is up
        StandardOutput=null
        \(lines)
        """
    }

    private func log(_ daemon: DaemonUnderTest) -> [String] {
        let text = (try? String(contentsOfFile: "\(daemon.directory)/log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    private func go(_ name: String, _ daemon: DaemonUnderTest) throws {
        try "go\n".write(toFile: "\(daemon.directory)/\(name).go", atomically: false, encoding: .utf8)
    }

    private func states(_ daemon: DaemonUnderTest) throws -> [String: String] {
        Dictionary(try daemon.list().map { ($0.name, $0.state) }, uniquingKeysWith: { first, _ in first })
    }

    /// A process prints before its supervisor has heard that it was launched.
    private func awaitStates(_ wanted: [String: String], _ daemon: DaemonUnderTest) throws {
        _ = try eventually("the states \(wanted)") { try states(daemon) == wanted ? true : nil }
    }

    /// The workers in the order in which they came into a state.
    private func order(_ state: String, _ count: Int, _ daemon: DaemonUnderTest) throws -> [String] {
        var names: [String] = []
        while names.count < count, let line = try daemon.process.errors.next() {
            guard line.contains(" → \(state)"),
                let name = ["web", "db"].first(where: { line.contains("\($0): ") })
            else { continue }
            names.append(name)
        }
        return names
    }

    @Test func `launches, wakes, puts to sleep and ends a stack in its order`() throws {
        let daemon = try DaemonUnderTest([
            "db": Self.server("db"), "web": Self.server("web", "After=db\nRequires=db"),
        ])
        for name in ["db", "web"] { #expect(mkfifo("\(daemon.directory)/\(name).go", 0o600) == 0) }
        let launch = try Wrapper([], [], line: [Wrapper.program, "launch", "--socket", daemon.socket, "web"])
        _ = try eventually("db to start") { log(daemon) == ["db starts"] ? true : nil }
        try awaitStates(["db": "inactive", "web": "notRunning"], daemon)
        try go("db", daemon)
        _ = try eventually("web to start") { log(daemon) == ["db starts", "web starts"] ? true : nil }
        try awaitStates(["db": "active", "web": "inactive"], daemon)
        try go("web", daemon)
        #expect(try launch.wait() == .exited(0))
        #expect(try states(daemon) == ["db": "active", "web": "active"])
        #expect(try order("active", 2, daemon) == ["db", "web"])
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try order("suspended", 2, daemon) == ["web", "db"])
        func why(_ name: String) throws -> String { try daemon.torpor("why", name).output }
        #expect(try why("db").contains("web, which depends on it, sleeps, and nothing else keeps it awake"))
        #expect(try daemon.torpor("history", "db").output.contains("(dependency)"))
        #expect(try daemon.torpor("activate", "web").status == 0)
        #expect(try order("active", 2, daemon) == ["db", "web"])
        #expect(try why("db").contains("db is active: web, which depends on it, is in use"))
        #expect(try daemon.torpor("suspend", "db").status == 0)
        #expect(try why("web").contains(" suspended db, which it requires"))
        #expect(try daemon.torpor("activate", "web").status == 0)
        #expect(try daemon.torpor("terminate", "db").status == 0)
        #expect(log(daemon).suffix(2) == ["web ends", "db ends"])
    }

    @Test func `refuses a circle with one line, and goes on with what it had`() throws {
        let daemon = try DaemonUnderTest([
            "db": "[Worker]\nExecStart=/bin/sleep 1000\n",
            "web": "[Worker]\nExecStart=/bin/sleep 1000\nAfter=db\nRequires=nothing\n",
        ])
        try daemon.write("db.worker", "[Worker]\nExecStart=/bin/sleep 1000\nAfter=web\n")
        let reload = try daemon.torpor("reload")
        #expect(reload.status == 78)
        #expect(reload.errors.contains("dependency cycle: db → web → db"))
        #expect(try states(daemon) == ["db": "notRunning", "web": "notRunning"])
        #expect(try daemon.torpor("launch", "db").status == 0)
        let verify = try daemon.torpor(
            "verify", "\(daemon.directory)/conf/workers/db.worker",
            "\(daemon.directory)/conf/workers/web.worker")
        #expect(verify.status == 78 && verify.errors.contains("dependency cycle: db → web → db"))
        #expect(verify.errors.contains("worker “nothing” does not exist"))
        #expect(try daemon.torpor("launch", "web").status != 0)
        try daemon.process.errors.until("nothing, which it requires, is not defined")
    }

    @Test func `launches what is for the case that another fails`() throws {
        let daemon = try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/bin/false\nOnFailure=mail@%n\n",
            "mail@": """
            [Worker]
            Type=oneshot
            ExecStart=/bin/sh -c 'echo %i $$TORPOR_LAUNCH_REASON $$TORPOR_LAUNCH_OPTIONS > DIRECTORY/mail; sleep 1000'
            """,
        ])
        _ = try daemon.torpor("launch", "web")
        let mail = try eventually("the mail") {
            (try? String(contentsOfFile: "\(daemon.directory)/mail", encoding: .utf8)).flatMap {
                $0.hasSuffix("\n") ? $0 : nil
            }
        }
        #expect(
            mail.hasPrefix("web failure ") && mail.contains(#""failedWorker":"web""#)
                && mail.contains(#""cause":"failed""#))
        try daemon.process.errors.until("mail@web: woken by the failure of web")
        let status = try daemon.torpor("status", "mail@web").output
        #expect(status.contains("Woken by: failure of web; ") && status.contains("Launched for: failure "))
        let history = try daemon.torpor("history", "mail@web").output
        #expect(history.contains("woken by the failure of web"), "\(history)")
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `waits for a port of the worker's own`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/usr/bin/python3 -c "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', PORT)); open('DIRECTORY/bound', 'w'); open('DIRECTORY/go').read(); s.listen(); time.sleep(1000)"
            ReadyWhen=port:PORT
            """.replacingOccurrences(of: "PORT", with: "\(try freePort())")
        ])
        #expect(mkfifo("\(daemon.directory)/go", 0o600) == 0)
        let launch = try Wrapper([], [], line: [Wrapper.program, "launch", "--socket", daemon.socket, "web"])
        _ = try eventually("it to be bound") { access("\(daemon.directory)/bound", F_OK) == 0 ? true : nil }
        #expect(try states(daemon) == ["web": "inactive"])
        try "go\n".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        #expect(try launch.wait() == .exited(0))
        #expect(try states(daemon) == ["web": "active"])
    }
}
