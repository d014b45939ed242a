import Idleness
import Testing

@Suite struct `The counters of segments` {
    private static let whole = """
        Ip: Forwarding DefaultTTL InReceives
        Ip: 2 64 153330
        Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs
        Tcp: 1 200 120000 -1 17502 17448 41 114 0 153286 152341
        Udp: InDatagrams NoPorts
        Udp: 43 0

        """

    @Test(
        arguments: [
            (whole, SegmentCounters(connections: 17448, segments: 153286)),
            ("Tcp: InSegs PassiveOpens\nTcp: 18446744073709551615 0", .init(connections: 0, segments: .max)),
            // Fields that came later are passed over.
            (
                "Tcp: New PassiveOpens InSegs\nTcp: -7 1 2\nTcpExt: A\nTcpExt: 1",
                .init(connections: 1, segments: 2)
            ),
            ("", nil), ("Tcp: PassiveOpens InSegs\n", nil), ("Tcp: PassiveOpens InSegs\nTcp: 1\n", nil),
            ("Tcp: PassiveOpens\nTcp: 1\n", nil), ("Tcp: PassiveOpens InSegs\nTcp: 1 -2\n", nil),
            ("Tcp: PassiveOpens InSegs\nTcp: 1 18446744073709551616\n", nil),
            ("Tcp: PassiveOpens InSegs\nTcp: 1 2\nTcp: 3 4\n", nil),
        ] as [(String, SegmentCounters?)])
    func `are read by their names`(_ text: String, _ expected: SegmentCounters?) {
        #expect(SegmentCounters(snmp: Array(text.utf8).span) == expected)
    }
}

@Suite struct `A sample` {
    private func counters(_ connections: UInt64, _ segments: UInt64) -> SegmentCounters {
        SegmentCounters(connections: connections, segments: segments)
    }

    @Test func `looks at what was not looked at before, and where the counters are not known`() {
        var gate = SampleGate()
        #expect(gate.look(.listening, counters(1, 1)) == .listening)
        #expect(gate.look(.all, counters(1, 1)) == .all)
        gate.looked(at: .all, counters(1, 1), somethingWaits: false)
        #expect(gate.look(.listening, nil) == .listening && gate.look(.all, nil) == .all)
        #expect(gate.look(.listening, counters(1, 1)) == .nothing)
        gate.reset()
        #expect(gate.look(.listening, counters(1, 1)) == .listening)
    }

    @Test func `of listening sockets passes over data on connections, unless something waits`() {
        var gate = SampleGate()
        gate.looked(at: .listening, counters(1, 1), somethingWaits: false)
        #expect(gate.look(.listening, counters(1, 9)) == .nothing)
        #expect(gate.look(.listening, counters(2, 9)) == .listening)
        gate.looked(at: .listening, counters(1, 1), somethingWaits: true)
        #expect(gate.look(.listening, counters(1, 9)) == .listening)
        #expect(gate.look(.listening, counters(1, 1)) == .nothing)
        // Connections were not looked at.
        #expect(gate.look(.all, counters(1, 1)) == .all)
    }

    @Test(arguments: [(10, 4, false), (20, 4, false), (21, 4, true), (100, 128, false), (1000, 128, true)])
    func `reads counters only where there is more to look at`(
        _ sockets: Int, _ processors: Int, _ isSo: Bool
    ) {
        #expect(SampleGate.isWorthwhile(.listening, sockets: sockets, processors: processors) == isSo)
        #expect(SampleGate.isWorthwhile(.all, sockets: sockets, processors: processors))
        #expect(!SampleGate.isWorthwhile(.nothing, sockets: sockets, processors: processors))
    }

    /// Whatever comes between and during looks, nothing that has come stays unseen.
    @Test(arguments: 0..<200) func `misses nothing`(_ seed: UInt64) {
        var random = Seeded(seed)
        var gate = SampleGate()
        var (connections, segments): (UInt64, UInt64) = (0, 0)
        // What had come when the listening sockets, and all, were looked at; nil is not known to be seen.
        var (seenListening, seenAll): (UInt64?, UInt64?) = (nil, nil)
        for _ in 0..<200 {
            func come() {
                switch random.next() % 4 {
                case 0: (connections, segments) = (connections + 1, segments + 3)
                case 1: segments += 1
                default: break
                }
            }
            come()
            let wanted: SampleGate.Look = random.next() % 2 == 0 ? .listening : .all
            let read = counters(connections, segments)
            let look = gate.look(wanted, random.next() % 8 == 0 ? nil : read)
            if look == .nothing {
                if wanted == .all {
                    #expect(seenAll == segments)
                } else {
                    #expect(seenListening == connections)
                }
                continue
            }
            #expect(look == wanted)
            // More may come before the sockets are looked at: it may be seen or not.
            let before = (connections, segments)
            if random.next() % 8 == 0 {
                gate.reset()
                (seenListening, seenAll) = (nil, nil)
                continue
            }
            come()
            gate.looked(at: look, read, somethingWaits: random.next() % 2 == 0)
            seenListening = before.0
            if look == .all { seenAll = before.1 }
        }
    }
}

/// Numbers that are the same each time (SplitMix64).
private struct Seeded {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
