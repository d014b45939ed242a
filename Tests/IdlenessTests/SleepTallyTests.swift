import Idleness
import Lifecycle
import Testing

/// Which peers wake a worker, and which of them again and again.
@Suite struct `The tally of sleep` {
    private static func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
    private static let monitor = IPAddress(ipv4: 0x0a00_0005)
    private static let user = IPAddress(ipv4: 0x0a00_0007)

    /// Wakes of a peer at these seconds, each judged as one exchange or not; nil is not judged.
    private static func tally(_ wakes: [(IPAddress, Int64, Bool?)]) -> SleepTally {
        var tally = SleepTally(since: at(0))
        for (peer, second, isExchange) in wakes {
            tally.woke(by: peer, at: at(second))
            if let isExchange { tally.judged(isExchange: isExchange) }
        }
        return tally
    }

    static let cases: [([(IPAddress, Int64, Bool?)], now: Int64, Int64?, Bool)] = [
        ([], 0, nil, false),
        ([(monitor, 0, true), (monitor, 30, true)], 31, nil, false),
        ([(monitor, 0, true), (monitor, 30, true), (monitor, 60, nil)], 61, 30, true),
        ([(monitor, 0, true), (monitor, 30, false), (monitor, 60, true)], 61, 30, false),
        ([(monitor, 0, nil), (monitor, 30, nil), (monitor, 60, nil)], 61, 30, false),
        // It comes no more.
        ([(monitor, 0, true), (monitor, 30, true), (monitor, 60, true)], 121, nil, false),
        ([(monitor, 0, true), (user, 10, false), (monitor, 30, true), (monitor, 60, true)], 61, 30, true),
    ]

    @Test(arguments: cases) func `finds the peer that comes again and again`(
        wakes: [(IPAddress, Int64, Bool?)], now: Int64, seconds: Int64?, isExchange: Bool
    ) {
        let found = Self.tally(wakes).regular(at: Self.at(now))
        #expect(found?.interval == seconds.map { TimeSpan.seconds($0) })
        #expect(found?.isExchange ?? false == isExchange)
        if found != nil { #expect(found?.address == Self.monitor) }
    }

    @Test func `remembers a bounded number of peers and wakes, the latest`() {
        var tally = SleepTally(since: Self.at(0))
        for number in 0..<100 {
            tally.woke(by: IPAddress(ipv4: UInt32(number)), at: Self.at(Int64(number)))
        }
        #expect(tally.peers.map(\.address) == (84..<100).map { IPAddress(ipv4: $0) })
        for second in 100..<10_000 { tally.woke(by: Self.monitor, at: Self.at(Int64(second))) }
        #expect(tally.peers.last?.count == 9_900 && tally.peers.count == 16)
        #expect(tally.regular(at: Self.at(10_000))?.interval == .seconds(1))
    }

    @Test func `counts sleeps`() {
        var tally = SleepTally(since: Self.at(0))
        tally.slept(.seconds(5), until: Self.at(10))
        tally.slept(.seconds(-5), until: Self.at(11))
        #expect(tally.asleep == .seconds(5) && tally.sleeps == 2)
        tally.launched()
        #expect(tally.wakes == 3)
        tally.judged(isExchange: true)
    }

    @Test func `counts no sleep from before it was counted`() {
        var tally = SleepTally(since: Self.at(100))
        #expect(tally.asleep(at: Self.at(110), sleepingSince: Self.at(10)) == .seconds(10))
        tally.slept(.seconds(90), until: Self.at(130))
        #expect(tally.asleep(at: Self.at(140), sleepingSince: nil) == .seconds(30))
        #expect(tally.asleep(at: Self.at(140), sleepingSince: Self.at(135)) == .seconds(35))
    }
}
