import Lifecycle
import Testing

@Suite struct `What has failed is tried again` {
    private struct Row {
        let first: Int64
        let longest: Int64
        let delays: [Int64]

        init(_ first: Int64, _ longest: Int64, _ delays: [Int64]) {
            self.first = first
            self.longest = longest
            self.delays = delays
        }
    }

    private static let rows = [
        Row(1, 10, [1, 2, 4, 8, 10, 10]),
        Row(3, 12, [3, 6, 12, 12]),
        Row(5, 5, [5, 5]),
        // The first delay stands whatever the bound is.
        Row(7, 2, [7, 7, 7]),
        Row(0, 9, [0, 0, 0]),
        Row(.max / 3, .max, [.max / 3, .max / 3 * 2, .max, .max]),
    ]

    @Test func `after twice as long each time, up to a bound, and from the start when it went well`() {
        for row in Self.rows {
            let (first, longest) = (
                TimeSpan(microseconds: row.first), TimeSpan(microseconds: row.longest)
            )
            var backoff = Backoff(first: first, longest: longest)
            for _ in 0..<2 {
                #expect(row.delays.map { _ in backoff.failed().microseconds } == row.delays)
                backoff.succeeded()
            }
            #expect(row.delays.indices.map { backoff.delay(after: $0).microseconds } == row.delays)
        }
    }

    @Test func `however often it has failed`() {
        let backoff = Backoff(first: .milliseconds(100), longest: .seconds(60))
        #expect(backoff.delay(after: .max) == .seconds(60))
    }
}
