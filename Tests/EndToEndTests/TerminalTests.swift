import Foundation
import Glibc
import Launching
import Linux
import Processes
import TestSupport
import Testing

/// A pseudo-terminal with a program on it, as in pty(7).
final class Console {
    let master: Int32
    let screen: Lines
    private var slave: Int32

    init() throws {
        let (unlock, openPeer): (UInt, UInt) = (0x4004_5431, 0x5441)
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: Int32 = 0
        guard ioctl(master, unlock, &locked) == 0 else { throw TimedOut(description: "no pty: \(errno)") }
        slave = ioctl(master, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        screen = Lines(dup(master))
    }

    deinit {
        close(master)
        if slave >= 0 { close(slave) }
    }

    /// The program's end.
    var terminal: Int32 { slave }

    /// From here on the program alone has its end open.
    func closeTerminal() {
        close(slave)
        slave = -1
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(master, bytes, bytes.count)
    }

    /// The process group in the foreground.
    var foreground: Int32 { tcgetpgrp(master) }

    /// Waits until a process named `command` has the foreground, and returns its pid.
    func awaitForeground(_ command: String) throws -> Int32 {
        try eventually("\(command) is in the foreground") {
            let group = foreground
            return group > 0 && ProcessStat.read(pid: group)?.command.description == command ? group : nil
        }
    }

    /// How wide it is.
    private(set) var columns: UInt16 = 80

    /// Makes it wider, and answers how wide.
    @discardableResult
    func resize() -> UInt16 {
        columns += UInt16.random(in: 1...20)
        var size = winsize(ws_row: 30, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        return columns
    }
}

/// A process that is in a session of its own on a console; all of the session is killed at the end.
final class OnConsole {
    let pid: Int32
    private var isReaped = false

    init(_ console: Console, _ command: [String]) throws {
        var request = LaunchRequest(
            ByteString(command[0]), command.dropFirst().map { ByteString($0) }, environment: .current)
        request.environment["PS1"] = "$"
        request.environment["TERM"] = "dumb"
        request.environment["HISTFILE"] = nil
        request.standardInput = .copied(from: console.terminal)
        request.standardOutput = .copied(from: console.terminal)
        request.standardError = .copied(from: console.terminal)
        request.wantsPidfd = false
        pid = try request.launch().pid
        console.closeTerminal()
    }

    deinit {
        guard !isReaped else { return }
        let tree = ProcessTree.snapshot()
        for process in tree.descendants(of: pid).union(tree.members(ofSession: pid)) {
            kill(process, SIGKILL)
        }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    func wait() throws -> Int32 {
        try awaitState("Z", of: pid)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        isReaped = true
        return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
    }
}

/// Sessions, the terminal and job control.
@Suite(.timeLimit(.minutes(60)))
struct TerminalTests {
    @Test func `The child leads a session of its own`() throws {
        let wrapper = try Wrapper(Children.reporter())
        let child = try wrapper.awaitReporter()
        #expect(child.session == child.pid && child.group == child.pid)
    }

    @Test func `With --no-session the child leads a process group in our session`() throws {
        let wrapper = try Wrapper(["--no-session"], Children.reporter())
        let child = try wrapper.awaitReporter()
        #expect(child.session == getsid(0) && child.group == child.pid)
    }

    @Test func `A session's leader gives its terminal to the child`() throws {
        let console = try Console()
        let leader = try OnConsole(console, [Wrapper.program, "run", "--"] + Children.reporter())
        let words = try console.screen.until("ready ").split(separator: " ").compactMap { Int32($0) }
        #expect(words.count == 3 && words[0] == words[1] && words[0] == words[2])
        #expect(console.foreground == words[0])
        #expect(words[0] != leader.pid)
        console.type("\u{3}")
        try console.screen.until("a 2")
        console.type("\u{1c}")
        try console.screen.until("a 3")
        console.resize()
        try console.screen.until("a 28")
        kill(leader.pid, SIGHUP)
        try console.screen.until("a 1")
        kill(leader.pid, 64)
        #expect(try leader.wait() == 0)
    }

    @Test func `What the kernel tells of a terminal that was given away reaches a child that sleeps`() throws
    {
        try withTemporaryDirectory { directory in
            let (socket, log) = ("\(directory)/control", "\(directory)/log")
            let script = "trap 'echo hup >> \(log); exit 0' HUP; echo ready; while :; do sleep 0.02; done"
            let hook = "screenChanged=exec:/bin/sh -c 'echo size >> \(log)'"
            var console: Console? = try Console()
            let leader = try OnConsole(
                #require(console),
                [Wrapper.program, "run", "--control", socket, "--on", hook, "--", "/bin/sh", "-c", script])
            try console?.screen.until("ready")
            func torpor(_ verb: String) throws {
                #expect(try Wrapper.start(verb, at: socket).wait() == .exited(0))
            }
            func lines() -> [String] {
                ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").map(
                    String.init)
            }
            console?.resize()
            _ = try eventually("the hook") { lines() == ["size"] ? true : nil }
            try torpor("suspend")
            console?.resize()
            _ = try eventually("the new size to be kept") {
                let kept = try Wrapper.start("notifications", at: socket)
                _ = try kept.wait()
                return try kept.output.rest().contains { $0.contains("screenChanged") } ? true : nil
            }
            #expect(lines() == ["size"])
            try torpor("resume")
            _ = try eventually("the hook once more") { lines() == ["size", "size"] ? true : nil }
            try torpor("suspend")
            console = nil
            #expect(try leader.wait() == 0)
            #expect(lines() == ["size", "size", "hup"])
        }
    }

    /// An interactive shell on a console of its own, with job control.
    private func withShell(_ body: (Console, String) throws -> Void) throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let console = try Console()
            let shell = try OnConsole(console, ["/bin/bash", "--norc", "--noprofile", "--noediting", "-i"])
            try Children.script.write(toFile: "\(directory)/reporter", atomically: true, encoding: .utf8)
            console.type("stty -echo; echo beg''un\n")
            try console.screen.untilText("begun")
            #expect(console.foreground == shell.pid)
            try body(console, directory)
        }
    }

