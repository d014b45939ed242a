import Idleness
import Linux
import Sockets
import TestSupport
import Testing

/// What the kernel of this machine counts of segments that really come.
@Suite(.timeLimit(.minutes(60))) struct `The file of segment counters` {
    @Test(arguments: [nil, ThisProcess.pid])
    func `counts connections, and data on them`(_ pid: Int32?) throws {
        let file = try SegmentCounterFile(ofProcess: pid)
        func count() throws -> SegmentCounters {
            let counters = file.read()
            return try #require(counters)
        }
        let own = try Listener()
        let first = try count()
        let client = try Client(port: own.port)
        let second = try count()
        // Others may connect meanwhile.
        #expect(second.connections > first.connections && second.segments > first.segments)
        try client.send("x")
        let third = try count()
        #expect(third.connections >= second.connections && third.segments > second.segments)
        #expect(SegmentCounterFile.processors >= 1)
    }

    @Test func `is none of a process that is gone`() {
        #expect(throws: LinuxError.self) { _ = try SegmentCounterFile(ofProcess: .max).read() }
    }
}
