import Idleness
import Lifecycle
import Testing

/// What sleep would give of a worker that is only observed.
@Suite struct `The gain of sleep` {
    private static func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
    private static let delay = TimeSpan.seconds(10)

    /// What was seen of a worker that sleeps 10 s after its last use, at each look: the second of the look and that of the last use.
    private static func gain(_ looks: [(at: Int64, use: Int64?)]) -> SleepGain {
        var gain = SleepGain()
        for (second, use) in looks {
            let found = use.map { Use(.spoke(peer: "10.0.0.7:51422"), at: at($0)) }
            gain.judged(found, at: at(second), delay: delay)
        }
        return gain
    }

    static let cases: [([(at: Int64, use: Int64?)], now: Int64, observed: Int64, asleep: Int64, wakes: Int)] =
        [
            ([], 50, 0, 0, 0),
            // It is used on and on.
            ([(10, 9), (20, 15), (30, 25)], 35, 25, 0, 0),
            // It would sleep since the look that found it idle, and be woken by its next use.
            ([(10, 0), (20, 0)], 30, 20, 20, 0),
            ([(10, 0), (20, 17)], 20, 10, 7, 1),
            // Between two looks it was used, and idle for long enough again.
            ([(10, 0), (40, 20)], 50, 40, 30, 1),
            ([(10, nil), (20, nil)], 30, 20, 20, 0),
        ]

    @Test(arguments: cases) func `never exceeds the time that it was observed`(
        looks: [(at: Int64, use: Int64?)], now: Int64, observed: Int64, asleep: Int64, wakes: Int
    ) {
        let gain = Self.gain(looks)
        #expect(gain.observed(at: Self.at(now)) == .seconds(observed))
        #expect(gain.asleep(at: Self.at(now)) == .seconds(asleep))
        #expect(gain.asleep(at: Self.at(now)) <= gain.observed(at: Self.at(now)))
        #expect(gain.wakes == wakes)
        #expect(gain.peers == (wakes > 0 ? ["10.0.0.7": wakes] : [:]))
    }
}
