import Glibc
import Linux
import Processes
import TestSupport
import Testing

/// What becomes of a command whose wrapper is killed while it sleeps.
@Suite(.timeLimit(.minutes(60))) struct `A wrapper that is killed` {
    /// Says when it is asked to end, and ends; on a slow machine it is idle too, as a shell that starts one `sleep` after the other is not.
    private static let handler = [
        "/usr/bin/python3", "-IS", "-c",
        """
        import os, signal
        def end(*_):
            os.write(1, b'ended\\n')
            os._exit(0)
        signal.signal(signal.SIGTERM, end)
        print(os.getpid(), flush=True)
        while True: signal.pause()
        """,
    ]

    private func asleep(_ starter: [String]) throws -> (wrapper: Wrapper, child: Int32, typing: Int32) {
        let (input, typing) = try makePipe()
        let wrapper = try Wrapper(["-v", "--idle", "2s"], Self.handler, through: starter, input: input)
        close(input)
        let child = try #require(Int32(try wrapper.output.next() ?? ""))
        try wrapper.errors.until("→ suspended")
        return (wrapper, child, typing)
    }

    private func lives(_ starter: [String]) throws {
        let (wrapper, child, typing) = try asleep(starter)
        defer { close(typing) }
        defer { kill(child, SIGKILL) }
        wrapper.send(SIGKILL)
        #expect(try wrapper.wait() == .killed(SIGKILL))
        // Asleep it would not take it.
        kill(child, SIGTERM)
        #expect(try wrapper.output.next() == "ended")
        #expect(try wrapper.output.rest() == [])
    }

    @Test(.requires(.cgroupV2Writable)) func `leaves no command frozen`() throws { try lives([]) }

    @Test(.requires(.ownMounts)) func `leaves no command stopped where there are no groups`() throws {
        try lives(NoGroups.starter)
    }

    @Test func `leaves no command stopped that its terminal has stopped`() throws {
        let wrapper = try Wrapper(Self.handler)
        let child = try #require(Int32(try wrapper.output.next() ?? ""))
        defer { kill(child, SIGKILL) }
        wrapper.send(SIGTSTP)
        for pid in [child, wrapper.pid] { try awaitState("T", of: pid) }
        wrapper.send(SIGKILL)
        kill(child, SIGTERM)
        #expect(try wrapper.output.next() == "ended")
    }

    @Test func `has a keeper beside it for as long as the command sleeps`() throws {
        let (wrapper, child, typing) = try asleep([])
        defer { close(typing) }
        let keeper = try #require(children(of: wrapper.pid).first { $0 != child })
        _ = try eventually("it to have its name") {
            ProcessStat.read(pid: keeper)?.command.description == "torpor-keeper" ? true : nil
        }
        #expect(ProcessStat.read(pid: keeper)?.session == keeper)
        kill(keeper, SIGTERM)
        #expect(write(typing, "x", 1) == 1)
        try wrapper.errors.until("inactive → active")
        _ = try eventually("the keeper has ended") { state(of: keeper) == nil ? true : nil }
        #expect(children(of: wrapper.pid) == [child])
        wrapper.send(SIGTERM)
        #expect(try wrapper.output.next() == "ended")
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test(.requires(.cgroupV2Writable)) func `and its keeper leave the thaw to the next run`()
        throws
    {
        let (wrapper, child, typing) = try asleep([])
        defer { close(typing) }
        defer { kill(child, SIGKILL) }
        let keeper = try #require(children(of: wrapper.pid).first { $0 != child })
        kill(keeper, SIGKILL)
        wrapper.send(SIGKILL)
        #expect(try wrapper.wait() == .killed(SIGKILL))
        kill(child, SIGTERM)
        #expect(try Wrapper(["/bin/true"]).wait() == .exited(0))
        #expect(try wrapper.output.next() == "ended")
    }
}
