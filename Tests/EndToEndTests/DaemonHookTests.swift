import Foundation
import Glibc
import Linux
import Processes
import TestSupport
import Testing

/// Hooks of worker files, good ones and bad ones: the rule applies, and all other workers go on.
@Suite(.long, .timeLimit(.minutes(60))) struct `The daemon with hooks` {
    @Test(.requires(.program("/usr/bin/redis-server")))
    func `has redis save itself when it leaves the foreground`() throws {
        let daemon = try DaemonUnderTest([
            "redis": """
            [Worker]
            ExecStart=/usr/bin/redis-server --port 0 --unixsocket DIRECTORY/redis.sock --dir DIRECTORY --save "" --supervised systemd
            Type=notify
            Launch=boot
            StandardOutput=null
            [Callbacks]
            DidEnterBackground=exec:/usr/bin/redis-cli -s DIRECTORY/redis.sock save
            """
        ])
        try daemon.process.errors.until("inactive → active")
        #expect(try redis(daemon, "set", "key", "value") == "OK")
        #expect(access("\(daemon.directory)/dump.rdb", F_OK) != 0)
        #expect(try daemon.torpor("suspend", "redis").status == 0)
        try daemon.process.errors.until("didEnterBackground: OK")
        #expect(access("\(daemon.directory)/dump.rdb", F_OK) == 0)
        try daemon.process.errors.until("background → suspended")
        #expect(try daemon.torpor("activate", "redis").status == 0)
        #expect(try redis(daemon, "get", "key") == "value")
    }

    @Test func `goes on when a hook hangs: its worker stays awake, warned of, and the command is killed`()
        throws
    {
        let daemon = try daemon(
            "exec:/bin/sh -c \"trap '' TERM; echo hangs $$$$; sleep 1000\"", "DidEnterBackgroundTimeoutSec=3")
        let suspending = try start(daemon, "suspend", "bad")
        let line = try daemon.process.errors.until("didEnterBackground: hangs ")
        let pid = try #require(Int32(line.split(separator: " ").last ?? ""))
        try expectGoodWorker(of: daemon)
        try daemon.process.errors.until("took too long")
        _ = try eventually("the command to be gone") { state(of: pid) == nil ? true : nil }
        _ = try suspending.wait()
        #expect(try daemon.torpor("status", "bad").output.contains("background"))
        try expectGoodWorker(of: daemon)
    }

    @Test(arguments: ["WillResignActive", "news"])
    func `ends a hook that hangs and not the healthy daemon that it belongs to`(_ key: String) throws {
        let isTopic = key == "news"
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sleep 1000
            Launch=boot
            [Callbacks]
            \(isTopic ? "DidReceiveNotificationsTimeoutSec" : "WillResignActiveTimeoutSec")=4
            \(isTopic ? "[Notifications]\n" : "")\(key)=exec:/bin/sh -c 'echo $$$$ >> DIRECTORY/pids; exec sleep 1000'
            """
        ])
        try daemon.process.errors.until("inactive → active")
        let main = try #require(try daemon.list().first?.pid)
        if isTopic {
            #expect(try daemon.torpor("post", "web", "news").status == 0)
        } else {
            // It sleeps, and its hook has failed.
            #expect(try daemon.torpor("suspend", "web").status == 75)
        }
        try daemon.process.errors.until("took too long and was abandoned")
        let hook = try #require(
            Int32(
                try String(contentsOfFile: "\(daemon.directory)/pids", encoding: .utf8).split(
                    separator: "\n")[0]))
        _ = try eventually("the hook's command to be gone") { state(of: hook) == nil ? true : nil }
        #expect(try daemon.list().first?.pid == main)
        #expect(try !daemon.torpor("report", "web").output.contains("0x8badf00d"))
    }

    @Test func `goes on when a hook crashes`() throws {
        let daemon = try daemon("exec:/bin/sh -c 'kill -SEGV $$$$'")
        let suspended = try daemon.torpor("suspend", "bad")
        #expect(suspended.status == 75)
        #expect(
            suspended.errors.contains(
                "it is suspended, but its didEnterBackground hook failed: killed by SIGSEGV"),
            "\(suspended.errors)")
        let why = try daemon.torpor("why", "bad").output
        #expect(why.contains("its didEnterBackground hook failed: killed by SIGSEGV"), "\(why)")
        try daemon.process.errors.until("the hook for didEnterBackground failed: killed by SIGSEGV")
        try expectGoodWorker(of: daemon)
    }

    @Test func `says in status which hook failed until it succeeds or the worker is launched anew`() throws {
        let daemon = try daemon("exec:/bin/sh -c 'test -e DIRECTORY/good'")
        func status() throws -> String { try daemon.torpor("status", "bad").output }
        var shown = ""
        #expect(!(try status().contains("Failed hook")))
        #expect(try daemon.torpor("suspend", "bad").status == 75)
        let failed =
            "Failed hook: didEnterBackground (exec:/bin/sh -c 'test -e \(daemon.directory)/good'): exit status 1; "
        shown = try status()
        #expect(shown.contains(failed), "\(shown)")
        // It has been told of nothing else since.
        #expect(try daemon.torpor("activate", "bad").status == 0)
        shown = try status()
        #expect(shown.contains(failed), "\(shown)")
        let why = try daemon.torpor("why", "bad").output
        #expect(why.contains("its didEnterBackground hook failed: exit status 1 (exec:/bin/sh -c"), "\(why)")
        try "".write(toFile: "\(daemon.directory)/good", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("suspend", "bad").status == 0)
        #expect(!(try status().contains("Failed hook")))
        #expect(try daemon.torpor("activate", "bad").status == 0)
        try FileManager.default.removeItem(atPath: "\(daemon.directory)/good")
        #expect(try daemon.torpor("suspend", "bad").status == 75)
        #expect(try daemon.torpor("terminate", "bad").status == 0)
        shown = try status()
        #expect(shown.contains(failed), "\(shown)")
        #expect(try daemon.torpor("launch", "bad").status == 0)
        #expect(!(try status().contains("Failed hook")))
    }

    @Test func `goes on when a hook cannot be started`() throws {
        let daemon = try daemon("exec:/nowhere/at/all")
        #expect(try daemon.torpor("suspend", "bad").status == 75)
        try daemon.process.errors.until(
            "the hook for didEnterBackground failed: command not found: /nowhere/at/all")
        try expectGoodWorker(of: daemon)
    }

    @Test func `goes on when a hook prints without end, and tells a hundred lines of it`() throws {
        let daemon = try daemon(
            "exec:/bin/sh -c 'yes a line of what nobody wants to read, again and again | head -c 300000000'")
        let suspending = try start(daemon, "suspend", "bad")
        try daemon.process.errors.until("didEnterBackground: a line of what")
        // Every one of these waits for the daemon while it reads on.
        for _ in 0..<3 { try expectGoodWorker(of: daemon) }
        #expect(try suspending.wait() == .exited(0))
        var told = 1
        while let line = try daemon.process.errors.next(), !line.contains(" more lines") {
            if line.contains("didEnterBackground: a line of what") { told += 1 }
        }
        #expect(told <= 100)
    }

    @Test func `keeps what a hook leaves behind in its worker, and ends it with that`() throws {
        let daemon = try daemon(
            "exec:/bin/sh -c 'setsid sleep 1000 & echo left $$!; sleep 0.1'", "[Foreground]")
        #expect(try daemon.torpor("background", "bad").status == 0)
        let line = try daemon.process.errors.until("didEnterBackground: left ")
        let pid = try #require(Int32(line.split(separator: " ").last ?? ""))
        #expect(state(of: pid) != nil)
        try expectGoodWorker(of: daemon)
        #expect(try daemon.torpor("terminate", "bad").status == 0)
        _ = try eventually("what it left to be gone") { state(of: pid) == nil ? true : nil }
    }

    @Test func `completes a callback by a notification of a command that goes on`() throws {
        let daemon = try daemon(
            "exec:/bin/sh -c 'systemd-notify X_TORPOR_COMPLETE=1; sleep 1000'",
            "DidEnterBackgroundCompletes=notify")
        #expect(try daemon.torpor("suspend", "bad").status == 0)
        try daemon.process.errors.until("background → suspended")
        try expectGoodWorker(of: daemon)
    }

    @Test func `kills a worker that sleeps on a device it was to release`() throws {
        let daemon = try DaemonUnderTest([
            "holder": """
            [Worker]
            ExecStart=/bin/sh -c 'exec sleep 1000 3</dev/zero'
            Launch=boot
            [Background]
            ReleaseInBackground=/dev/zer*
            """
        ])
        try daemon.process.errors.until("inactive → active")
        let pid = try #require(try daemon.list().first?.pid)
        _ = try eventually("it to hold it") {
            (try? readlink("/proc/\(pid)/fd/3")) == "/dev/zero" ? true : nil
        }
        _ = try daemon.torpor("suspend", "holder")
        try daemon.process.errors.until("0xdead10cc")
        #expect(try daemon.torpor("why", "holder").output.contains("/dev/zero"))
        #expect(try daemon.torpor("history", "holder").output.contains("/dev/zero"))
    }

    @Test(arguments: ["", ":always"])
    func `kills a worker that keeps a device open in the background, where its file says always`(
        _ mark: String
    ) throws {
        let daemon = try DaemonUnderTest([
            "holder": """
            [Worker]
            ExecStart=/bin/sh -c 'exec sleep 1000 3</dev/zero'
            Launch=boot
            [Background]
            ReleaseInBackground=/dev/zer*\(mark)
            """
        ])
        try daemon.process.errors.until("inactive → active")
        let pid = try #require(try daemon.list().first?.pid)
        _ = try eventually("it to hold it") {
            (try? readlink("/proc/\(pid)/fd/3")) == "/dev/zero" ? true : nil
        }
        let background = try daemon.torpor("background", "holder")
        guard !mark.isEmpty else {
            #expect(background.status == 0, "\(background)")
            #expect(try daemon.list().first?.state == "background")
            return
        }
        #expect(background.status != 0, "\(background)")
        try daemon.process.errors.until("0xdead10cc")
        for verb in ["status", "why", "report", "history"] {
            let text = try daemon.torpor(verb, "holder").output
            #expect(text.contains("/dev/zero open in pid \(pid), in the background"), "\(verb): \(text)")
        }
    }

    @Test func `kills a worker that opens a device in the background, where its file says always`() throws {
        let daemon = try DaemonUnderTest([
            "opener": """
            [Worker]
            ExecStart=/bin/sh -c 'until [ -e DIRECTORY/go ]; do sleep 0.02; done; exec sleep 1000 3</dev/full'
            Launch=boot
            [Background]
            ReleaseInBackground=/dev/ful*:always
            """
        ])
        try daemon.process.errors.until("inactive → active")
        #expect(try daemon.torpor("background", "opener").status == 0)
        // In the background, and held there: no end of work and no sleep is to come.
        try "".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        try daemon.process.errors.until("0xdead10cc")
        #expect(try daemon.torpor("why", "opener").output.contains("/dev/full open in pid"))
    }

    /// A lock of the process that sleeps, and one that flock(1) took for it and left to it.
    @Test(
        .requires(.program("/usr/bin/flock")),
        arguments: [
            "/usr/bin/flock --no-fork DIRECTORY/lock sleep 1000",
            "/bin/sh -c 'exec 9>DIRECTORY/lock; flock 9; exec sleep 1000'",
        ])
    func `reports a process that begins to wait for a lock during the sleep`(_ command: String) throws {
        let daemon = try DaemonUnderTest([
            "holder": """
            [Worker]
            ExecStart=\(command)
            Launch=boot
            """
        ])
        try daemon.process.errors.until("inactive → active")
        let pid = try #require(try daemon.list().first?.pid)
        _ = try eventually("it to hold the lock, and to be what it is then") {
            let isThere = (try? readlink("/proc/\(pid)/exe"))?.hasSuffix("/sleep") ?? false
            return isThere && HeldFileLock.all(of: [pid]).contains { $0.path.hasSuffix("/lock") } ? true : nil
        }
        #expect(try daemon.torpor("suspend", "holder").status == 0)
        try daemon.process.errors.until("background → suspended")
        #expect(try !daemon.torpor("status", "holder").output.contains("waited for"))
        let waiter = try Wrapper([], [], line: ["/usr/bin/flock", "\(daemon.directory)/lock", "true"])
        _ = try eventually("status to say so") {
            try daemon.torpor("status", "holder").output.contains("waited for by pid \(waiter.pid)")
                ? true : nil
        }
        let words =
            "FLOCK lock on \(daemon.directory)/lock, held by pid \(pid), waited for by pid \(waiter.pid)"
        for verb in ["status", "why", "history"] {
            let text = try daemon.torpor(verb, "holder").output
            #expect(text.contains(words), "\(verb): \(text)")
        }
        try daemon.process.errors.until(words)
        #expect(try daemon.list().first?.state == "suspended")
        // Another daemon in the place of this one finds it again.
        #expect(try daemon.torpor("reexec").status == 0)
        _ = try eventually("why to say so again") {
            try daemon.torpor("why", "holder").output.contains(words) ? true : nil
        }
        // It gets what it waits for when the worker goes on and lets go of it.
        #expect(try daemon.torpor("kill", "holder").status == 0)
        #expect(try waiter.wait() == .exited(0))
    }

    @Test(.requires(.program("/usr/bin/flock")), arguments: ["kill", "warn"])
    func `kills a worker that sleeps on a lock for which no process waits, where its file says so`(
        _ setting: String
    ) throws {
        let daemon = try DaemonUnderTest([
            "holder": """
            [Worker]
            ExecStart=/usr/bin/flock --no-fork DIRECTORY/lock sleep 1000
            Launch=boot
            [Background]
            HeldLocks=\(setting)
            """
        ])
        try daemon.process.errors.until("inactive → active")
        let pid = try #require(try daemon.list().first?.pid)
        _ = try eventually("it to hold the lock") {
            let table = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
            return table.contains("FLOCK  ADVISORY  WRITE \(pid) ") ? true : nil
        }
        _ = try daemon.torpor("suspend", "holder")
        guard setting == "kill" else {
            #expect(try daemon.list().first?.state == "suspended")
            return
        }
        try daemon.process.errors.until("0xdead10cc")
        #expect(try daemon.torpor("why", "holder").output.contains("FLOCK lock on \(daemon.directory)/lock"))
    }

    @Test func `holds a worker down that computes in the background, then kills it`() throws {
        let daemon = try DaemonUnderTest([
            "busy": """
            [Worker]
            ExecStart=/bin/sh -c 'while :; do :; done'
            Launch=boot-background
            Nice=5
            [Background]
            Modes=continuous
            CPULimit=1%
            CPULimitWindowSec=600ms
            """
        ])
        let line = try daemon.process.errors.until("ended: ")
        #expect(line.contains("0xd00d2bad"))
    }

    // MARK: acting

    /// A daemon with a worker that has this hook for didEnterBackground, and one that has none.
    private func daemon(_ hook: String, _ lines: String = "") throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest([
            "bad": """
            [Worker]
            ExecStart=/bin/sleep 1000
            Launch=boot
            NotifyAccess=all
            [Callbacks]
            DidEnterBackground=\(hook)
            \(lines)
            """,
            "good": "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n",
        ])
        for _ in 0..<2 { try daemon.process.errors.until("inactive → active") }
        return daemon
    }

    /// Puts the other worker to sleep and wakes it again.
    private func expectGoodWorker(of daemon: DaemonUnderTest) throws {
        #expect(try daemon.torpor("suspend", "good").status == 0)
        #expect(try daemon.torpor("activate", "good").status == 0)
    }

    private func start(_ daemon: DaemonUnderTest, _ verb: String, _ worker: String) throws -> Wrapper {
        try Wrapper([], [], line: [Wrapper.program, verb, "--socket", daemon.socket, worker])
    }

    private func redis(_ daemon: DaemonUnderTest, _ arguments: String...) throws -> String? {
        let client = try Wrapper(
            [], [], line: ["/usr/bin/redis-cli", "-s", "\(daemon.directory)/redis.sock"] + arguments)
        return try client.output.next()
    }
}
