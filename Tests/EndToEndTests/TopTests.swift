import Foundation
import Glibc
import TestSupport
import Testing

extension Capability {
    /// Debian's tmux.
    static let tmux = Capability("tmux") {
        access("/usr/bin/tmux", X_OK) == 0 ? nil : "/usr/bin/tmux is not installed"
    }
}

/// A terminal in tmux, with a shell in it that has started a program.
private final class Pane {
    private let tmux: [String]
    private let directory: String

    init(
        _ command: String, in directory: String, columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:]
    ) throws {
        self.directory = directory
        tmux = ["/usr/bin/tmux", "-u", "-S", "\(directory)/tmux", "-f", "/dev/null"]
        var variables = ["LANG": "C.UTF-8", "TERM": "screen"]
        variables.merge(environment) { $1 }
        let words = variables.map { "export \($0.key)='\($0.value)'" }.sorted().joined(separator: "; ")
        // What the shell says shows that the terminal is a terminal again.
        let script = """
            unset LC_ALL LC_CTYPE NO_COLOR TMUX; \(words); stty -a > \(directory)/before
            \(command); echo "ended with $?"; stty -a > \(directory)/after; while read line; do echo "read <$line>"; done
            """
        try script.write(toFile: "\(directory)/script", atomically: false, encoding: .utf8)
        try run("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/bash \(directory)/script")
    }

    deinit { _ = try? Wrapper([], [], line: tmux + ["kill-server"]).wait() }

    func run(_ words: String...) throws {
        let done = try Wrapper([], [], line: tmux + words)
        guard try done.wait() == .exited(0) else { throw TimedOut(description: "tmux \(words) failed") }
    }

    func type(_ keys: String...) throws {
        for key in keys { try run("send-keys", key) }
    }

    /// What is on the screen; with `attributes` as escape sequences.
    func lines(withAttributes attributes: Bool = false) throws -> [String] {
        let words = ["capture-pane", "-p"] + (attributes ? ["-e"] : [])
        let output = try DaemonUnderTest.result(of: Wrapper([], [], line: tmux + words)).output
        return output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The screen, once it has what is looked for.
    @discardableResult
    func screen(_ what: String, _ isThere: ([String]) -> Bool) throws -> [String] {
        var last: [String] = []
        do {
            return try eventually(what) {
                last = try lines()
                return isThere(last) ? last : nil
            }
        } catch {
            throw TimedOut(description: "\(what), on:\n\(last.joined(separator: "\n"))")
        }
    }

    /// Whether the terminal is set as it was before.
    func isRestored() throws -> Bool {
        let before = try String(contentsOfFile: "\(directory)/before", encoding: .utf8)
        return try eventually("the shell") {
            let after = try? String(contentsOfFile: "\(directory)/after", encoding: .utf8)
            return after?.isEmpty ?? true ? nil : after == before
        }
    }
}

