import Glibc
import TestSupport
import Testing

/// What an init promises of signals.
@Suite(.timeLimit(.minutes(60)))
struct SignalTests {
    /// All that can be caught, but SIGCHLD and those that stop the job; a few real-time ones.
    static let forwarded = (1...31).filter { ![9, 17, 19, 20, 21, 22].contains($0) } + [34, 35, 50, 63]

    @Test func `Every signal reaches all of the child's process group, in order`() throws {
        let wrapper = try Wrapper(Children.reporter(withSecond: true))
        _ = try wrapper.awaitReporter()
        for signal in Self.forwarded {
            wrapper.send(Int32(signal))
            let lines = [try wrapper.output.next(), try wrapper.output.next()].compactMap(\.self).sorted()
            #expect(lines == ["a \(signal)", "b \(signal)"])
        }
        wrapper.send(64)
        #expect(try wrapper.wait() == .exited(0))
        #expect(try wrapper.errors.rest() == [])
    }

    @Test func `With --no-session every signal reaches the child alone`() throws {
        let wrapper = try Wrapper(["--no-session"], Children.reporter(withSecond: true))
        let child = try wrapper.awaitReporter()
        for signal in Self.forwarded {
            wrapper.send(Int32(signal))
            #expect(try wrapper.output.next() == "a \(signal)")
        }
        let second = try #require(children(of: child.pid).first)
        defer { kill(second, SIGKILL) }
        wrapper.send(64)
        #expect(try wrapper.wait() == .exited(0))
        // The other hears nothing of the end, and lives on.
        #expect(try wrapper.output.next() == "a 64")
        kill(second, SIGUSR2)
        #expect(try wrapper.output.next() == "b \(SIGUSR2)")
    }

    @Test func `Real-time signals keep their number and order`() throws {
        let wrapper = try Wrapper(Children.reporter())
        _ = try wrapper.awaitReporter()
        for _ in 0..<3 { wrapper.send(40) }
        for _ in 0..<3 { #expect(try wrapper.output.next() == "a 40") }
        for signal in [45, 44, 43] as [Int32] {
            wrapper.send(signal)
            #expect(try wrapper.output.next() == "a \(signal)")
        }
    }

    @Test func `SIGTERM is forwarded as often as it comes`() throws {
        let wrapper = try Wrapper(Children.reporter())
        _ = try wrapper.awaitReporter()
        for _ in 0..<3 {
            wrapper.send(SIGTERM)
            #expect(try wrapper.output.next() == "a 15")
        }
        wrapper.send(SIGINT)
        #expect(try wrapper.output.next() == "a 2")
    }

    @Test func `A child that ignores SIGTERM lives on, without --stop-timeout`() throws {
        let wrapper = try Wrapper(
            script: "trap '' TERM; trap 'echo alive' USR1; echo up; while :; do sleep 1000 & wait; done")
        #expect(try wrapper.output.next() == "up")
        wrapper.send(SIGTERM)
        wrapper.send(SIGUSR1)
        #expect(try wrapper.output.next() == "alive")
    }

    @Test func `With --stop-timeout a child that ignores SIGTERM is killed, and all of it`() throws {
        let wrapper = try Wrapper(["--stop-timeout", "3s"], Children.reporter(withSecond: true))
        _ = try wrapper.awaitReporter()
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(137))
        // The end of the output: no process has it open any more.
        #expect(Set(try wrapper.output.rest()) == ["a 15", "b 15"])
    }

    @Test func `A signal that came before the child is not lost`() throws {
        // The shell blocks nothing; it sends while torpor is being executed at the latest.
        for _ in 0..<10 {
            let wrapper = try Wrapper(["/bin/sleep", "1000"])
            let program = try eventually("torpor runs") {
                (try? readlink("/proc/\(wrapper.pid)/exe")).flatMap { $0.hasSuffix("/torpor") ? true : nil }
            }
            #expect(program)
            // It may not have blocked them yet, and dies of it then, as every program.
            wrapper.send(SIGTERM)
            let ending = try wrapper.wait()
            #expect(ending == .exited(143) || ending == .killed(SIGTERM))
        }
    }

