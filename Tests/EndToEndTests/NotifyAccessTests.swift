import Foundation
import Glibc
import TestSupport
import Testing

/// Which processes' notify messages count: `NotifyAccess=`, as in systemd.service(5).
@Suite(.timeLimit(.minutes(60))) struct `NotifyAccess=` {
    struct Row: CustomTestStringConvertible, Sendable {
        let access: String
        let main: Bool
        let hook: Bool
        let child: Bool
        var testDescription: String { access }
    }

    /// Says what it is told to, as the process that it is; it waits until the notification has been taken.
    private static let say = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.connect(os.environ['NOTIFY_SOCKET'].replace('@', '\\0', 1))
        s.send(sys.argv[1].encode())
        r, w = os.pipe()
        socket.send_fds(s, [b'BARRIER=1'], [w])
        os.close(w)
        os.read(r, 1)
        """

    @Test(arguments: [
        Row(access: "none", main: false, hook: false, child: false),
        Row(access: "main", main: true, hook: false, child: false),
        Row(access: "exec", main: true, hook: true, child: false),
        Row(access: "all", main: true, hook: true, child: true),
    ])
    func `takes notifications of the processes that it names, and no others`(_ row: Row) throws {
        let daemon = try DaemonUnderTest([
            "w": """
            [Worker]
            ExecStart=/usr/bin/python3 -IS DIRECTORY/main.py
            NotifyAccess=\(row.access)
            [Callbacks]
            WillResignActive=exec:/usr/bin/python3 -IS DIRECTORY/say.py STATUS=hook
            DidBecomeActive=exec:/bin/true
            """
        ])
        // A worker without a socket says nothing.
        let guarded = "import os, sys\nif 'NOTIFY_SOCKET' not in os.environ: sys.exit(0)\n" + Self.say
        try guarded.write(toFile: "\(daemon.directory)/say.py", atomically: true, encoding: .utf8)
        let main = """
            import signal, subprocess, sys, time
            signal.pthread_sigmask(signal.SIG_BLOCK, {10, 12})
            open('\(daemon.directory)/ready', 'w').close()
            say = open('\(daemon.directory)/say.py').read()
            while True:
                got = signal.sigwait({10, 12})
                if got == 10:
                    sys.argv = ['say', 'STATUS=main']
                    try: exec(say)
                    except SystemExit: pass
                else:
                    subprocess.run([sys.executable, '-IS', '\(daemon.directory)/say.py', 'STATUS=child'])
                open('\(daemon.directory)/said', 'a').write('said\\n')
            """
        try main.write(toFile: "\(daemon.directory)/main.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "w").status == 0)
        func status() throws -> String { try daemon.torpor("status", "w").output }
        let pid = try #require(
            try status().firstMatch(of: /Main PID: (\d+)/).flatMap { Int32($0.1) })
        _ = try eventually("it waits for signals") {
            access("\(daemon.directory)/ready", F_OK) == 0 ? true : nil
        }
        for (signal, word, counts, lines) in [
            (SIGUSR1, "main", row.main, 1), (SIGUSR2, "child", row.child, 2),
        ] {
            kill(pid, signal)
            _ = try eventually("it has said so") { daemon.lines(of: "said").count == lines ? true : nil }
            #expect(try status().contains("\"\(word)\"") == counts, "\(word)")
        }
        #expect(try daemon.torpor("resign", "w").status == 0)
        #expect(try status().contains("\"hook\"") == row.hook, "hook")
    }
}