@Suite(.long, .timeLimit(.minutes(60)), .requires(.tmux)) struct `The live screen of torpor top` {
    private func daemon() throws -> DaemonUnderTest {
        let sleeper = "[Worker]\nExecStart=/bin/sleep 100000\n"
        return try DaemonUnderTest([
            "web":
                "[Worker]\nDescription=A shop\nExecStart=/bin/sleep 100000\n[Foreground]\nForegroundGroup=g\n",
            "db": sleeper, "i@": sleeper,
            "evil":
                "[Worker]\nExecStart=/bin/sh -c 'printf \"\\\\033]0;title\\\\007\\\\033[2Jboo\\\\n\"; exec sleep 100000'\n",
        ])
    }

    private func row(_ name: String, _ words: String...) -> ([String]) -> Bool {
        { lines in
            lines.contains { line in
                let cells = line.split(separator: " ").map { $0.drop { $0 == ">" } }.filter { !$0.isEmpty }
                return cells.first.map(String.init) == name
                    && words.allSatisfy { word in cells.contains { $0 == word } }
            }
        }
    }

    private func has(_ text: String) -> ([String]) -> Bool {
        { $0.contains { $0.contains(text) } }
    }

    private func top(_ daemon: DaemonUnderTest, _ rest: String = "") -> String {
        "\(Wrapper.program) top --socket \(daemon.socket) \(rest)"
    }

    @Test func `shows workers as they change, and steers them by keys`() throws {
        let daemon = try daemon()
        for name in ["web", "i@1", "i@2"] { #expect(try daemon.torpor("launch", name).status == 0) }
        try withTemporaryDirectory { directory in
            let pane = try Pane(top(daemon), in: directory)
            var screen = try pane.screen("the rows", row("web", "active"))
            #expect(screen[0].hasPrefix("5 workers: 3 active, 2 not running"))
            #expect(
                screen[3].hasPrefix(
                    " NAME     STATE        FOR   MEM  BACK CPU% CON QUE W/H NEXT       PAST 3min"))
            #expect(screen[23].hasPrefix("? help  q quit"))
            // Another hand changes something: it is seen.
            #expect(try daemon.torpor("suspend", "web").status == 0)
            try pane.screen("a change", row("web", "suspended"))
            // A verb says what it will do.
            try pane.type("End", "a")
            screen = try pane.screen(
                "the question", has("activate web? y/n: wakes it and moves it to the foreground"))
            try pane.type("n")
            try pane.screen("a no", has("activate: nothing was done"))
            try pane.type("a", "y")
            try pane.screen("the verb", row("web", "active"))
            try pane.screen("its result", has("activate web: done"))
            try pane.type("w")
            try pane.screen("why", has("web is active: an operator"))
            try pane.type("q", "Enter")
            try pane.screen("the status", has("Main PID:"))
            try pane.type("q", "f")
            try pane.screen("the fold", has("+ i@ (2)"))
            try pane.type("f", "f", "/", "d", "b", "Enter")
            try pane.screen("the filter") { row("db")($0) && !row("web")($0) }
            try pane.type("Escape")
            try pane.screen("all again", row("web"))
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
            #expect(try pane.isRestored())
        }
    }

    @Test func `counts the connections of a worker`() throws {
        let daemon = try DaemonUnderTest([
            "server": """
            [Worker]
            ExecStart=/usr/bin/python3 -c 'import socket,time; s=socket.create_server(("127.0.0.1",0)); \
              open("DIRECTORY/port","w").write(str(s.getsockname()[1])+";"); c=[s.accept() for i in (1,2)]; time.sleep(1000)'
            """
        ])
        #expect(try daemon.torpor("launch", "server").status == 0)
        let port: String = try eventually("the port") {
            let text = try? String(contentsOfFile: "\(daemon.directory)/port", encoding: .utf8)
            return text?.hasSuffix(";") ?? false ? text.map { String($0.dropLast()) } : nil
        }
        try withTemporaryDirectory { directory in
            let pane = try Pane(top(daemon), in: directory)
            try pane.screen("none", row("server", "active", "0"))
            let address = "/dev/tcp/127.0.0.1/\(port)"
            let client = try Wrapper(
                [], [], line: ["/bin/bash", "-c", "exec 3<>\(address) 4<>\(address); exec sleep 1000"])
            try pane.screen("both", row("server", "active", "2"))
            client.send(SIGKILL)
            _ = try client.wait()
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
        }
    }

    /// The reply to `Figures` of these names, as JSON in one line; `prefix` is put before the program that asks.
    private func figures(_ daemon: DaemonUnderTest, _ names: [String], through prefix: [String] = []) throws
        -> String
    {
        let script = """
            import json, socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect("\(daemon.socket)")
            call = {"method": "io.torpor.Supervisor.Figures", "parameters": {"names": sys.argv[1:]}}
            s.sendall(json.dumps(call).encode() + bytes(1))
            data = b""
            while not data.endswith(bytes(1)): data += s.recv(65536)
            print(data[:-1].decode())
            """
        let client = try Wrapper([], [], line: prefix + ["/usr/bin/python3", "-c", script] + names)
        return try DaemonUnderTest.result(of: client).output
    }

    @Test func `asks for figures of workers that there are, in its order, and no more than are looked at`()
        throws
    {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        let reply = try figures(daemon, ["web", "nothing", "db", "*"])
        #expect(
            reply.hasPrefix("{\"parameters\":{\"workers\":[{\"name\":\"web\",\"goal\":\"active\",\"pid\":"))
        #expect(reply.contains("\"foregroundGroup\":\"g\"},{\"name\":\"db\",\"goal\":\"notRunning\""))
        #expect(reply.split(separator: "\"name\"").count == 3)
        let many = try figures(daemon, Array(repeating: "db", count: 300))
        #expect(many.split(separator: "\"name\"").count == 257)
    }

    @Test(.requires(.root)) func `has no figures for callers that are not operators`() throws {
        let daemon = try daemon()
        let other = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        #expect(try figures(daemon, ["db"], through: other).contains("PermissionDenied"))
        let top = try Wrapper([], [], line: other + [Wrapper.program, "top", "--socket", daemon.socket])
        let result = try DaemonUnderTest.result(of: top)
        #expect(result.status == 0 && result.output.contains("no figures: they are for operators only"))
    }

    @Test func `shows the workers of another machine`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        try withTemporaryDirectory { directory in
            // In the place of ssh: what it would run there, here.
            let programs = (Wrapper.program as NSString).deletingLastPathComponent
            let ssh = "\(directory)/ssh"
            try """
            #!/bin/bash
            echo "$*" >> \(directory)/calls
            while [ "$1" != -- ]; do shift; done; shift 2
            PATH=\(programs):$PATH exec /bin/sh -c "$*"
            """.write(toFile: ssh, atomically: false, encoding: .utf8)
            chmod(ssh, 0o755)
            let pane = try Pane(
                top(daemon, "--host far"), in: directory, environment: ["TORPOR_SSH": ssh])
            let screen = try pane.screen("the row", row("web", "active"))
            #expect(screen[0].hasSuffix("ssh:far"))
            try pane.type("End", "s", "y")
            try pane.screen("the verb", row("web", "suspended"))
            try pane.screen("its result", has("suspend web: done"))
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
            // The first may ask for a password; those under the screen may not.
            let calls = try String(contentsOfFile: "\(directory)/calls", encoding: .utf8).split(
                separator: "\n")
            #expect(calls.count == 4 && calls.dropFirst().allSatisfy { $0.contains("BatchMode=yes") })
        }
    }

    @Test func `bears small terminals, and sizes that change`() throws {
        let daemon = try daemon()
        try withTemporaryDirectory { directory in
            let pane = try Pane(top(daemon), in: directory, columns: 20, rows: 5)
            var screen = try pane.screen("a small screen", row("db", "notRunning"))
            #expect(screen[0].hasPrefix("3 workers: 3 not r"))
            #expect(screen.allSatisfy { $0.count <= 20 })
            try pane.run("resize-window", "-x", "120", "-y", "30")
            screen = try pane.screen("a large one") { $0.count >= 30 && $0[3].contains("PAST") }
            #expect(screen[29].hasPrefix("? help"))
            try pane.run("resize-window", "-x", "80", "-y", "24")
            try pane.screen("the usual one") { $0.count < 30 && has("? help")($0) && has("PAST")($0) }
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
        }
    }

    @Test func `executes nothing that workers print, and has no colour where none is wanted`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "evil").status == 0)
        try withTemporaryDirectory { directory in
            let pane = try Pane(
                top(daemon, "evil"), in: directory, environment: ["NO_COLOR": "1", "LANG": "C"])
            try pane.screen("the row", row("evil", "active"))
            let coloured = try pane.lines(withAttributes: true).joined()
            #expect(!coloured.contains("[32m") && !coloured.contains("[1;32m") && !coloured.contains("[90m"))
            #expect(!coloured.unicodeScalars.contains { $0.value > 0x7e })
            try pane.type("l")
            try pane.screen("its output", has("\\x1b[2Jboo"))
            try pane.type("q", "q")
            try pane.screen("the end", has("ended with 0"))
        }
    }

    @Test func `says that the daemon is gone, and goes on with the next`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        try withTemporaryDirectory { directory in
            let pane = try Pane(top(daemon), in: directory)
            try pane.screen("the row", row("web", "active"))
            try daemon.killAndRestart {
                try pane.screen("that it is gone", has("no supervisor for "))
                try pane.type("s")
                try pane.screen("the refusal", has("suspend: there is no supervisor to call"))
            }
            try pane.screen("the next", has("workers: 1 active"))
            try pane.screen("its figures") { !$0.contains { $0.contains("no figures") } }
            try pane.type("End", "s", "y")
            try pane.screen("what goes on", row("web", "suspended"))
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
            #expect(try pane.isRestored())
        }
    }

    @Test func `says that the daemon does not answer, and goes on when it does`() throws {
        let daemon = try daemon()
        try withTemporaryDirectory { directory in
            let pane = try Pane(top(daemon), in: directory)
            try pane.screen("the row", row("web"))
            daemon.process.send(SIGSTOP)
            defer { daemon.process.send(SIGCONT) }
            try pane.screen("its silence", has("the supervisor has not answered for "))
            try pane.type("w")
            try pane.screen("the refusal", has("The supervisor does not answer"))
            daemon.process.send(SIGCONT)
            try pane.screen("its answer", has("3 workers: "))
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
        }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT])
    func `restores the terminal when it is ended by a signal`(_ number: Int32) throws {
        let daemon = try daemon()
        try withTemporaryDirectory { directory in
            let pane = try Pane(
                "ulimit -c 0; sh -c 'echo $$ > \(directory)/pid; exec \(top(daemon))'", in: directory)
            try pane.screen("the row", row("web"))
            let pid = try #require(
                Int32(
                    try String(contentsOfFile: "\(directory)/pid", encoding: .utf8)
                        .trimmingCharacters(in: .whitespacesAndNewlines)))
            kill(pid, number)
            let screen = try pane.screen("the end", has("ended with \(128 + number)"))
            #expect(!has(" NAME ")(screen))
            #expect(try pane.isRestored())
            try pane.type("x", "Enter")
            try pane.screen("a terminal that echoes", has("read <x>"))
        }
    }

    @Test func `stops and goes on as a job of a shell`() throws {
        let daemon = try daemon()
        try withTemporaryDirectory { directory in
            let pane = try Pane(
                "set -m; \(top(daemon)); echo stopped; read line; stty -a > \(directory)/stopped; fg > /dev/null",
                in: directory)
            try pane.screen("the row", row("web"))
            try pane.type("C-z")
            let screen = try pane.screen("the shell", has("stopped"))
            #expect(!has("? help")(screen))
            try pane.type("Enter")
            try pane.screen("the screen again") { row("web")($0) && has("? help")($0) && !has("stopped")($0) }
            let before = try String(contentsOfFile: "\(directory)/before", encoding: .utf8)
            #expect(try String(contentsOfFile: "\(directory)/stopped", encoding: .utf8) == before)
            try pane.type("q")
            try pane.screen("the end", has("ended with 0"))
            #expect(try pane.isRestored())
        }
    }

    @Test func `is a picture where there is no terminal, or a dumb one`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        let result = try daemon.torpor("top", "--sort", "state", "--filter", "!evil")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0 && lines.count == 6)
        #expect(lines[0].hasPrefix("3 workers: 1 active, 2 not running") && lines[4].hasPrefix(" web "))
        #expect(!result.output.contains("\u{1b}"))
        // Memory is held, and the processor is not used, by what sleeps.
        let cells = lines[4].split(separator: " ")
        #expect(
            cells[1] == "active" && cells[3].hasSuffix("K") != cells[3].hasSuffix("M") && cells[5] == "0.0")
        #expect(try daemon.torpor("top", "--sort", "nonsense").status == 64)
        #expect(try daemon.torpor("top", "--fold", "nonsense").status == 64)
        #expect(try daemon.torpor("top", "--json=short").status == 64)
        #expect(try daemon.torpor("top", "nothing").status == 4)
        try withTemporaryDirectory { directory in
            let pane = try Pane(top(daemon), in: directory, environment: ["TERM": "dumb"])
            let screen = try pane.screen("the end", has("ended with 0"))
            #expect(row("web", "active")(screen))
        }
    }
}
