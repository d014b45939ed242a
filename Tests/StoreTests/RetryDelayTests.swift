import Testing

@testable import Store

@Suite struct `What has failed is tried again` {
    @Test func `after twice as long each time, up to a bound, and from the start when it went well`() {
        var delay = RetryDelay(first: 1, longest: 10)
        #expect((0..<6).map { _ in delay.failed() } == [1, 2, 4, 8, 10, 10])
        delay.succeeded()
        #expect((0..<2).map { _ in delay.failed() } == [1, 2])
    }

    @Test func `however long the bound is`() {
        var delay = RetryDelay(first: .max / 3, longest: .max)
        #expect((0..<4).map { _ in delay.failed() } == [.max / 3, .max / 3 * 2, .max, .max])
    }
}
