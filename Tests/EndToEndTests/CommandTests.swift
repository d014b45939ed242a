import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// `ExecStartPre=`, `ExecStartPost=`, `ExecReload=`, `Type=exec` and `Type=oneshot`, with real programs.
@Suite(.long, .timeLimit(.minutes(60))) struct `The daemon with commands beside its workers` {
    private func content(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private func pid(in path: String) throws -> Int32 {
        try eventually("a number in \(path)") {
            (try? content(path)).flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
    }

    /// A daemon that launches `web`, and the command before it, which ends once there is a file `go` when it starts.
    private func preparingDaemon() throws -> (DaemonUnderTest, preparation: Int32) {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStartPre=/bin/sh -c 'echo $$$$ >> DIRECTORY/pids; test -e DIRECTORY/go || exec sleep 1000'
            ExecStart=/bin/sleep 1000
            TimeoutStartSec=infinity
            """
        ])
        #expect(try daemon.torpor("launch", "--no-wait", "web").status == 0)
        return (daemon, try pid(in: "\(daemon.directory)/pids"))
    }

    @Test func `runs them in their order, with its worker's environment`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            Environment=WORD=hello
            ExecStartPre=/bin/sh -c 'echo pre $$WORD $$TORPOR_WORKER $$TORPOR_COMMAND >> DIRECTORY/log; echo said by pre'
            ExecStartPre=-/bin/false
            ExecStart=/bin/sh -c 'echo main >> DIRECTORY/log; exec sleep 1000'
            ExecStartPost=/bin/sh -c 'while ! grep -q main DIRECTORY/log; do sleep 0.01; done; echo post $$MAINPID >> DIRECTORY/log'
            ExecReload=/bin/sh -c 'echo reload $$MAINPID >> DIRECTORY/log'
            Type=exec
            """
        ])
        #expect(try daemon.torpor("launch", "web").status == 0)
        let worker = try #require(try daemon.list().first)
        let main = try #require(worker.pid)
        #expect(worker.state == "active")
        let log = "\(daemon.directory)/log"
        #expect(try content(log) == "pre hello web ExecStartPre\nmain\npost \(main)\n")
        #expect(try daemon.torpor("reload", "web").status == 0)
        #expect(try content(log).hasSuffix("reload \(main)\n"))
        try daemon.process.errors.until("ExecStartPre: said by pre")
    }

    @Test func `does not launch a worker whose preparation fails, and says why`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStartPre=/bin/sh -c 'setsid sleep 1000 & echo $$! > DIRECTORY/left; exit 3'
            ExecStart=/bin/sh -c 'echo main > DIRECTORY/main; exec sleep 1000'
            """
        ])
        let launch = try daemon.torpor("launch", "web")
        #expect(launch.status != 0)
        try daemon.process.errors.until("exit 3' failed: exit status 3")
        #expect(access("\(daemon.directory)/main", F_OK) != 0)
        let left = try pid(in: "\(daemon.directory)/left")
        _ = try eventually("what it left to be gone") { state(of: left) == nil ? true : nil }
        // Nothing of it is in the way of the next launch.
        try daemon.write(
            "web.worker", "[Worker]\nExecStartPre=/bin/true\nExecStart=/bin/sleep 1000\n")
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.list().first?.state == "active")
    }

    @Test(arguments: ["terminate", "kill"])
    func `ends a preparation that is not wanted any more`(_ verb: String) throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStartPre=/bin/sh -c 'echo $$$$ > DIRECTORY/pid; exec sleep 1000'
            ExecStart=/bin/sleep 1000
            TimeoutStartSec=infinity
            Restart=always
            """
        ])
        #expect(try daemon.torpor("launch", "--no-wait", "web").status == 0)
        let preparing = try pid(in: "\(daemon.directory)/pid")
        #expect(try daemon.torpor(verb, "web").status == 0)
        #expect(state(of: preparing) == nil)
        #expect(try daemon.list().first?.state == "notRunning")
        let report = try daemon.torpor("report", "web").output
        #expect(report.contains("Requested by: \(DaemonUnderTest.user), pid "), "\(report)")
        #expect(!report.contains("launchFailed"), "\(report)")
        let why = try daemon.torpor("why", "web").output
        #expect(!why.contains("could not be launched") && !why.contains("failed"), "\(why)")
        #expect(!(try daemon.torpor("history", "web").output.contains("failed")))
    }

    @Test func `launches again what is wanted while its preparation is being ended`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStartPre=/bin/sh -c 'test -e DIRECTORY/go && exit; trap ": > DIRECTORY/told" TERM; echo $$$$ > DIRECTORY/pid; while ! test -e DIRECTORY/go; do sleep 0.02; done'
            ExecStart=/bin/sleep 1000
            TimeoutStartSec=infinity
            """
        ])
        #expect(try daemon.torpor("launch", "--no-wait", "web").status == 0)
        _ = try pid(in: "\(daemon.directory)/pid")
        #expect(try daemon.torpor("terminate", "--no-wait", "web").status == 0)
        _ = try eventually("it to be told") { access("\(daemon.directory)/told", F_OK) == 0 ? true : nil }
        let launch = try Wrapper([], [], line: [Wrapper.program, "launch", "--socket", daemon.socket, "web"])
        _ = try eventually("it to be wanted") {
            try daemon.torpor("status", "web").output.contains("Goal: active") ? true : nil
        }
        try "".write(toFile: "\(daemon.directory)/go", atomically: true, encoding: .utf8)
        #expect(try launch.wait() == .exited(0))
        #expect(try daemon.list().first?.state == "active")
    }

    @Test func `begins a launch anew whose preparation was under way when it was killed`() throws {
        let (daemon, preparing) = try preparingDaemon()
        try "".write(toFile: "\(daemon.directory)/go", atomically: true, encoding: .utf8)
        try daemon.killAndRestart()
        // A zombie is its new parent's matter.
        #expect([nil, "Z"].contains(state(of: preparing)))
        do {
            _ = try eventually("the worker to be launched") {
                try daemon.list().first { $0.name == "web" && $0.state == "active" }
            }
        } catch {
            let (why, history) = (try daemon.torpor("why", "web"), try daemon.torpor("history", "web"))
            daemon.process.send(SIGTERM)
            Issue.record("\(error); \(why); \(history); \(try daemon.process.errors.rest())")
        }
        #expect(try content("\(daemon.directory)/pids").split(separator: "\n").count == 2)
    }

    @Test(.requires(.cgroups))
    func `begins it anew in another group where a stranger lives in that of its name`() throws {
        let (daemon, preparing) = try preparingDaemon()
        let stranger = try Wrapper([], [], line: ["/bin/sleep", "1000"])
        defer { stranger.send(SIGKILL) }
        let text = try content("/proc/\(preparing)/cgroup")
        let group = try #require(text.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3))
        let mount = try #require(
            ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"].first {
                access("\($0)\(group)/cgroup.procs", W_OK) == 0
            })
        try daemon.killAndRestart {
            try "".write(toFile: "\(daemon.directory)/go", atomically: true, encoding: .utf8)
            try overwrite("\(mount)\(group)/cgroup.procs", "\(stranger.pid)")
        }
        let pid = try eventually("the worker to be launched") {
            try daemon.list().first { $0.name == "web" && $0.state == "active" }?.pid
        }
        #expect(try content("/proc/\(pid)/cgroup").contains("\(group)~2"))
        #expect(state(of: stranger.pid) == "S")
        #expect(try daemon.torpor("terminate", "web").status == 0)
    }

    @Test func `gives a preparation no more time than a launch has`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStartPre=/bin/sh -c 'trap "" TERM; sleep 1000'
            ExecStart=/bin/sleep 1000
            TimeoutStartSec=300ms
            """
        ])
        #expect(try daemon.torpor("launch", "web").status != 0)
        try daemon.process.errors.until(
            "sleep 1000' failed: timed out after TimeoutStartSec=300ms")
    }

    @Test func `ends a worker whose last step of the launch fails`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'echo $$$$ > DIRECTORY/pid; exec sleep 1000'
            ExecStartPost=/bin/sh -c 'while ! test -s DIRECTORY/pid; do sleep 0.01; done; exit 4'
            """
        ])
        #expect(try daemon.torpor("launch", "web").status != 0)
        try daemon.process.errors.until("exit 4' failed: exit status 4")
        let main = try pid(in: "\(daemon.directory)/pid")
        _ = try eventually("it to be gone") { state(of: main) == nil ? true : nil }
        #expect(try daemon.torpor("status", "web").output.contains("failed"))
    }

    @Test func `waits for all commands of a oneshot worker`() throws {
        let daemon = try DaemonUnderTest([
            "job": """
            [Worker]
            Type=oneshot
            ExecStart=/bin/sh -c 'echo one >> DIRECTORY/log'
            ExecStart=-/bin/false
            ExecStart=/bin/sh -c 'read go < DIRECTORY/go; echo two >> DIRECTORY/log'
            """,
            "bad": "[Worker]\nType=oneshot\nExecStart=/bin/false\nExecStart=/bin/true\n",
            "odd": """
            [Worker]
            Type=oneshot
            SuccessExitStatus=3 SIGUSR1
            ExecStart=/bin/sh -c 'exit 3'
            ExecStart=/bin/sh -c 'kill -USR1 $$$$'
            ExecStart=-/bin/sh -c 'kill -KILL $$$$'
            ExecStart=/bin/sh -c 'echo odd >> DIRECTORY/odd'
            """,
        ])
        #expect(mkfifo("\(daemon.directory)/go", 0o600) == 0)
        let launch = try Wrapper(
            [], [], line: [Wrapper.program, "launch", "--socket", daemon.socket, "job"])
        let job = try eventually("the job to run") {
            try daemon.list().first { $0.name == "job" && $0.state == "inactive" }
        }
        #expect(job.goal == "active")
        try "go\n".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        #expect(try launch.wait() == .exited(0))
        #expect(try content("\(daemon.directory)/log") == "one\ntwo\n")
        let after = try #require(try daemon.list().first { $0.name == "job" })
        #expect(after.state == "notRunning" && after.goal == "notRunning")
        #expect(try daemon.torpor("launch", "bad").status != 0)
        try daemon.process.errors.until("ExecStart=/bin/false failed: exit status 1")
        let odd = try daemon.torpor("launch", "odd")
        #expect(odd.status == 0, "\(odd)")
        #expect(try content("\(daemon.directory)/odd") == "odd\n")
    }

    @Test func `wakes a worker to reload it, and tells what cannot be reloaded`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'trap "echo reloaded >> DIRECTORY/log" HUP; echo up > DIRECTORY/log; while :; do sleep 0.02; done'
            ExecReload=/bin/kill -HUP $MAINPID
            ExecReload=/bin/sh -c 'while ! grep -q reloaded DIRECTORY/log; do sleep 0.01; done'
            Launch=boot
            """,
            "plain": "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n",
            "broken": "[Worker]\nExecStart=/bin/sleep 1000\nExecReload=/bin/false\nLaunch=boot\n",
        ])
        for _ in 0..<3 { try daemon.process.errors.until("inactive → active") }
        _ = try eventually("it to be up") { (try? content("\(daemon.directory)/log")) == "up\n" ? true : nil }
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.torpor("reload", "web").status == 0)
        #expect(try content("\(daemon.directory)/log") == "up\nreloaded\n")
        _ = try eventually("it to sleep again") {
            try daemon.list().contains { $0.name == "web" && $0.state == "suspended" } ? true : nil
        }
        let plain = try daemon.torpor("reload", "plain")
        #expect(plain.status != 0 && plain.errors.contains("it has no ExecReload="))
        let broken = try daemon.torpor("reload", "broken")
        #expect(
            broken.status != 0 && broken.errors.contains("ExecReload=/bin/false failed: exit status 1"))
        #expect(try daemon.torpor("reload").status == 0)
    }
}
