import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What comes while a daemon becomes another program in the same process, held up at both of its steps.
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct `While a daemon is replaced` {
    /// A program in the place of `torpord` that does `check` where it is asked whether it can take over, and `takeover` before it does,
    /// and then is `torpord`.
    private static func script(_ directory: String, check: String = "pass", takeover: String = "pass")
        -> String
    {
        """
        #!/usr/bin/python3
        import os, sys, time
        def there(name): return os.path.exists("\(directory)/" + name)
        def note(name): open("\(directory)/" + name, "w").close()
        def state(pid): return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
        if "--takeover" in sys.argv:
            \(takeover)
        else:
            \(check)
        os.execv("\(DaemonUnderTest.program)", sys.argv)

        """
    }

    /// Starts the daemon as a copy of the program, and puts a script in its place.
    private func replace(_ daemon: DaemonUnderTest, _ script: (String) -> String) throws {
        let own = "\(daemon.directory)/torpord"
        // Not by this process: what it has open to write may be open in another test's child as well, and execve(2) would fail (ETXTBSY).
        let copy = try Wrapper([], [], line: ["/bin/cp", DaemonUnderTest.program, own])
        #expect(try copy.wait() == .exited(0))
        try daemon.restart(as: own)
        let new = "\(daemon.directory)/new"
        try script(daemon.directory).write(toFile: new, atomically: true, encoding: .utf8)
        chmod(new, 0o755)
        #expect(rename(new, own) == 0)
    }

    private func wait(for name: String, in daemon: DaemonUnderTest) throws {
        try eventually("\(name) to be there") { access("\(daemon.directory)/\(name)", F_OK) == 0 ? () : nil }
    }

    @Test(arguments: ["", "StandardOutput=append:DIRECTORY/printed"])
    func `the last lines of a worker that ends are kept`(_ more: String) throws {
        let daemon = try DaemonUnderTest([
            "quitter": """
            [Worker]
            ExecStart=/bin/sh -c 'echo $$$$ > DIRECTORY/pid; while [ ! -e DIRECTORY/go ]; do sleep 0.02; done; echo last words; exit 3'
            \(more)
            """
        ])
        try replace(daemon) {
            Self.script(
                $0,
                takeover: """
                    note("go")
                        pid = int(open("\($0)/pid").read())
                        while state(pid) != "Z": time.sleep(0.01)
                    """)
        }
        #expect(try daemon.torpor("launch", "quitter").status == 0)
        try eventually("it runs") {
            let text = try? String(contentsOfFile: "\(daemon.directory)/pid", encoding: .utf8)
            return text?.hasSuffix("\n") == true ? () : nil
        }
        #expect(try daemon.torpor("reexec").status == 0)
        try eventually("its end is told") {
            try daemon.torpor("report", "quitter").output.contains("Exit status: 3") ? () : nil
        }
        if more.isEmpty {
            #expect(try daemon.torpor("logs", "quitter").output.contains("last words"))
        } else {
            try eventually("the lines are in their file") {
                try String(contentsOfFile: "\(daemon.directory)/printed", encoding: .utf8)
                    .contains("last words") ? () : nil
            }
        }
    }

    @Test func `a signal that ends it ends it, and it is not replaced`() throws {
        let daemon = try DaemonUnderTest([
            "slow": """
            [Worker]
            ExecStart=/bin/sh -c 'trap "while [ ! -e DIRECTORY/over ]; do sleep 0.02; done; exit 0" TERM; while :; do sleep 0.02; done'
            Launch=boot
            """
        ])
        try replace(daemon) {
            Self.script($0, check: "note(\"checking\")\n    while not there(\"checked\"): time.sleep(0.01)")
        }
        try eventually("it runs") { try daemon.list().first?.state == "active" ? () : nil }
        let verb = try Wrapper([], [], line: [Wrapper.program, "reexec", "--socket", daemon.socket])
        try wait(for: "checking", in: daemon)
        daemon.process.send(SIGTERM)
        try daemon.process.errors.until("stopping all workers")
        _ = FileManager.default.createFile(atPath: "\(daemon.directory)/checked", contents: nil)
        let refused = try DaemonUnderTest.result(of: verb)
        #expect(refused.status == 75, "\(refused)")
        #expect(refused.errors.contains("the supervisor is shutting down"), "\(refused)")
        _ = FileManager.default.createFile(atPath: "\(daemon.directory)/over", contents: nil)
        #expect(try daemon.process.wait() == .exited(0))
    }

    @Test(.requires(.root)) func `the sockets of a worker that is defined no more are closed`() throws {
        let port = try freePort()
        let file = """
            [Worker]
            ExecStart=/usr/bin/python3 -m http.server --bind 127.0.0.1 \(port)
            ExitsOnSuspend=yes
            ReadyWhen=port:\(port)
            """
        let daemon = try DaemonUnderTest(["web": file])
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        let status = try daemon.torpor("status", "web").output
        #expect(status.contains("Wakes by"), "\(status)")
        try FileManager.default.removeItem(atPath: "\(daemon.directory)/conf/workers/web.worker")
        #expect(try daemon.torpor("reexec").status == 0)
        #expect((try? Client(port: port)) == nil)
        // Its port is free.
        try daemon.write("web.worker", file)
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("launch", "web").status == 0)
    }

    @Test func `lines for a worker that has not read them come once, and whole`() throws {
        let daemon = try DaemonUnderTest([
            "reader": """
            [Worker]
            ExecStart=/bin/sh -c 'while [ ! -e DIRECTORY/go ]; do sleep 0.02; done; cat > DIRECTORY/read'
            StandardInput=pipe
            """
        ])
        #expect(try daemon.torpor("launch", "reader").status == 0)
        // More than a pipe holds: of the second a part is written, and of the third nothing.
        let lines = [String(repeating: "a", count: 60_000), String(repeating: "b", count: 60_000), "c"]
        #expect(try daemon.torpor("send", "reader", lines[0]).status == 0)
        let pipe = open("\(daemon.directory)/run/worker-reader.stdin", O_RDONLY | O_NONBLOCK)
        defer { close(pipe) }
        func held() -> Int32 {
            var count: Int32 = 0
            return ioctl(pipe, UInt(FIONREAD), &count) == 0 ? count : -1
        }
        #expect(held() == 60_001)
        var senders: [Wrapper] = []
        for line in lines.dropFirst() {
            senders.append(
                try Wrapper(
                    [], [], line: [Wrapper.program, "send", "--socket", daemon.socket, "reader", line]))
            try eventually("the pipe is full") { held() > 60_001 ? () : nil }
        }
        #expect(try daemon.torpor("reexec").status == 0)
        _ = FileManager.default.createFile(atPath: "\(daemon.directory)/go", contents: nil)
        for sender in senders { #expect(try DaemonUnderTest.result(of: sender).status == 0) }
        try eventually("all is read") {
            let read = try? String(contentsOfFile: "\(daemon.directory)/read", encoding: .utf8)
            return read?.split(separator: "\n").map(String.init).sorted() == lines ? () : nil
        }
    }
}
