import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What an operator is told of launches that fail or hang, of stacks that are restarted, and of files that do not hold.
@Suite(.long, .timeLimit(.minutes(60))) struct `What an operator is told of launches` {
    private static let sleeper = "[Worker]\nExecStart=/bin/sleep 1000\n"

    private func states(_ daemon: DaemonUnderTest) throws -> [String: String] {
        Dictionary(try daemon.list().map { ($0.name, $0.state) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `a restart brings back what it has ended besides, in the state that it had`() throws {
        let daemon = try DaemonUnderTest([
            "db": Self.sleeper, "web": Self.sleeper + "Requires=db\nAfter=db\n",
            "api": Self.sleeper + "Requires=db\nAfter=db\n", "off": Self.sleeper + "Requires=db\nAfter=db\n",
            "cron": Self.sleeper + "Requires=db\nAfter=db\n",
        ])
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("background", "api").status == 0)
        #expect(try daemon.torpor("launch", "cron").status == 0)
        #expect(try daemon.torpor("suspend", "cron").status == 0)
        let before = try daemon.list()
        let restart = try daemon.torpor("restart", "db")
        #expect(restart.status == 0, "\(restart)")
        let after = try daemon.list()
        #expect(after.map(\.state) == before.map(\.state))
        #expect(Set(after.compactMap(\.pid)).isDisjoint(with: before.compactMap(\.pid)))
        #expect(after.first { $0.name == "off" }?.state == "notRunning")
        #expect(after.first { $0.name == "cron" }?.state == "suspended")
    }

    @Test func `a restart is the supervisor's: a caller that goes away leaves no worker ended`() throws {
        let daemon = try DaemonUnderTest([
            "slow": """
            [Worker]
            ExecStart=/bin/sh -c 'trap "read go < DIRECTORY/go; exit 0" TERM; echo up; while :; do sleep 0.02; done'
            ReadyWhen=output:up
            """
        ])
        #expect(mkfifo("\(daemon.directory)/go", 0o600) == 0)
        #expect(try daemon.torpor("launch", "slow").status == 0)
        let before = try #require(try daemon.list().first?.pid)
        let late = try daemon.torpor("restart", "--timeout", "0.1", "slow")
        #expect(late.status == 75 && late.errors.contains("timed out"), "\(late)")
        try "go\n".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        _ = try eventually("another process to be active") {
            try daemon.list().first { $0.state == "active" && $0.pid != before }
        }
    }

    @Test func `a transient worker is restarted, and is not forgotten`() throws {
        let daemon = try DaemonUnderTest([:])
        #expect(
            try daemon.torpor(
                "launch", "--transient", "--name", "web", "--", "/bin/sleep", "1000"
            ).status == 0)
        let before = try #require(try daemon.list().first?.pid)
        let restart = try daemon.torpor("restart", "web")
        #expect(restart.status == 0, "\(restart)")
        let after = try daemon.list()
        #expect(after.map(\.name) == ["web"] && after.first?.pid != before && after.first?.state == "active")
    }

    @Test func `each worker of a circle is listed once, and none is launched`() throws {
        let daemon = try DaemonUnderTest([
            "la": Self.sleeper + "After=lb\n", "lb": Self.sleeper + "After=la\n",
        ])
        for name in ["la", "lb"] {
            let activate = try daemon.torpor("activate", name)
            #expect(activate.status == 78 && activate.errors.contains("la → lb → la"), "\(activate)")
            #expect(try daemon.torpor("why", name).errors.contains("la → lb → la"))
        }
        let listed = try daemon.list()
        #expect(listed.map(\.name) == ["la", "lb"] && listed.allSatisfy { $0.reason == "badSetting" })
    }

    @Test func `a file that comes not to hold is told with the definition that is in force`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper, "gone": Self.sleeper])
        #expect(try daemon.torpor("launch", "web", "gone").status == 0)
        try daemon.write("web.worker", "[Worker]\nExecStart=\n[Memory]\nMemoryMax=much\n")
        unlink("\(daemon.directory)/conf/workers/gone.worker")
        _ = try daemon.torpor("reload")
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("web.worker") && status.contains("remains in effect"), "\(status)")
        #expect(try daemon.torpor("status", "gone").output.contains("its file was removed"))
        #expect(try daemon.torpor("list").output.contains("old definition"))
        try daemon.write("web.worker", Self.sleeper)
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try !daemon.torpor("status", "web").output.contains("remains in effect"))
    }

    @Test func `a command before the main process that fails is told with what it printed`() throws {
        let daemon = try DaemonUnderTest([
            "web": Self.sleeper + "ExecStartPre=/bin/sh -c 'echo no database; exit 7'\n",
            "lost": Self.sleeper + "ExecStartPre=/nowhere/program\n",
        ])
        let launch = try daemon.torpor("launch", "web")
        #expect(launch.status == 75, "\(launch)")
        let failure = "ExecStartPre=/bin/sh -c 'echo no database; exit 7' failed: exit status 7"
        let line = "ExecStartPre: no database"
        #expect(launch.errors.contains(failure) && launch.errors.contains(line), "\(launch)")
        for verb in ["why", "status", "report", "logs"] {
            let told = try daemon.torpor(verb, "web").output
            #expect(told.contains(line), "\(verb): \(told)")
            if verb == "why" || verb == "report" { #expect(told.contains(failure), "\(verb): \(told)") }
        }
        #expect(try daemon.torpor("launch", "lost").status == 78)
    }

    @Test func `a worker that requires one that fails says why that has failed`() throws {
        let daemon = try DaemonUnderTest([
            "one": "[Worker]\nType=oneshot\nExecStart=/bin/sh -c 'exit 7'\n",
            "app": Self.sleeper + "Requires=one\nAfter=one\n", "lone": Self.sleeper + "Requires=ghost\n",
        ])
        let failed = try daemon.torpor("activate", "app")
        #expect(failed.status == 75, "\(failed)")
        let words = "one, which it requires, has not been launched: it ended: failed, status 7"
        #expect(failed.errors.contains(words), "\(failed)")
        #expect(try daemon.torpor("why", "app").output.contains(words))
        #expect(try daemon.torpor("report", "app").output.contains(words))
        let missing = try daemon.torpor("launch", "lone")
        #expect(missing.status == 78 && missing.errors.contains("ghost, which it requires, is not defined"))
    }

    @Test func `a oneshot worker is not put to sleep, nor what requires it`() throws {
        let daemon = try DaemonUnderTest([
            "one": "[Worker]\nType=oneshot\nExecStart=/bin/sh -c 'read go < DIRECTORY/go'\n",
            "app": Self.sleeper + "Requires=one\nAfter=one\n",
        ])
        #expect(mkfifo("\(daemon.directory)/go", 0o600) == 0)
        let launch = try Wrapper([], [], line: [Wrapper.program, "launch", "--socket", daemon.socket, "app"])
        _ = try eventually("it to run") {
            try daemon.list().contains { $0.name == "one" && $0.pid != nil } ? true : nil
        }
        #expect(try daemon.torpor("why", "app").output.contains("it waits for one"))
        let suspend = try daemon.torpor("suspend", "one")
        #expect(suspend.status == 64 && suspend.errors.contains("oneshot"), "\(suspend)")
        try "go\n".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        #expect(try launch.wait() == .exited(0))
        #expect(try states(daemon)["app"] == "active")
    }

    @Test func `a transient worker is restarted by its rule, and forgotten when it has ended for good`()
        throws
    {
        let daemon = try DaemonUnderTest([:])
        let launch = try daemon.torpor(
            "launch", "--transient", "--name", "tr", "-p", "Worker.Restart=always", "--", "/bin/sh", "-c",
            "echo run >> \(daemon.directory)/runs; sleep 0.2; exit 3")
        #expect(launch.status == 0, "\(launch)")
        _ = try eventually("it to be restarted") {
            let runs = try? String(contentsOfFile: "\(daemon.directory)/runs", encoding: .utf8)
            return runs?.hasPrefix("run\nrun\n") ?? false ? true : nil
        }
        #expect(try states(daemon)["tr"] != nil)
        #expect(try daemon.torpor("terminate", "tr").status == 0)
        _ = try eventually("it to be forgotten") { try states(daemon)["tr"] == nil ? true : nil }
        _ = try daemon.torpor("launch", "--transient", "--name", "bad", "--", "/nowhere/program")
        _ = try eventually("it to be forgotten") { try states(daemon)["bad"] == nil ? true : nil }
    }

    @Test func `a launch under way is told with what it does, and its failure since it failed`() throws {
        let daemon = try DaemonUnderTest([
            "web": Self.sleeper + "ExecStartPre=/bin/sh -c 'read go < DIRECTORY/go; exit 1'\n"
        ])
        #expect(mkfifo("\(daemon.directory)/go", 0o600) == 0)
        let defined = try #require(try daemon.list().first)
        let launch = try Wrapper([], [], line: [Wrapper.program, "launch", "--socket", daemon.socket, "web"])
        let why = try eventually("the launch to begin") {
            let told = try daemon.torpor("why", "web").output
            return told.contains("ExecStartPre=/bin/sh -c") ? told : nil
        }
        #expect(why.contains("it has been launching") && !why.contains("'torpor launch' would"), "\(why)")
        #expect(try daemon.torpor("list").output.contains("being launched"))
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("being launched") && status.contains("exit 1' is running"), "\(status)")
        let underway = try #require(try daemon.list().first)
        #expect(underway.since > defined.since)
        try "go\n".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        #expect(try launch.wait() == .exited(75))
        let failed = try #require(try daemon.list().first)
        #expect(failed.reason == "failed" && failed.since > underway.since)
    }

    @Test func `a missed deadline is named by its directive`() throws {
        let daemon = try DaemonUnderTest([
            "notify": "[Worker]\nType=notify\nExecStart=/bin/sleep 1000\nTimeoutStartSec=300ms\n",
            "post": Self.sleeper + "ExecStartPost=/bin/sleep 1000\nTimeoutStartSec=300ms\n",
            "stop":
                "[Worker]\nExecStart=/bin/sh -c 'trap \"\" TERM; echo ignoring; while :; do sleep 0.05; done'\n"
                + "StandardOutput=append:DIRECTORY/said\nTimeoutStopSec=300ms\n",
        ])
        for (name, words) in [
            ("notify", "TimeoutStartSec=300ms: READY=1 was not received"),
            ("post", "TimeoutStartSec=300ms: ExecStartPost=/bin/sleep 1000 has not ended"),
            ("stop", "TimeoutStopSec=300ms: it has not ended after SIGTERM"),
        ] {
            let launch = try daemon.torpor("launch", name)
            if name == "stop" {
                #expect(launch.status == 0)
                try eventually("its shell to ignore the signal") {
                    daemon.lines(of: "said").isEmpty ? nil : ()
                }
                _ = try daemon.torpor("terminate", name)
            } else {
                #expect(launch.status != 0 && launch.errors.contains(words), "\(launch)")
            }
            for verb in ["why", "report", "status"] {
                let told = try daemon.torpor(verb, name).output
                #expect(told.contains(words), "\(verb) \(name): \(told)")
            }
        }
    }

    @Test func `what a main process leaves has TimeoutStopSec=, and its SIGKILL is told`() throws {
        let stubborn =
            "[Worker]\nExecStart=/bin/sh -c '(trap \"\" TERM; echo ignoring; exec sleep 1000) & exec sleep 1000'\n"
        let daemon = try DaemonUnderTest([
            "web": stubborn + "StandardOutput=append:DIRECTORY/said\nTimeoutStopSec=1500ms\n"
        ])
        for verb in ["terminate", "main"] {
            #expect(try daemon.torpor("launch", "web").status == 0)
            try eventually("its child to ignore the signal") { daemon.lines(of: "said").isEmpty ? nil : () }
            if verb == "main" {
                kill(try #require(try daemon.list().first?.pid), SIGTERM)
                try eventually("its end") { try daemon.list().first?.state == "notRunning" ? () : nil }
            } else {
                #expect(try daemon.torpor("terminate", "web").status == 0)
            }
            for words in ["its end waits for", "SIGKILL ends"] {
                try daemon.process.errors.until("\(words) 1 process that its main process had left")
            }
            let report = try daemon.torpor("report", "web").output
            #expect(report.contains(verb == "main" ? "Cause: exited" : "Cause: stopped"), "\(report)")
            try FileManager.default.removeItem(atPath: "\(daemon.directory)/said")
        }
    }

    @Test func `a second daemon does not take the state of another, not after reexec either`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper])
        func second() throws -> (status: Int32, output: String, errors: String) {
            try DaemonUnderTest.result(
                of: try Wrapper(
                    [], [],
                    line: [
                        DaemonUnderTest.program, "--config-dir", "\(daemon.directory)/conf", "--state-dir",
                        "\(daemon.directory)/state", "--runtime-dir", "\(daemon.directory)/run2",
                    ]))
        }
        for _ in 0..<2 {
            let other = try second()
            #expect(other.status == 75, "\(other)")
            #expect(
                other.errors.split(separator: "\n").count == 1
                    && other.errors.contains("\(daemon.directory)/state"))
            #expect(try daemon.torpor("reexec").status == 0)
        }
        // A worker that outlives the daemon does not hold it.
        #expect(try daemon.torpor("launch", "web").status == 0)
        try daemon.killAndRestart()
        #expect(try states(daemon)["web"] != nil)
    }
}