    @Test func `A child that ends just when SIGTERM comes gives its own code`() throws {
        for _ in 0..<30 {
            let wrapper = try Wrapper(script: "trap 'exit 7' TERM; echo up; read x; exit 7")
            _ = try wrapper.output.next()
            wrapper.send(SIGTERM)
            wrapper.send(SIGTERM)
            #expect(try wrapper.wait() == .exited(7))
        }
    }

    // MARK: rewriting

    struct Rewrite: CustomTestStringConvertible {
        let options: [String]
        let sent: Int32
        let received: Int32?

        var testDescription: String { "\(options) \(sent)" }
    }

    @Test(arguments: [
        Rewrite(options: ["USR1:USR2"], sent: SIGUSR1, received: SIGUSR2),
        Rewrite(options: ["10:12"], sent: SIGUSR1, received: SIGUSR2),
        Rewrite(options: ["SIGUSR1:sigusr2"], sent: SIGUSR1, received: SIGUSR2),
        Rewrite(options: ["USR1:0"], sent: SIGUSR1, received: nil),
        Rewrite(options: ["USR1:RTMIN+3"], sent: SIGUSR1, received: 37),
        Rewrite(options: ["RTMIN+3:USR1"], sent: 37, received: SIGUSR1),
        Rewrite(options: ["TERM:QUIT"], sent: SIGTERM, received: SIGQUIT),
        Rewrite(options: ["TERM:0"], sent: SIGTERM, received: nil),
        // These stop the wrapper too, which goes on when it is continued.
        Rewrite(options: ["TSTP:TSTP"], sent: SIGTSTP, received: SIGTSTP),
        Rewrite(options: ["TSTP:TERM"], sent: SIGTSTP, received: SIGTERM),
        Rewrite(options: ["TTIN:USR1"], sent: SIGTTIN, received: SIGUSR1),
        Rewrite(options: ["TTOU:HUP"], sent: SIGTTOU, received: SIGHUP),
        Rewrite(options: ["TTOU:0"], sent: SIGTTOU, received: nil),
        Rewrite(options: ["USR1:CONT"], sent: SIGUSR1, received: SIGCONT),
        Rewrite(options: ["USR1:HUP", "USR1:INT"], sent: SIGUSR1, received: SIGINT),
    ])
    func `A signal is passed on as what it is rewritten to`(_ rewrite: Rewrite) throws {
        let wrapper = try Wrapper(rewrite.options.flatMap { ["--rewrite", $0] }, Children.reporter())
        _ = try wrapper.awaitReporter()
        wrapper.send(rewrite.sent)
        if let received = rewrite.received {
            #expect(try wrapper.output.next() == "a \(received)")
        }
        if [SIGTSTP, SIGTTIN, SIGTTOU].contains(rewrite.sent) {
            try awaitState("T", of: wrapper.pid)
            wrapper.send(SIGCONT)
            #expect(try wrapper.output.next() == "a 18")
        }
        wrapper.send(64)
        #expect(try wrapper.output.rest() == ["a 64"])
    }

