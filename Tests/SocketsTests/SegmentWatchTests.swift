import Idleness
import Linux
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `The watch of segment counters` {
    /// How often it has told, and of what.
    private struct Told {
        var looks: [Bool] = []
    }

    private let told = SignalledBox(Told())
    private let watch: SegmentWatch

    init() throws {
        let told = told
        watch = try SegmentWatch { isWhole in
            told.post {
                $0.looks.append(isWhole)
                return true
            }
        }
    }

    /// Waits until it has told `count` times.
    private func wait(for count: Int) -> [Bool] {
        told.take { $0.looks.count >= count ? .take($0.looks) : .wait }
    }

    private static func place(_ gate: SampleGate = SampleGate(), hasConnections: Bool = false) throws
        -> SegmentWatch.Place
    {
        SegmentWatch.Place(try SegmentCounterFile(ofProcess: nil), gate, hasConnections: hasConnections)
    }

    @Test func `tells once of what was never looked at, and again when it is armed again`() throws {
        defer { watch.disarm() }
        let place = try Self.place()
        for count in 1...3 {
            try watch.arm([place], each: 100)
            #expect(wait(for: count).count == count)
        }
        // Listening sockets alone, and all, in turns.
        #expect(wait(for: 3) == [true, false, true])
    }

    @Test(arguments: [false, true]) func `tells when something has come`(_ hasConnections: Bool) throws {
        defer { watch.disarm() }
        let listener = try Listener()
        var gate = SampleGate()
        let seen = try #require(try SegmentCounterFile(ofProcess: nil).read())
        gate.looked(at: .all, seen, somethingWaits: false)
        try watch.arm([try Self.place(gate, hasConnections: hasConnections)], each: 100)
        let client = try Client(port: listener.port)
        #expect(wait(for: 1).count == 1)
        withExtendedLifetime(client) {}
    }

    @Test func `tells on demand, whatever has come`() throws {
        defer { watch.disarm() }
        try watch.arm([], each: 100)
        watch.demand()
        #expect(wait(for: 1).count == 1)
    }

    @Test func `tells nothing more when it is disarmed, and is armed again afterwards`() throws {
        for count in 1...50 {
            try watch.arm([], each: 3_600_000_000)
            watch.demand()
            watch.disarm()
            try watch.arm([try Self.place()], each: 1)
            #expect(wait(for: count).count == count)
            watch.disarm()
        }
    }
}
