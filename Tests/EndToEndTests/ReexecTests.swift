import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// A daemon that becomes another program in the same process (issue: at home under systemd, 2).
@Suite(.timeLimit(.minutes(60))) struct `A daemon that is replaced` {
    @Test func `has all descriptors that it may have, and its workers the usual number, before and after`()
        throws
    {
        let worker = "[Worker]\nExecStart=/bin/sh -c 'ulimit -Sn > DIRECTORY/%n; exec sleep 1000'\n"
        let usual = ["/bin/sh", "-c", "ulimit -Sn 512; ulimit -Hn 4096; exec \"$0\" \"$@\""]
        let daemon = try DaemonUnderTest(
            ["first": worker, "second": worker, "more": worker + "LimitNOFILE=600:700\n"], through: usual)
        func limit(_ name: String) throws -> String {
            try eventually("the limit of \(name)") {
                let text = try? String(contentsOfFile: "\(daemon.directory)/\(name)", encoding: .utf8)
                return text?.hasSuffix("\n") == true ? text : nil
            }
        }
        for (name, expected) in [("first", "512\n"), ("more", "600\n"), ("second", "512\n")] {
            #expect(try daemon.torpor("launch", name).status == 0)
            #expect(try limit(name) == expected)
            #expect(try daemon.torpor("reexec").status == 0)
            let own = try String(contentsOfFile: "/proc/\(daemon.process.pid)/limits", encoding: .utf8)
            let line = own.split(separator: "\n").first { $0.hasPrefix("Max open files") }
            #expect(line?.split(separator: " ")[3] == "4096", "\(line ?? "")")
        }
    }

    @Test func `keeps its process, its workers and what they are`() throws {
        let daemon = try DaemonUnderTest([
            "used": WorkerFiles.sleeper, "behind": WorkerFiles.sleeper, "asleep": WorkerFiles.sleeper,
            "over": WorkerFiles.sleeper,
            "never": WorkerFiles.idle,
        ])
        #expect(try daemon.torpor("background", "behind").status == 0)
        #expect(try daemon.torpor("suspend", "asleep").status == 0)
        #expect(try daemon.torpor("terminate", "over").status == 0)
        #expect(
            try daemon.torpor("launch", "--transient", "--name", "job", "--", "/bin/sleep", "1000").status
                == 0)
        let before = try daemon.list()
        for _ in 0..<3 {
            let reexec = try daemon.torpor("reexec")
            #expect(reexec.status == 0, "\(reexec)")
            #expect(reexec.output.contains("pid \(daemon.process.pid)"))
        }
        let after = try daemon.list()
        #expect(after.map(\.pid) == before.map(\.pid))
        #expect(after.map(\.state) == before.map(\.state))
        #expect(after.map(\.goal) == before.map(\.goal))
        #expect(after.map(\.reason) == before.map(\.reason))
        // They are its children as before.
        #expect(after.allSatisfy { $0.adopted == nil })
        #expect(try daemon.torpor("activate", "asleep").status == 0)
        #expect(try daemon.torpor("terminate", "used").status == 0)
        #expect(try daemon.torpor("report", "used").output.contains("Cause: stopped"))
        #expect(try daemon.torpor("terminate", "job").status == 0)
        _ = try eventually("it is forgotten") { try daemon.list().contains { $0.name == "job" } ? nil : true }
    }

    @Test func `keeps who watches, who waits and who holds`() throws {
        let daemon = try DaemonUnderTest([
            "web": WorkerFiles.sleeper,
            "slow": """
            [Worker]
            ExecStart=/bin/sleep 1000
            Launch=boot
            [Callbacks]
            WillResignActive=exec:/bin/sh -c 'echo begun >> DIRECTORY/slow.log; while [ ! -e DIRECTORY/go ]; do sleep 0.01; done; echo done >> DIRECTORY/slow.log'
            """,
        ])
        let watch = try Poster(daemon.socket)
        watch.send(calls: [#"{"method":"io.torpor.Supervisor.Watch","parameters":{},"more":true}"#])
        #expect(watch.receive(1).first?.contains("present") == true)
        let hold = try Poster(daemon.socket)
        hold.send(calls: [
            #"{"method":"io.torpor.Supervisor.Hold","parameters":{"name":"web"},"more":true}"#
        ])
        #expect(hold.receive(1).first?.contains("continues") == true)
        // A callback in flight, and a client that waits for what comes after it.
        let wait = try Poster(daemon.socket)
        wait.send(calls: [
            #"{"method":"io.torpor.Supervisor.Suspend","parameters":{"names":["slow"]}}"#
        ])
        _ = try eventually("the hook to run") { daemon.lines(of: "slow.log") == ["begun"] ? true : nil }
        let half = #"{"method":"io.torpor.Supervisor.Ping","para"#
        let partial = try Poster(daemon.socket)
        partial.send(raw: half)
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("suspend", "--no-wait", "web").status == 0)
        // The held worker stays in the background until its holder goes.
        let changes = watch.receive(2)
        #expect(changes.count == 2 && changes[0].contains(#""worker":"web""#), "\(changes)")
        #expect(changes.last?.contains(#""to":"background""#) == true, "\(changes)")
        hold.end()
        #expect(watch.receive(1).first?.contains(#""to":"suspended""#) == true)
        partial.send(raw: #"meters":{}}"# + "\0")
        #expect(partial.receive(1).first?.contains("\"pid\":\(daemon.process.pid)") == true)
        try "".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        #expect(wait.receive(1).first?.contains(#""reached":true"#) == true)
        #expect(daemon.lines(of: "slow.log") == ["begun", "done"])
    }

    @Test func `keeps a worker's connection, and what it has in hand`() throws {
        let daemon = try DaemonUnderTest(["app": WorkerFiles.app])
        #expect(try daemon.torpor("activate", "app").status == 0)
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("activate", "app").status == 0)
        #expect(try daemon.torpor("terminate", "app").status == 0)
        let told = daemon.lines(of: "app.log").filter { !$0.hasPrefix("was") }
        #expect(
            told == [
                "supervised: true", "willFinishLaunching boot restores: false", "didFinishLaunching",
                "didBecomeActive 1", "willResignActive", "didEnterBackground",
                "lingered, limited: true, background", "willEnterForeground", "didBecomeActive 2",
                "willResignActive", "willTerminate", "over",
            ], "\(told)")
    }

    @Test func `keeps queues, those too that no disk has, and hears what was said meanwhile`() throws {
        let daemon = try DaemonUnderTest([
            "cli": """
            [Worker]
            ExecStart=/bin/sleep 1000
            Launch=boot
            [Notifications]
            news=exec:/bin/sh -c 'echo "$TORPOR_NOTIFICATION_PAYLOAD" >> DIRECTORY/cli.log'
            """,
            "daemon": WorkerFiles.watched(within: "3s"),
        ])
        #expect(try daemon.torpor("launch", "daemon").status == 0)
        let pid = try daemon.list().first { $0.name == "daemon" }?.pid
        #expect(try daemon.torpor("suspend", "cli").status == 0)
        for number in 1...3 {
            let payload = ["--rule", "each", "--payload", "{\"n\":\(number)}"]
            let post = try Wrapper(
                [], [],
                line: [Wrapper.program, "post", "--socket", daemon.socket, "cli", "news"] + payload
                    + (number == 2 ? ["--transient"] : []))
            #expect(try DaemonUnderTest.result(of: post).status == 0)
        }
        for _ in 0..<5 { #expect(try daemon.torpor("reexec").status == 0) }
        #expect(try daemon.torpor("activate", "cli").status == 0)
        _ = try eventually("all of it") { daemon.lines(of: "cli.log").count == 3 ? true : nil }
        #expect(daemon.lines(of: "cli.log") == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
        let after = try daemon.list().first { $0.name == "daemon" }
        #expect(after?.pid == pid && after?.state == "active")
    }

    @Test func `answers what is posted meanwhile once, and counts it once`() throws {
        let daemon = try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/bin/sleep 1000\n[Notifications]\nchat=exec:/bin/true\n"
        ])
        let poster = try Poster(daemon.socket)
        let post =
            #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["web"],"topic":"chat","payload":{"n":1}}}"#
        let rounds = 4
        for _ in 0..<rounds {
            poster.send(calls: Array(repeating: post, count: 1000))
            let reexec = try Poster(daemon.socket)
            reexec.send(calls: [#"{"method":"io.torpor.Supervisor.Reexec","parameters":{}}"#])
            for _ in 0..<11 { poster.send(calls: Array(repeating: post, count: 1000)) }
            #expect(reexec.receive(1).first?.contains("\"pid\":\(daemon.process.pid)") == true)
            let answers = poster.receive(12_000)
            #expect(answers.count == 12_000)
            #expect(answers.allSatisfy { $0.contains(#""sequence":"#) && $0.contains(#""name":"web""#) })
        }
        let look = try Poster(daemon.socket)
        look.send(calls: [#"{"method":"io.torpor.Supervisor.Notifications","parameters":{"name":"web"}}"#])
        let queue = look.receive(1).first ?? ""
        #expect(queue.contains("\"count\":\(rounds * 12_000),"), "\(queue)")
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `answers what the disk had not taken once, and counts it once`() throws {
        let daemon = try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/bin/sleep 1000\n[Notifications]\nchat=exec:/bin/true\n"
        ])
        #expect(try daemon.torpor("post", "web", "chat").status == 0)
        // Another process writes into the file, and does not come to an end.
        let writer = try Wrapper(
            [], [],
            line: [
                "/usr/bin/python3", "-c",
                """
                import signal, sqlite3, sys
                file = sqlite3.connect(sys.argv[1], isolation_level=None)
                file.execute("BEGIN IMMEDIATE")
                print("writing", flush=True)
                signal.pause()
                """, "\(daemon.directory)/state/torpor.db",
            ])
        #expect(try writer.output.next() == "writing")
        let poster = try Poster(daemon.socket)
        let successor = try Poster(daemon.socket)
        let post = #"{"method":"io.torpor.Supervisor.Post","parameters":{"names":["web"],"topic":"chat""#
        // Read off their messages, and by the rules for all.
        let calls = (0..<100).flatMap { _ in [post + "}}", post + #","added":null}}"#] }
        poster.send(calls: calls)
        successor.send(calls: [#"{"method":"io.torpor.Supervisor.Reexec","parameters":{}}"#])
        #expect(successor.receive(1).first?.contains("interruptedUsec") == true)
        writer.send(SIGKILL)
        let answers = poster.receive(calls.count)
        #expect(answers.count == calls.count)
        // Where the disk was busy for longer than the store waits for it, nothing is promised.
        let promised = answers.count { $0.contains(#""sequence":1}"#) }
        let refused = answers.count { $0.contains("it cannot be stored") }
        #expect(promised + refused == calls.count, "\(answers.last ?? "")")
        func isCounted() throws -> Bool {
            let queue = try daemon.torpor("notifications", "web", "--json=short").output
            return queue.contains("\"count\":\(calls.count + 1),")
        }
        #expect(try isCounted())
        guard refused == 0 else { return }
        try daemon.killAndRestart()
        #expect(try isCounted())
    }

    /// Copies a program, by a process of its own.
    ///
    /// A file that this process had open to write could be open in another test's child as well, and execve(2) would fail (ETXTBSY).
    private func copy(_ program: String, to path: String) throws {
        let copy = try Wrapper([], [], line: ["/bin/cp", program, path])
        #expect(try copy.wait() == .exited(0))
    }

    @Test func `refuses a program that cannot take over, and goes on`() throws {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper])
        let program = (Wrapper.program as NSString).deletingLastPathComponent + "/torpord"
        let own = "\(daemon.directory)/torpord"
        for broken in ["", "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho torpord 99 takes over format 999\n"] {
            // Its own copy, which an installation has spoilt meanwhile.
            try? FileManager.default.removeItem(atPath: own)
            try copy(program, to: own)
            try daemon.restart(as: own)
            let pid = try daemon.list().first?.pid
            try FileManager.default.removeItem(atPath: own)
            try broken.write(toFile: own, atomically: true, encoding: .utf8)
            chmod(own, 0o755)
            let refused = try daemon.torpor("reexec")
            #expect(refused.status != 0, "\(refused)")
            let after = try daemon.list().first?.pid
            #expect(pid != nil && pid == after)
            let asleep = try daemon.torpor("suspend", "web")
            let history = try daemon.torpor("history", "web").output
            #expect(asleep.status == 0, "\(asleep) \(history)")
            #expect(try daemon.torpor("activate", "web").status == 0)
            // Put right, it takes over.
            try FileManager.default.removeItem(atPath: own)
            try copy(program, to: own)
            #expect(try daemon.torpor("reexec").status == 0)
            #expect(try daemon.list().first?.pid == pid)
        }
    }

    @Test func `is not replaced while it would lose the definition of a worker`() throws {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper])
        let pid = try daemon.list().first?.pid
        try daemon.write("web.worker", WorkerFiles.sleeper + "[Foreground]\nIdleSec=x\n")
        let refused = try daemon.torpor("reexec")
        #expect(refused.status == 75, "\(refused)")
        #expect(
            refused.errors.contains("the definition of web would be lost")
                && refused.errors.contains("IdleSec="),
            "\(refused)")
        // After a crash there is no choice: one line tells of it.
        try daemon.killAndRestart()
        let workers = try daemon.list()
        #expect(workers.map(\.name) == ["web"] && workers.first?.pid == pid)
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("IdleSec=") && status.contains("its definition was lost"), "\(status)")
        try daemon.write("web.worker", WorkerFiles.sleeper)
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.list().first?.pid == pid)
        #expect(try daemon.torpor("reexec").status == 0)
    }
}