    @Test(arguments: [SIGTSTP, SIGTTIN, SIGTTOU])
    func `With --no-session a stop of the terminal's is passed on as it is, and stops the wrapper`(
        _ signal: Int32
    ) throws {
        let wrapper = try Wrapper(["--no-session"], Children.reporter())
        let child = try wrapper.awaitReporter().pid
        wrapper.send(signal)
        #expect(try wrapper.output.next() == "a \(signal)")
        try awaitState("T", of: wrapper.pid)
        #expect(state(of: child) != "T")
        wrapper.send(SIGCONT)
        #expect(try wrapper.output.next() == "a 18")
        wrapper.send(64)
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `What is left of the session hears of SIGTERM alone`() throws {
        let wrapper = try Wrapper(Children.reporter(withSecond: true))
        _ = try wrapper.awaitReporter()
        let child = try #require(children(of: wrapper.pid).first)
        kill(child, 64)
        #expect(try wrapper.output.next() == "a 64")
        #expect(try wrapper.output.rest() == ["b 15"])
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `A hangup that was ignored stays ignored, and is passed on`() throws {
        let wrapper = try Wrapper(
            [], [],
            line: [
                "/usr/bin/nohup", Wrapper.program, "run", "--", "/bin/sh", "-c",
                "trap 'echo usr1' USR1; echo ready; while :; do sleep 0.01; done",
            ])
        try wrapper.output.until("ready")
        wrapper.send(SIGHUP)
        wrapper.send(SIGUSR1)
        #expect(try wrapper.output.next() == "usr1")
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(128 + SIGTERM))
        // What handles it is told of it all the same.
        let reporter = try Wrapper(
            [], [], line: ["/usr/bin/nohup", Wrapper.program, "run", "--"] + Children.reporter())
        _ = try reporter.awaitReporter()
        reporter.send(SIGHUP)
        #expect(try reporter.output.next() == "a 1")
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `What was ignored or blocked when it was started is so for the command`() throws {
        let script = """
            import os, signal, sys
            for number in (signal.SIGPIPE, signal.SIGXFSZ): signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGUSR1, signal.SIGTERM])
            os.execv(sys.argv[1], ['torpor', 'run', '--', '/bin/grep', '-E', 'Sig(Blk|Ign)', '/proc/self/status'])
            """
        let wrapper = try Wrapper([], [], line: ["/usr/bin/python3", "-IS", "-c", script, Wrapper.program])
        #expect(try wrapper.output.rest() == ["SigBlk:\t0000000000004200", "SigIgn:\t0000000000200000"])
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `SIGTSTP runs the hooks and stops both, SIGCONT wakes both`() throws {
        for options in [[], ["--no-session"]] {
            let wrapper = try Wrapper(
                options + [
                    "-v", "--on", "willResignActive=exec:/bin/echo resigns", "--on",
                    "didEnterBackground=exec:/bin/echo saves", "--on",
                    "willEnterForeground=exec:/bin/echo returns",
                ], Children.reporter())
            _ = try wrapper.awaitReporter()
            try wrapper.errors.until("inactive → active")
            for _ in 0..<2 {
                wrapper.send(SIGTSTP)
                try wrapper.errors.until("willResignActive: resigns")
                try wrapper.errors.until("didEnterBackground: saves")
                try wrapper.errors.until("→ suspended")
                try awaitState("T", of: wrapper.pid)
                wrapper.send(SIGCONT)
                #expect(try wrapper.output.next() == "a 18")
                try wrapper.errors.until("willEnterForeground: returns")
                try wrapper.errors.until("inactive → active")
            }
            wrapper.send(64)
            #expect(try wrapper.wait() == .exited(0))
        }
    }

    @Test func `SIGTSTP while the command sleeps stops the wrapper, and SIGCONT wakes both`() throws {
        let (input, typing) = try makePipe()
        defer { close(typing) }
        let wrapper = try Wrapper(["-v", "--idle", "300ms"], ["cat"], input: input)
        close(input)
        for word in ["one", "two"] {
            try wrapper.errors.until("background → suspended")
            wrapper.send(SIGTSTP)
            try awaitState("T", of: wrapper.pid)
            wrapper.send(SIGCONT)
            try wrapper.errors.until("inactive → active")
            #expect(write(typing, "\(word)\n", word.utf8.count + 1) == word.utf8.count + 1)
            #expect(try wrapper.output.next() == word)
        }
        wrapper.send(SIGTERM)
        #expect(try wrapper.wait() == .exited(128 + SIGTERM))
        let rest = try wrapper.errors.rest()
        #expect(!rest.contains { $0.contains("cannot stop") }, "\(rest)")
    }

    @Test func `SIGTERM that is rewritten is still the stop`() throws {
        let wrapper = try Wrapper(["--rewrite", "TERM:QUIT", "--stop-timeout", "3s"], Children.reporter())
        _ = try wrapper.awaitReporter()
        wrapper.send(SIGTERM)
        #expect(try wrapper.output.next() == "a 3")
        #expect(try wrapper.wait() == .exited(137))
    }
}

/// What a symbolic link says.
func readlink(_ path: String) throws -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.readlink(path, &bytes, bytes.count)
    guard count >= 0 else { throw TimedOut(description: "readlink \(path): \(errno)") }
    return String(decoding: bytes[..<count], as: UTF8.self)
}
