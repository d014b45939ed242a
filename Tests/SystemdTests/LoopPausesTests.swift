import Linux
import Testing

@testable import Systemd

/// How long a loop served one thing and nothing else.
@Suite struct `Pauses of a loop` {
    private static func pause(_ length: Int64, _ end: Int64) -> LoopPause {
        LoopPause(length: length, end: end, place: "M/F.swift:1", work: nil)
    }

    @Test func `are kept by length, and of late by window`() {
        var pauses = LoopPauses()
        func recent(_ now: Int64) -> Int64? { pauses.recent(at: now)?.length }
        let window = LoopPauses.window
        #expect(recent(window) == nil && pauses.longest == nil)
        for (length, end) in [(50, window + 1), (20, window + 2), (70, window + 3), (60, window + 4)]
            as [(Int64, Int64)]
        {
            if pauses.counts(length, end: end) { pauses.note(Self.pause(length, end)) }
        }
        #expect(pauses.longest?.length == 70)
        // In the window that follows it is of late, until a longer one comes, and no more in the one after that.
        #expect(recent(2 * window) == 70)
        let counts = pauses.counts(10, end: 2 * window + 1)
        #expect(counts)
        pauses.note(Self.pause(10, 2 * window + 1))
        #expect(recent(2 * window + 2) == 70)
        #expect(recent(3 * window) == 10)
        #expect(recent(4 * window) == nil)
        #expect(pauses.longest?.length == 70)
    }

    @Test func `say where the handler is given, and what it said that it does`() throws {
        let loop = try EventLoop()
        let line: UInt = #line + 1
        let timer = try TimeSource(on: loop) { _ in
            loop.doing = "List"
            let end = KernelClock.monotonic + 5000
            while KernelClock.monotonic < end {}
            loop.exit(0)
        }
        timer.arm(at: 0)
        #expect(try loop.run() == 0)
        let longest = try #require(loop.pauses.longest)
        #expect(longest.length >= 5000)
        #expect(longest.place == "SystemdTests/LoopPausesTests.swift:\(line)")
        #expect(longest.work == "List")
    }

    @Test func `of what another thread has left name where that did so`() throws {
        let loop = try EventLoop()
        let line: UInt = #line + 1
        loop.call {
            let end = KernelClock.monotonic + 5000
            while KernelClock.monotonic < end {}
        }
        loop.callSoon { loop.exit(0) }
        #expect(try loop.run() == 0)
        // A wake-up whose calls are made is as long as all of them.
        let longest = try #require(loop.pauses.longest)
        #expect(longest.place == "SystemdTests/LoopPausesTests.swift:\(line)")
    }
}
