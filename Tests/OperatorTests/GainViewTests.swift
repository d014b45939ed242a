import ControlAPI
import Testing

@testable import Operator

@Suite struct `What sleep brings` {
    private let clock = WallClock(now: 1_000_000_000)
    private let workers: [SupervisorInterface.WorkerGain] = [
        .init(
            name: "cache", state: .suspended, memoryBytes: 40 << 20, givenBackBytes: 1 << 30,
            gain: .init(
                observed: false, watchedUsec: 3_600_400_000, asleepUsec: 3_240_000_000, wakeCount: 3,
                peers: [])),
        .init(
            name: "web", state: .active, memoryBytes: 2 << 30, lastUseAt: 988_000_000,
            gain: .init(
                observed: true, watchedUsec: 18_000_000_000, asleepUsec: 16_740_000_000, wakeCount: 14,
                peers: [.init(peer: "10.0.0.5", count: 13), .init(peer: "::1", count: 1)])),
    ]

    @Test func `is a table with what all of them hold`() {
        #expect(
            GainView(workers, at: clock).rendered(Style()) == """
                NAME  STATE     IDLE    LAST USE WATCHED   ASLEEP SHARE WAKES MEMORY WOKEN BY
                cache suspended act     -             1h    54min   90%     3  40.0M\u{20}
                web   active    observe 12s ago       5h 4h 39min   93%    14   2.0G 10.0.0.5 (13), ::1 (1)

                1 asleep, 1.0 GB reclaimed; 1 worker only observed (Idle=observe), holding 2.0 GB

                """)
    }

    @Test func `is a sentence where no worker runs, and nothing without a legend`() {
        #expect(GainView([], at: clock).rendered(Style()) == "No worker runs.\n")
        #expect(GainView([], at: clock).rendered(Style(hasLegend: false)).isEmpty)
    }
}
