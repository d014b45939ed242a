import Glibc
import TestSupport
import Testing

@testable import Launching
@testable import Linux
@testable import Processes

@Suite(.timeLimit(.minutes(60))) struct `The reaper` {
    private func sleeper() throws -> Child {
        try Child(LaunchRequest("sleep", ["1000"], environment: .current))
    }

    @Test func `tells of stop, continue and death in order`() throws {
        let child = try sleeper()
        try child.send(.stop)
        #expect(try child.next() == .stopped(by: .stop))
        try child.send(.resume)
        #expect(try child.next() == .continued)
        try child.send(.terminate)
        #expect(try child.next() == .killed(by: .terminate, coreDumped: false))
    }

    @Test(arguments: [Int32(0), 1, 127, 255]) func `tells exit codes`(_ code: Int32) throws {
        #expect(try Child(script: "exit \(code)").next() == .exited(code: code))
    }

    @Test func `tells the most memory that a big child had, and nothing of one smaller than we are`() throws {
        // Other tests of this process may make it larger meanwhile; its peak counts when the child's event is read.
        var size: Int64
        repeat {
            size = ThisProcess.peakResident + (64 << 20)
            let big = try Child(script: "exec python3 -c 'x = bytearray(\(size))'")
            let event = try eventually { try ChildReaper(scope: .process(big.pid)).peek() }
            let told = event.peakResident
            #expect(try big.next() == .exited(code: 0))
            if ThisProcess.peakResident < size { #expect(told ?? 0 > size) }
        } while ThisProcess.peakResident >= size
        let small = try Child(script: "exit 0")
        #expect(try eventually { try ChildReaper(scope: .process(small.pid)).peek() }.peakResident == nil)
        _ = try small.next()
    }

    @Test func `peeks without reaping`() throws {
        let child = try Child(script: "exit 3")
        let reaper = ChildReaper(scope: .process(child.pid))
        for _ in 0..<3 {
            let event = try eventually { try reaper.peek() }
            #expect(event.pid == child.pid && event.change == .exited(code: 3))
            #expect(event.isEnd)
            #expect(child.stat?.state == .zombie)
            #expect(child.hasEnded)
        }
        #expect(try child.next() == .exited(code: 3))
        #expect(child.stat == nil)
        #expect(try reaper.peek() == nil)
    }

    @Test func `takes no more than it was asked to, and says when there is more`() throws {
        // One group, so that no other test's children are taken: its leader's children, orphaned to us, would be too.
        let session = LaunchRequest.Session.ownProcessGroup(terminal: nil)
        let leader = try Child(
            LaunchRequest("sleep", ["1000"], environment: .current).with { $0.session = session })
        let reaper = ChildReaper(scope: .processGroup(leader.pid))
        #expect(try reaper.drain() == ChildReaper.Harvest(events: [], hasMore: false))
        try leader.send(.stop)
        let first = try eventually { try reaper.peek() }
        #expect(first.change == .stopped(by: .stop))
        #expect(try reaper.drain(limit: 0) == ChildReaper.Harvest(events: [], hasMore: true))
        #expect(try reaper.drain(limit: 1) == ChildReaper.Harvest(events: [first], hasMore: true))
        #expect(try reaper.drain(limit: 1) == ChildReaper.Harvest(events: [], hasMore: false))
    }

    @Test func `finds nothing where there are no children`() throws {
        let reaper = ChildReaper(scope: .processGroup(Int32.max))
        #expect(try reaper.peek() == nil)
        #expect(try reaper.drain() == ChildReaper.Harvest(events: [], hasMore: false))
    }

    @Test func `reads packed statuses`() {
        #expect(ChildEvent.Change(endStatus: 7 << 8) == .exited(code: 7))
        #expect(ChildEvent.Change(endStatus: 0) == .exited(code: 0))
        #expect(ChildEvent.Change(endStatus: 15) == .killed(by: .terminate, coreDumped: false))
        #expect(ChildEvent.Change(endStatus: 6 | 0x80) == .killed(by: .abort, coreDumped: true))
    }
}
