import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// One command, evicted under real pressure while it sleeps, and brought back by all that it can be wanted by (2.3, 3.5).
@Suite(.long, .timeLimit(.minutes(60))) struct `torpor run --evictable` {
    /// Says why and where it was launched, is ready then, and repeats its input.
    private static let program = """
        import os, signal, socket, sys
        held = b"x" * (24 << 20)
        def told(*_):
            print("told", flush=True)
            os._exit(7)
        signal.signal(signal.SIGTERM, told)
        restored = os.environ.get("TORPOR_LAUNCH_RESTORED")
        print("restore" if restored == "1" else os.environ["TORPOR_LAUNCH_REASON"], os.getcwd(), flush=True)
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"].replace("@", "\\0", 1))
        for line in sys.stdin: print("got", line.strip(), flush=True)
        print("end", flush=True)
        """

    /// Long enough to read a line, however busy the processor is.
    private static let idle = ["-v", "--type", "notify", "--idle", "1500ms"]

    private func suspend(at socket: String) throws {
        let operation = try torpor("suspend", at: socket)
        // It may have been evicted before the caller could hear that it sleeps.
        _ = try operation.wait()
    }

    private func torpor(_ verb: String, at socket: String) throws -> Wrapper {
        try Wrapper(
            [], [], line: [Wrapper.program, verb, "--socket", socket, "--timeout", "10min", "python3"])
    }

    private func control(of wrapper: Wrapper) throws -> String {
        String(try wrapper.errors.until("control socket ").split(separator: " ").last ?? "")
    }

    @Test(.requires(.realPressure))
    func `evicts the sleeping command, stays, and launches it again when it is wanted`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let presser = try Presser()
            let (input, typing) = try makePipe()
            let run = try Wrapper(
                Self.idle + ["--evictable=silent"], ["python3", "-c", Self.program],
                through: presser.entrance, directory: directory, input: input)
            close(input)
            defer { close(typing) }
            let socket = try control(of: run)
            #expect(try run.output.next() == "operator \(directory)")
            try run.errors.until("background → suspended (idle)")
            try presser.press()
            try run.errors.until("suspended → notRunning (evicted)")
            // A line that is typed wakes it, and reaches it; it sleeps, and goes again.
            #expect(write(typing, "one\n", 4) == 4)
            #expect(try run.output.next() == "restore \(directory)")
            #expect(try run.output.next() == "got one")
            try run.errors.until("suspended → notRunning (evicted)")
            run.send(SIGCONT)
            #expect(try run.output.next() == "restore \(directory)")
            try run.errors.until("suspended → notRunning (evicted)")
            #expect(try torpor("activate", at: socket).wait() == .exited(0))
            #expect(try run.output.next() == "restore \(directory)")
            try run.errors.until("suspended → notRunning (evicted)")
            let status = try Wrapper([], [], line: [Wrapper.program, "status", "--socket", socket])
            #expect(try status.output.rest().contains { $0.contains("by ending 4 workers") })
            // A signal for a command that does not run ends nothing; the stop signal ends the wrapper.
            run.send(SIGUSR1)
            run.send(SIGTERM)
            #expect(try run.wait() == .exited(128 + SIGTERM))
            #expect(try run.output.rest() == [])
        }
    }

    @Test(.requires(.realPressure)) func `tells a graceful one first, and an operator's end is ours`() throws
    {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let presser = try Presser()
            let (input, typing) = try makePipe()
            let run = try Wrapper(
                ["-v", "--type", "notify", "--evictable=graceful"], ["python3", "-c", Self.program],
                through: presser.entrance, directory: directory, input: input)
            close(input)
            defer { close(typing) }
            let socket = try control(of: run)
            try run.output.until("operator")
            try suspend(at: socket)
            try presser.press()
            try run.errors.until("notRunning (evicted)")
            #expect(try run.output.next() == "told")
            #expect(try torpor("terminate", at: socket).wait() == .exited(0))
            #expect(try run.wait() == .exited(128 + SIGTERM))
        }
    }

    @Test(.requires(.realPressure), arguments: [[], ["--no-session"]])
    func `the terminal is ours while there is no command, and the next one's after that`(
        _ options: [String]
    ) throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let presser = try Presser()
            let console = try Console()
            let command = ["run", "-v", "--type", "notify", "--evictable=silent"] + options + ["--"]
            let run = try OnConsole(
                console, presser.entrance + [Wrapper.program] + command + ["python3", "-c", Self.program])
            let line = try console.screen.until("control socket ")
            let socket = String(line.split(separator: " ").last ?? "")
            try console.screen.until("inactive → active")
            try suspend(at: socket)
            try presser.press()
            try console.screen.until("suspended → notRunning (evicted)")
            _ = try eventually("the terminal is ours") { console.foreground == run.pid ? true : nil }
            let activation = try torpor("activate", at: socket)
            let said = try activation.errors.rest()
            #expect(try activation.wait() == .exited(0), "\(said)")
            let next = try console.awaitForeground("python3")
            #expect(next != run.pid)
            try suspend(at: socket)
            try console.screen.until("suspended → notRunning (evicted)")
            _ = try eventually("the terminal is ours") { console.foreground == run.pid ? true : nil }
            console.type("\u{3}")
            #expect(try run.wait() == 128 + SIGINT)
        }
    }

    @Test func `a sleeper that may go silently is woken all the same to be ended`() throws {
        let (input, typing) = try makePipe()
        let run = try Wrapper(
            Self.idle + ["--evictable=silent"], ["python3", "-c", Self.program], input: input)
        close(input)
        defer { close(typing) }
        try run.output.until("operator")
        try run.errors.until("background → suspended (idle)")
        run.send(SIGTERM)
        guard let said = try run.output.next() else {
            // Others may have made pressure before: it was evicted.
            #expect(try run.wait() == .exited(128 + SIGTERM))
            return
        }
        #expect(said == "told")
        #expect(try run.wait() == .exited(7))
    }

    @Test(arguments: ["maybe", "yes", "Silent"]) func `takes three words and no other`(_ word: String) throws
    {
        let run = try Wrapper(["--evictable=\(word)"], ["true"])
        #expect(try run.wait() == .exited(64))
        #expect(
            try run.errors.rest().first?.hasSuffix(
                "invalid --evictable \(word); expected silent, graceful or no")
                == true)
    }
}
