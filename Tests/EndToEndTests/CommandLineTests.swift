import Foundation
import Glibc
import Linux
import Processes
import TestSupport
import Testing

/// What an operator types, and is answered.
@Suite(.timeLimit(.minutes(60)))
struct `The operator's command` {
    private static let sleeper = "[Worker]\nExecStart=/bin/sleep 1000\n"

    /// Stops `process`, and waits until the kernel says so.
    private static func stop(_ process: Wrapper) {
        process.send(SIGSTOP)
        while ProcessStat.read(pid: process.pid)?.state != .stopped { usleep(1000) }
    }

    @Test func `does not wait for a supervisor that is stopped, and says that it is`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper])
        #expect(try daemon.torpor("launch", "web").status == 0)
        Self.stop(daemon.process)
        defer { daemon.process.send(SIGCONT) }
        let sentence = "the supervisor (pid \(daemon.process.pid)) does not answer (state T)"
        for arguments in [["list"], ["status"], ["watch"], ["why", "web"]] {
            let verb = try Wrapper(
                [], [],
                line: [Wrapper.program] + arguments + ["--socket", daemon.socket, "--timeout", "100ms"])
            let result = try DaemonUnderTest.result(of: verb)
            #expect(result.status == 75, "\(arguments)")
            #expect(result.errors.contains(sentence), "\(arguments): \(result.errors)")
        }
        // These wait for workers, by nature, but not for a sign of life.
        let suspend = try daemon.torpor("suspend", "web", "--timeout", "10min")
        #expect(suspend.status == 75 && suspend.errors.contains(sentence), "\(suspend)")
        daemon.process.send(SIGCONT)
        // What was not heard then has not been done later.
        #expect(try daemon.list().first?.state == "active")
    }

    @Test func `does not wait for a torpor run that is stopped`() throws {
        let run = try Wrapper(["-v"], ["/bin/sleep", "1000"])
        let line = try run.errors.until("control socket ")
        let socket = try #require(line.split(separator: " ").last.map(String.init))
        Self.stop(run)
        defer { run.send(SIGCONT) }
        let list = try DaemonUnderTest.result(
            of: Wrapper([], [], line: [Wrapper.program, "list", "--socket", socket, "--timeout", "100ms"]))
        #expect(list.status == 75)
        #expect(
            list.errors.contains("the supervisor (pid \(run.pid)) does not answer (state T)"),
            "\(list.errors)")
    }

    @Test func `takes its options before the verb and the supervisor from the environment`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper])
        func torpor(_ arguments: [String], _ environment: [String: String] = [:]) throws -> (
            status: Int32, output: String, errors: String
        ) {
            try DaemonUnderTest.result(
                of: Wrapper([], [], environment: environment, line: [Wrapper.program] + arguments))
        }
        let before = try torpor(["--socket", daemon.socket, "-q", "list"])
        #expect(before.status == 0 && before.output.contains("web"))
        let named = try torpor(["list", "-q"], ["TORPOR_SUPERVISOR": daemon.socket])
        #expect(named.status == 0 && named.output.hasPrefix("web "), "\(named)")
        let both = try torpor(["list", "--system", "--user"])
        #expect(both.status == 64 && both.errors.contains("--user"), "\(both)")
        // A relative path is the caller's.
        let relative = try DaemonUnderTest.result(
            of: Wrapper(
                [], [], line: [Wrapper.program, "list", "-q", "--socket", "run/io.torpor.Supervisor"],
                directory: daemon.directory))
        #expect(relative.status == 0 && relative.output.hasPrefix("web "), "\(relative)")
    }

    @Test func `needs no place of a supervisor where it asks none`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let file = "\(directory)/web.worker"
            try Self.sleeper.write(toFile: file, atomically: false, encoding: .utf8)
            // A user without a session has no place for a daemon.
            let environment = ["XDG_RUNTIME_DIR": "nowhere"]
            let verify = try DaemonUnderTest.result(
                of: Wrapper(
                    [], [], environment: environment, line: [Wrapper.program, "--user", "verify", file]))
            #expect(verify.status == 0, "\(verify)")
            let list = try DaemonUnderTest.result(
                of: Wrapper([], [], environment: environment, line: [Wrapper.program, "--user", "list"]))
            #expect(list.status == 69, "\(list)")
        }
    }

    @Test func `says whose list is empty, and what verbs and names it does not know`() throws {
        let daemon = try DaemonUnderTest([:])
        let empty = try daemon.torpor("list")
        #expect(empty.status == 0 && empty.output.contains("No workers: the supervisor at \(daemon.socket)"))
        for arguments in [
            ["list", "nobody"], ["status", "nobody"], ["why", "nobody"], ["watch", "nobody"],
            ["launch", "nobody"],
            ["activate", "nobody"], ["suspend", "nobody"], ["terminate", "nobody"], ["kill", "nobody"],
            ["post", "nobody", "topic"], ["notifications", "nobody"], ["history", "nobody"],
            ["report", "nobody"], ["cat", "nobody"], ["hold", "nobody", "--", "true"],
            ["restart", "nobody"], ["logs", "nobody"], ["send", "nobody", "text"], ["attach", "nobody"],
            ["top", "nobody"], ["resign", "nobody"], ["background", "nobody"], ["resume", "nobody"],
            ["reload", "nobody"],
        ] {
            let verb = try Wrapper([], [], line: [Wrapper.program, "--socket", daemon.socket] + arguments)
            let result = try DaemonUnderTest.result(of: verb)
            #expect(result.status == 4, "\(arguments): \(result)")
            #expect(result.errors.contains("nobody"), "\(arguments): \(result)")
        }
        for (verb, meant) in [
            ("start", "torpor launch"), ("ps", "torpor list"), ("lst", "'list'"), ("stop", "torpor"),
            ("log", "logs"),
        ] {
            let result = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program, verb, "web"]))
            #expect(result.status == 64 && result.errors.contains(meant), "\(result)")
        }
        let late = try daemon.torpor("list", "--timeout", "3x")
        #expect(late.status == 64, "\(late)")
        #expect(late.errors.contains("3x") && late.errors.contains("expected"), "\(late)")
    }

    @Test func `posts to an instance that is not there yet, and it hears of it when it is launched`() throws {
        let daemon = try DaemonUnderTest([
            "mail@": """
            [Worker]
            ExecStart=/bin/sleep 1000
            [Notifications]
            chat=exec:/bin/sh -c 'echo %i >> DIRECTORY/mail'
            """
        ])
        let post = try daemon.torpor("post", "mail@ann", "chat")
        #expect(post.status == 0, "\(post)")
        #expect(try daemon.torpor("notifications", "mail@ann").output.contains("chat"))
        #expect(try daemon.torpor("post", "male@ann", "chat").status == 4)
        #expect(try daemon.list().map(\.state) == ["notRunning"])
        #expect(try daemon.torpor("launch", "mail@ann").status == 0)
        _ = try eventually("its hook to run") {
            try? String(contentsOfFile: "\(daemon.directory)/mail", encoding: .utf8)
        }
    }

    @Test func `is told by the daemon where its socket is, and that a directory is not there`() throws {
        let directory = "/tmp/torpor-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: "\(directory)/conf", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let missing = try DaemonUnderTest.result(
            of: Wrapper([], [], line: [DaemonUnderTest.program, "--config-dir", "\(directory)/none"]))
        #expect(missing.status == 64 && missing.errors.contains("\(directory)/none"), "\(missing)")
        let daemon = try Wrapper(
            [], [],
            line: [
                DaemonUnderTest.program, "--config-dir", "conf", "--state-dir", "state", "--runtime-dir",
                "./run",
            ], directory: directory)
        try daemon.errors.until("the control socket is \(directory)/run/io.torpor.Supervisor")
        daemon.send(SIGTERM)
        #expect(try daemon.wait() == .exited(0))
    }
}