    @Test func `A shell's job: ^Z stops child and wrapper, fg continues both, ^C is passed on`() throws {
        try withShell { console, directory in
            console.type("\(Wrapper.program) run -- /usr/bin/python3 -IS \(directory)/reporter\n")
            let child = try #require(
                Int32(try console.screen.until("ready ").split(separator: " ")[1]))
            let wrapper = console.foreground
            for _ in 0..<3 {
                console.type("\u{1a}")
                try console.screen.until("Stopped")
                for pid in [child, wrapper] { try awaitState("T", of: pid) }
                console.type("fg\n")
                try console.screen.until("a 18")
                #expect(state(of: wrapper) != "T")
            }
            console.type("\u{3}")
            try console.screen.until("a 2")
            console.resize()
            try console.screen.until("a 28")
            kill(wrapper, 64)
            console.type("echo code=$?\n")
            try console.screen.until("code=0")
        }
    }

    /// Counts the resizings that it hears of, and says how many those were as soon as it sees that `marker` is there.
    private static func counter(_ marker: String) -> String {
        """
        import os, signal, time
        heard = 0
        def resized(*_):
            global heard
            heard += 1
        signal.signal(signal.SIGWINCH, resized)
        os.write(1, b'counts\\n')
        while not os.path.exists('\(marker)'): time.sleep(0.001)
        size = os.get_terminal_size(1)
        os.write(1, f'heard {heard} columns {size.columns}\\n'.encode())
        """
    }

    @Test func `What is resized while the child sleeps is heard of once, before it does anything else`()
        throws
    {
        try withShell { console, directory in
            let script = "\(directory)/counter"
            try Self.counter("\(directory)/marker").write(
                toFile: script, atomically: true, encoding: .utf8)
            console.type("\(Wrapper.program) run -v -- /usr/bin/python3 -IS \(script)\n")
            let control = try console.screen.until("control socket ").split(separator: " ").last.map {
                $0.filter { !$0.isWhitespace }
            }
            let socket = try #require(control)
            try console.screen.until("counts")
            func torpor(_ arguments: String...) throws -> String {
                let verb = try Wrapper(
                    [], [], line: [Wrapper.program, arguments[0], "--socket", socket] + arguments.dropFirst())
                let result = try DaemonUnderTest.result(of: verb)
                #expect(result.status == 0, "\(result)")
                return result.output
            }
            _ = try torpor("suspend", "python3")
            for _ in 0..<3 {
                let columns = console.resize()
                _ = try eventually("\(columns) columns to be noticed") {
                    try torpor("notifications", "python3", "--json=short").contains("\"columns\":\(columns),")
                        ? true : nil
                }
            }
            // It runs on nothing but this: what it has heard by then was pending when it was woken.
            try "".write(toFile: "\(directory)/marker", atomically: true, encoding: .utf8)
            _ = try torpor("resume", "python3")
            let last = console.columns
            try console.screen.until("heard 1 columns \(last)")
            console.type("echo code=$?\n")
            try console.screen.until("code=0")
        }
    }

    @Test func `With --no-session the child has the foreground, loses it by ^Z and gets it back by fg`()
        throws
    {
        try withShell { console, _ in
            console.type("\(Wrapper.program) run --no-session -- cat\n")
            let child = try console.awaitForeground("cat")
            for _ in 0..<3 {
                console.type("\u{1a}")
                try console.screen.until("Stopped")
                try awaitState("T", of: child)
                console.type("fg\n")
                #expect(try console.awaitForeground("cat") == child)
                // What the terminal sends to it before it is continued is lost by that.
                _ = try eventually("it runs") { state(of: child) != "T" ? true : nil }
            }
            console.type("hel''lo\n")
            try console.screen.until("hel''lo")
            console.type("\u{3}")
            _ = try console.awaitForeground("bash")
            console.type("echo code=$?\n")
            try console.screen.until("code=130")
        }
    }

    @Test(arguments: ["", " --no-session"])
    func `Ctrl-C that ends the child ends the loop of a shell around it`(_ options: String) throws {
        try withShell { console, _ in
            let command = "\(Wrapper.program) run\(options) -- sh -c \"echo beg''un; exec sleep 100\""
            console.type("for i in 1 2 3; do \(command); done\n")
            try console.screen.until("begun")
            console.type("\u{3}")
            _ = try console.awaitForeground("bash")
            console.type("echo code=$?\n")
            try console.screen.until("code=130")
        }
    }

    @Test
    func `With --no-session a child that reads in the background stops, as the job, and reads after fg`()
        throws
    {
        try withShell { console, _ in
            console.type("\(Wrapper.program) run --no-session -- cat & wait -n; jobs; echo loo''ked\n")
            try console.screen.until("Stopped")
            console.type("fg\n")
            _ = try console.awaitForeground("cat")
            console.type("hello\n")
            try console.screen.until("hello")
            console.type("\u{4}")
            _ = try console.awaitForeground("bash")
            console.type("echo code=$?\n")
            try console.screen.until("code=0")
        }
    }

    @Test func `With --no-session a pager in a pipeline gets the terminal, ^Z stops all of it`() throws {
        try withShell { console, _ in
            console.type("yes | LESS= TERM=dumb \(Wrapper.program) run --no-session -- less -d\n")
            let pager = try console.awaitForeground("less")
            // What is typed while it draws its screen it heeds with the next key, and what runs before yes(1) would not stop that.
            func awaitPrompt() throws {
                try console.screen.untilText(":")
                try awaitState("S", of: pager)
            }
            for _ in 0..<2 {
                try awaitPrompt()
                console.type("\u{1a}")
                try console.screen.untilText("Stopped")
                try awaitState("T", of: pager)
                console.type("fg\n")
                #expect(try console.awaitForeground("less") == pager)
            }
            try awaitPrompt()
            console.type("q")
            _ = try console.awaitForeground("bash")
            console.type("echo code=$?\n")
            try console.screen.until("code=0")
        }
    }

    @Test func `With --no-session a shell's suspend stops the job, and fg continues it`() throws {
        try withShell { console, _ in
            console.type("\(Wrapper.program) run --no-session -- bash --norc --noprofile --noediting -i\n")
            let inner: Int32 = try eventually("the inner shell has the foreground") {
                let group = console.foreground
                let isInner =
                    ProcessStat.read(pid: group).map {
                        $0.command.description == "bash"
                            && ProcessStat.read(pid: $0.parent)?.command.description == "torpor"
                    } ?? false
                return isInner ? group : nil
            }
            for _ in 0..<2 {
                console.type("suspend\n")
                try console.screen.untilText("Stopped")
                try awaitState("T", of: inner)
                console.type("fg\n")
                _ = try eventually("the inner shell is back") {
                    console.foreground == inner && state(of: inner) == "S" ? true : nil
                }
            }
            console.type("exit 7\n")
            _ = try eventually("the outer shell is back") {
                console.foreground != inner && state(of: inner) == nil ? true : nil
            }
            console.type("echo code=$?\n")
            try console.screen.until("code=7")
        }
    }

    @Test func `With --no-session a background job is stopped and continued by the shell`() throws {
        try withShell { console, directory in
            let script = "echo $$ >\(directory)/pid; while :; do sleep 0.01; done"
            console.type("\(Wrapper.program) run --no-session -- sh -c '\(script)' &\n")
            let child: Int32 = try eventually("the child is there") {
                let text = try? String(contentsOfFile: "\(directory)/pid", encoding: .utf8)
                return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            }
            // As long as the shell has not heard that its job is stopped, bg(1) does nothing.
            console.type("kill -TSTP %1; until [ \"$(jobs -s)\" ]; do sleep 0.01; done; echo he''ard\n")
            try console.screen.until("heard")
            try awaitState("T", of: child)
            console.type("bg\n")
            _ = try eventually("it runs") { state(of: child) != "T" ? true : nil }
            console.type("kill %1; wait %1; echo code=$?\n")
            try console.screen.until("code=143")
        }
    }

    @Test func `With --no-session in the background the foreground stays whose it was`() throws {
        try withShell { console, _ in
            let shell = console.foreground
            console.type("\(Wrapper.program) run --no-session -- sh -c 'echo st''arted; sleep 1000' &\n")
            try console.screen.until("started")
            #expect(console.foreground == shell)
            console.type("kill %1; wait %1; echo code=$?\n")
            try console.screen.until("code=143")
        }
    }

    @Test func `With --no-session a script gets its terminal back`() throws {
        let console = try Console()
        let script = try OnConsole(
            console,
            ["/bin/sh", "-c", "\"$0\" run --no-session -- true; echo go; read x; exit $x", Wrapper.program])
        try console.screen.until("go")
        console.type("7\n")
        #expect(try script.wait() == 7)
    }
}
