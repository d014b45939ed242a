import Foundation
import Glibc
import TestSupport
import Testing

/// What an operator is told about a command that does not work: the reason, and the exit status that goes with it.
@Suite(.long, .timeLimit(.minutes(60)))
struct `The reason` {
    private static let sleeper = "[Worker]\nExecStart=/bin/sleep 1000\n"

    @Test func `that a file does not hold is the same wherever its worker is asked for`() throws {
        let daemon = try DaemonUnderTest([
            "good": Self.sleeper, "typo": Self.sleeper + "Colour=red\nRestart=often\n",
        ])
        let list = try daemon.torpor("list")
        #expect(list.output.contains("Restart=") && !list.output.contains("Colour="), "\(list.output)")
        for verb in [
            ["logs", "typo"], ["report", "typo"], ["history", "typo"], ["reload", "typo"], ["why", "typo"],
            ["status", "typo"], ["suspend", "typo"], ["post", "typo", "topic"], ["launch", "typo"],
        ] {
            let result = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program] + verb + ["--socket", daemon.socket]))
            #expect(result.status == 78, "\(verb): \(result)")
            #expect(result.errors.contains("typo.worker:4: Restart=:"), "\(verb): \(result)")
        }
        let pattern = try daemon.torpor("logs", "g*")
        #expect(pattern.status == 64 && pattern.errors.contains("a single name"), "\(pattern)")
    }

    @Test func `that a worker held a device is told with the device`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'exec 3</dev/full; : > DIRECTORY/open; exec sleep 1000'
            [Background]
            ReleaseInBackground=/dev/full
            """
        ])
        #expect(try daemon.torpor("launch", "web").status == 0)
        _ = try eventually("the device to be open") {
            access("\(daemon.directory)/open", F_OK) == 0 ? true : nil
        }
        let suspend = try daemon.torpor("suspend", "web")
        #expect(suspend.status != 0 && suspend.errors.contains("it held /dev/full"), "\(suspend)")
        for verb in ["status", "why", "report", "history"] {
            let text = try daemon.torpor(verb, "web").output
            #expect(text.contains("it held /dev/full open in pid"), "\(verb): \(text)")
        }
    }

    @Test func `that a name is none is told once`() throws {
        let daemon = try DaemonUnderTest(["good": Self.sleeper])
        for name in ["a/b", "../../etc/passwd", ""] {
            let launch = try daemon.torpor("launch", name)
            #expect(launch.status == 64 && !launch.errors.contains("expected"), "\(launch)")
            #expect(launch.errors.contains("invalid worker name "), "\(launch)")
        }
    }

    @Test func `names no parameters and no methods`() throws {
        let daemon = try DaemonUnderTest([
            "web": Self.sleeper + "StandardInput=pipe\n[Notifications]\nnews=signal:SIGUSR1\n"
        ])
        #expect(try daemon.torpor("launch", "web").status == 0)
        let cases: [([String], String)] = [
            (["post", "web", "No Topic"], "invalid topic"), (["open", "no url"], "invalid URL"),
            (["send", "web", "a\nb"], "more than one line"),
        ]
        for (verb, reason) in cases {
            let result = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program] + verb + ["--socket", daemon.socket]))
            #expect(result.status == 64 && result.errors.contains(reason), "\(verb): \(result)")
        }
        let wake = try daemon.torpor("post", "web", "news", "--wake")
        #expect(wake.status == 0 && wake.output.contains("--wake has no effect"), "\(wake)")
        #expect(try daemon.torpor("post", "web", "news").output == "")
    }

    @Test func `that something will never work is not said as if it might`() throws {
        let daemon = try DaemonUnderTest(["game": Self.sleeper + "URLSchemes=game\n"])
        for running in [false, true] {
            if running { #expect(try daemon.torpor("launch", "game").status == 0) }
            let open = try daemon.torpor("open", "game://foo")
            #expect(open.status == 64 && open.errors.contains("no receiver for URLs"), "\(open)")
            let reload = try daemon.torpor("reload", "game")
            #expect(reload.status == 64 && reload.errors.contains("ExecReload="), "\(reload)")
        }
        #expect(try daemon.torpor("reload").errors.contains("URLSchemes="))
    }

    @Test func `of a worker that gave the foreground to another is that`() throws {
        let slowly = "ExecStartPre=/bin/sh -c 'test %i = two || sleep 1'\n"
        let daemon = try DaemonUnderTest([
            "game@": Self.sleeper + slowly + "[Foreground]\nForegroundGroup=games\n"
        ])
        let launch = try daemon.torpor("launch", "game@one", "game@two")
        let lines = launch.errors.split(separator: "\n")
        #expect(launch.status == 75 && lines.count == 1, "\(launch)")
        #expect(launch.errors.contains("game@two took the foreground of its group"), "\(launch)")
        #expect(!launch.errors.contains("not suspended"), "\(launch)")
    }

    @Test func `that a worker stays awake names what holds it`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper])
        #expect(try daemon.torpor("launch", "web").status == 0)
        let holding = try Wrapper(
            [], [],
            line: [
                Wrapper.program, "hold", "--socket", daemon.socket, "--purpose", "backup", "web", "--",
                "/bin/sh", "-c", "echo begun; exec sleep 1000",
            ])
        #expect(try holding.output.next() == "begun")
        #expect(try daemon.torpor("suspend", "--no-wait", "web").status == 0)
        _ = try eventually("web is in the background") {
            try daemon.list().first?.state == "background" ? true : nil
        }
        let why = try daemon.torpor("why", "web").output
        #expect(why.contains("“backup”, held by operator") && why.contains("it is suspended when"), "\(why)")
        #expect(!why.contains("torpor suspend"), "\(why)")
        holding.send(SIGKILL)
        _ = try holding.wait()
    }

    @Test func `that a worker is ready is told apart from its type`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper + "ReadyWhen=port:80\n"])
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("Type: simple") && status.contains("Ready when: port:80"), "\(status)")
    }

    @Test func `for an unknown verb is the same however help is asked for`() throws {
        for arguments in [["frob"], ["frob", "--help"], ["help", "frob"]] {
            let result = try DaemonUnderTest.result(of: Wrapper([], [], line: [Wrapper.program] + arguments))
            #expect(result.status == 64 && result.errors.contains("unknown verb 'frob'"), "\(result)")
        }
        let help = try DaemonUnderTest.result(of: Wrapper([], [], line: [Wrapper.program, "help", "logs"]))
        #expect(help.status == 0, "\(help)")
        for verb in ["logs", "history", "report"] {
            let number = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program, verb, "-n", "-5", "web"]))
            #expect(number.status == 64 && number.errors.contains("-5"), "\(number)")
        }
    }

    @Test func `that a file is not there is not that it has no name`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let link = "\(directory)/web.worker"
            symlink("\(directory)/nothing", link)
            for path in ["\(directory)/none", "\(directory)/none.worker", link] {
                let verify = try DaemonUnderTest.result(
                    of: Wrapper([], [], line: [Wrapper.program, "verify", path]))
                #expect(verify.status == 78 && verify.errors.contains("no such file"), "\(verify)")
            }
            let file = "\(directory)/gone.worker"
            try "[Worker]\nExecStart=/usr/bin/nonexistent-program\n".write(
                toFile: file, atomically: false, encoding: .utf8)
            let gone = try DaemonUnderTest.result(
                of: Wrapper([], [], line: [Wrapper.program, "verify", file]))
            #expect(
                gone.errors.contains("ExecStart=: “/usr/bin/nonexistent-program” does not exist"), "\(gone)")
        }
    }

    @Test(arguments: [[], ["--on", "willTerminate=exec:/bin/true"], ["--on", "willTerminate=signal:URG"]])
    func `that torpor run kills is said`(hook: [String]) throws {
        let run = try Wrapper(
            ["--stop-timeout", "300ms"] + hook,
            ["/bin/sh", "-c", "trap '' TERM; echo begun; sleep 1000 & wait; wait"])
        #expect(try run.output.next() == "begun")
        run.send(SIGTERM)
        try run.errors.until("sending SIGKILL")
        _ = try run.wait()
    }

    @Test func `that nobody answers a watcher is no complaint when the daemon ends`() throws {
        let daemon = try DaemonUnderTest(["web": Self.sleeper])
        let watcher = try Wrapper(
            [], [], line: [Wrapper.program, "watch", "--socket", daemon.socket])
        _ = try watcher.output.next()
        daemon.process.send(SIGTERM)
        let rest = try daemon.process.errors.rest()
        #expect(!rest.contains { $0.contains("invalid reply") }, "\(rest)")
        _ = try watcher.wait()
    }
}
