import Budgeting
import Lifecycle
import SnapshotCoding
import Testing

@Suite struct `The pace of fetches` {
    @Test(
        arguments: [
            ([], 1), ([.newData], 1), ([.noData], 2), ([.noData, .noData], 4),
            ([.noData, .noData, .noData], 8),
            ([.noData, .noData, .noData, .noData, .noData], 8), ([.noData, .noData, .newData], 1),
            ([.noData, .failed], 2), ([.failed, .failed], 1),
            ([.noData, .noData, .noData, .newData, .noData], 2),
        ] as [([FetchResult], Int)])
    func `adapts to what they bring`(_ results: [FetchResult], _ factor: Int) {
        var pace = FetchPace()
        for (index, result) in results.enumerated() {
            pace.ended(result, at: .zero + .seconds(Int64(index)))
        }
        #expect(pace.factor == factor)
        #expect(pace.last == results.last)
        #expect(pace.interval(of: .seconds(3600)) == .seconds(3600 * Int64(factor)))
        // Longer than any clock runs: no interval is shorter for it.
        let longest = TimeSpan(microseconds: .max)
        #expect(pace.interval(of: longest) == longest)
    }

    @Test func `follows from how they are completed`() {
        #expect(FetchResult(.done) == .newData && FetchResult(.refused) == .noData)
        #expect(FetchResult(.failed) == .failed && FetchResult(nil) == .failed)
    }

    @Test func `goes on where a predecessor has left it`() throws {
        var pace = FetchPace()
        for second in 1...3 { pace.ended(.noData, at: .zero + .seconds(Int64(second))) }
        #expect(try Copy.of(pace, at: .zero + .seconds(3)) == pace)
        #expect(throws: SnapshotError.self) { try Copy.of(pace, at: .zero + .seconds(2)) }
        #expect(try Copy.of(FetchPace(), at: .zero) == FetchPace())
    }
}
