import Foundation
import Glibc
import TestSupport
import Testing

/// Interruptions of real programs: by operators, by alerts, by the worker itself, and by the lock of a session.
@Suite(.timeLimit(.minutes(60))) struct `Interruptions` {
    /// A command that runs until there is a file.
    private func untilThere(_ file: String) -> String {
        "echo begun; while [ ! -e '\(file)' ]; do sleep 0.02; done"
    }

    private func daemon(_ lines: String = "", _ file: String = WorkerFiles.app) throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest(["app": "\(file)\n\(lines)"])
        try daemon.process.errors.until("inactive → active")
        return daemon
    }

    private func interrupt(_ daemon: DaemonUnderTest, _ arguments: String...) throws -> Wrapper {
        try Wrapper([], [], line: [Wrapper.program, "interrupt", "--socket", daemon.socket] + arguments)
    }

    private func state(of daemon: DaemonUnderTest) throws -> String? { try daemon.list().first?.state }

    /// Waits until the worker is inactive: an interruption has begun before the worker has said that it resigns.
    private func awaitInactive(_ daemon: DaemonUnderTest) throws {
        _ = try eventually("the worker to be inactive") {
            try state(of: daemon) == "inactive" ? true : nil
        }
    }

    /// The lines of the worker's log from the first time that it was active.
    private func told(_ daemon: DaemonUnderTest) -> [String] {
        Array(daemon.lines(of: "app.log").drop { $0 != "didBecomeActive 1" })
    }

    @Test func `nest, and the worker is active again when the last one is over`() throws {
        let daemon = try daemon()
        let go = "\(daemon.directory)/go"
        let call = try interrupt(daemon, "app", "--", "/bin/sh", "-c", untilThere(go) + "; exit 5")
        #expect(try call.output.next() == "begun")
        try daemon.process.errors.until("active → inactive")
        #expect(try daemon.torpor("interrupt", "app") == (0, "Interruption 2 of app began.\n", ""))
        let why = try daemon.torpor("why", "app").output
        #expect(why.contains("a caller interrupts it for as long as a command runs (/bin/sh)"), "\(why)")
        #expect(why.contains("'torpor interrupt --end app' is run"), "\(why)")
        let status = try daemon.torpor("status", "app").output
        #expect(status.contains("1: a call for /bin/sh") && status.contains("2: a request"), "\(status)")
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try call.wait() == .exited(5))
        try daemon.process.errors.until("interruption 1 is over")
        #expect(try state(of: daemon) == "inactive")
        #expect(try daemon.torpor("interrupt", "--end", "app") == (0, "", ""))
        try daemon.process.errors.until("inactive → active")
        // What it has printed is in its log when it has ended.
        #expect(try daemon.torpor("terminate", "app").status == 0)
        #expect(
            told(daemon).prefix(3) == ["didBecomeActive 1", "willResignActive", "didBecomeActive 2"],
            "\(told(daemon))")
        let again = try daemon.torpor("interrupt", "--end", "app")
        #expect(again.status == 64)
        #expect(again.errors.contains("no interruption of it was begun by 'torpor interrupt'"), "\(again)")
    }

    @Test func `wake no worker that sleeps, and keep one inactive that wakes meanwhile`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("suspend", "app").status == 0)
        #expect(try daemon.torpor("interrupt", "app").status == 0)
        #expect(try state(of: daemon) == "suspended")
        #expect(try daemon.torpor("why", "app").output.contains("app is suspended"))
        let activated = try daemon.torpor("activate", "app")
        #expect(activated.status == 75 && activated.errors.contains("it is interrupted"), "\(activated)")
        #expect(try state(of: daemon) == "inactive")
        #expect(try daemon.torpor("interrupt", "--end", "app").status == 0)
        try daemon.process.errors.until("inactive → active")
    }

    @Test func `end with their limit`() throws {
        let daemon = try daemon()
        let go = "\(daemon.directory)/go"
        let call = try interrupt(
            daemon, "--limit", "100ms", "app", "--", "/bin/sh", "-c", untilThere(go))
        #expect(try call.output.next() == "begun")
        #expect(try call.errors.next()?.contains("no longer interrupted: the limit has expired") == true)
        try daemon.process.errors.until("inactive → active")
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try call.wait() == .exited(0))
    }

    /// Those with a call end with the supervisor that was called; the others go on in the next one.
    @Test func `go on when the daemon is killed, and when it is replaced`() throws {
        let daemon = try daemon()
        let go = "\(daemon.directory)/go"
        let call = try interrupt(daemon, "app", "--", "/bin/sh", "-c", untilThere(go))
        #expect(try call.output.next() == "begun")
        #expect(try daemon.torpor("interrupt", "app").status == 0)
        try daemon.killAndRestart()
        #expect(try call.errors.next()?.contains("no longer interrupted by this command") == true)
        try "".write(toFile: go, atomically: true, encoding: .utf8)
        #expect(try call.wait() == .exited(75))
        let status = try daemon.torpor("status", "app").output
        #expect(status.contains("2: a request") && !status.contains("1: a call"), "\(status)")
        try awaitInactive(daemon)

        let later = "\(daemon.directory)/later"
        let kept = try interrupt(daemon, "app", "--", "/bin/sh", "-c", untilThere(later))
        #expect(try kept.output.next() == "begun")
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("interrupt", "--end", "app").status == 0)
        #expect(try daemon.torpor("status", "app").output.contains("3: a call"))
        try awaitInactive(daemon)
        try "".write(toFile: later, atomically: true, encoding: .utf8)
        #expect(try kept.wait() == .exited(0))
        try daemon.process.errors.until("inactive → active")
    }

    @Test func `by alerts last until these are answered, and tell their topics to the worker`() throws {
        let daemon = try daemon(
            """
            [Notifications]
            Alerts=deploy.*
            deploy.failed=exec:/bin/sh -c 'echo "$$TORPOR_NOTIFICATION_TOPIC" >>DIRECTORY/alerts'
            news=exec:/bin/true
            """, WorkerFiles.sleeper)
        #expect(
            try daemon.torpor("post", "app", "deploy.failed", "--alert")
                == (0, "app: alert 1 waits for 'torpor answer'\n", ""))
        try daemon.process.errors.until("active → inactive")
        _ = try eventually("the notification to arrive") {
            daemon.lines(of: "alerts") == ["deploy.failed"] ? true : nil
        }
        // A plain post is a banner.
        #expect(try daemon.torpor("post", "app", "deploy.failed").output == "")
        #expect(try daemon.torpor("status", "app").output.contains("1: alert deploy.failed"))
        #expect(try daemon.torpor("answer", "app").output == "Answered alert 1 (deploy.failed).\n")
        try daemon.process.errors.until("inactive → active")
        let none = try daemon.torpor("answer", "app")
        #expect(none.status == 64 && none.errors.contains("no alert of it waits for an answer"), "\(none)")
        // Over by itself.
        _ = try eventually("the banner to arrive") {
            daemon.lines(of: "alerts").count == 2 ? true : nil
        }
        #expect(try daemon.torpor("post", "app", "deploy.failed", "--alert", "--limit", "1s").status == 0)
        try daemon.process.errors.until("active → inactive")
        try daemon.process.errors.until("inactive → active")
        let other = try daemon.torpor("post", "app", "news", "--alert")
        #expect(other.status == 64 && other.errors.contains("name the topic in Alerts="), "\(other)")
    }

    @Test func `by an alert are refused where no worker is there`() throws {
        let daemon = try daemon("[Notifications]\nAlerts=*\n")
        #expect(try daemon.torpor("terminate", "app").status == 0)
        let gone = try daemon.torpor("post", "app", "news", "--alert")
        #expect(gone.status == 75)
        #expect(
            gone.errors
                == "torpor: app does not accept the post: it is not running, so an alert has nothing to interrupt\n"
        )
        // Nothing of it is left either.
        #expect(!(try daemon.torpor("notifications", "app").output.contains("news")))
        let unknown = try daemon.torpor("post", "nothing", "news", "--alert")
        #expect(unknown.status == 4 && unknown.errors.split(separator: "\n").count == 1, "\(unknown)")
        for options in [["--wake"], ["--foreground"], ["--at", "+1h"], ["--every", "1h"]] {
            let mixed = try DaemonUnderTest.result(
                of: Wrapper(
                    [], [],
                    line: [Wrapper.program, "post", "--socket", daemon.socket, "app", "news", "--alert"]
                        + options))
            #expect(mixed.status == 64, "\(options)")
        }
    }

    @Test func `by the worker itself are its own, and end with its process`() throws {
        let daemon = try daemon("URLSchemes=count\n")
        #expect(try daemon.torpor("open", "count:interrupt").status == 0)
        try daemon.process.errors.until("active → inactive")
        #expect(try daemon.torpor("why", "app").output.contains("it interrupts itself (question)"))
        #expect(try daemon.torpor("interrupt", "--end", "app").status == 64)
        #expect(try daemon.torpor("post", "app", "done").status == 0)
        try daemon.process.errors.until("inactive → active")
        #expect(try daemon.torpor("open", "count:interrupt").status == 0)
        try daemon.process.errors.until("active → inactive")
        #expect(try daemon.torpor("restart", "app").status == 0)
        #expect(try state(of: daemon) == "active")
    }

    /// A program that knows nothing of Torpor, by hooks alone.
    @Test func `are told to a plain program by its hooks`() throws {
        let daemon = try daemon(
            """
            [Callbacks]
            WillResignActive=exec:/bin/sh -c 'echo pause >>DIRECTORY/hooks'
            DidBecomeActive=exec:/bin/sh -c 'echo play >>DIRECTORY/hooks'
            """, WorkerFiles.sleeper)
        #expect(try daemon.torpor("interrupt", "app", "--", "/bin/true").status == 0)
        _ = try eventually("the hooks to have run") {
            daemon.lines(of: "hooks").suffix(2) == ["pause", "play"] ? true : nil
        }
    }

    /// The system's daemon hears login1 of the session of the user as whom the worker runs.
    @Test(.requires(.program("/usr/bin/dbus-daemon")), .requires(.root))
    func `by the lock of a session concern the workers of its user`() throws {
        let place = "/tmp/torpor-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let address = "unix:path=\(place)/bus"
        let bus = try Wrapper(
            [], [],
            line: [
                "/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)",
                "--print-address",
            ])
        _ = try bus.output.next()
        let (actions, writing) = try makePipe()
        let login = try Wrapper(
            [], [], line: [(Wrapper.testPrograms as NSString).appendingPathComponent("login"), address],
            input: actions)
        close(actions)
        let script = FileHandle(fileDescriptor: writing, closeOnDealloc: true)
        #expect(try login.output.next() == "ready")
        let daemon = try DaemonUnderTest(
            [
                "theirs": WorkerFiles.sleeper + "User=nobody\n",
                "ours": WorkerFiles.sleeper,
            ], through: ["/usr/bin/env", "DBUS_SYSTEM_BUS_ADDRESS=\(address)"])
        _ = try eventually("both to be active") {
            try daemon.list().allSatisfy { $0.state == "active" } ? true : nil
        }
        let nobody = try #require(getpwnam("nobody")).pointee.pw_uid
        script.write(Data("session 3 \(nobody) nobody\n".utf8))
        script.write(Data("lock 3\n".utf8))
        try daemon.process.errors.until("session 3 of its user is locked")
        _ = try eventually("the worker of that user to be inactive") {
            try daemon.list().first { $0.name == "theirs" }?.state == "inactive" ? true : nil
        }
        #expect(try daemon.list().first { $0.name == "ours" }?.state == "active")
        // A daemon that takes over goes on with it, and hears of its end.
        try daemon.killAndRestart()
        #expect(try daemon.list().first { $0.name == "theirs" }?.state == "inactive")
        _ = try eventually("the session to be heard of again") {
            script.write(Data("unlock 3\n".utf8))
            return try daemon.list().first { $0.name == "theirs" }?.state == "active" ? true : nil
        }
        for process in [login, bus] {
            process.send(SIGKILL)
            _ = try process.wait()
        }
    }
}
