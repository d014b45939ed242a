import Idleness
import Lifecycle
import Testing

@Suite struct `The window of use` {
    private func moment(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func `begins with what was used when the worker fell asleep, and reads nothing at its wake`() {
        var window = UseWindow()
        window.begin(at: moment(0)) { .milliseconds(10) }
        window.slept(at: moment(1000)) { .milliseconds(30) }
        window.begin(at: moment(9000)) {
            Issue.record("what it has used was read again")
            return nil
        }
        // 200 ms of the 1000 since it woke.
        let share = window.share(.milliseconds(230), at: moment(10_000), over: .milliseconds(1000))
        #expect(share == 20)
    }

    @Test func `takes the reading for which it was suspended, where that was just now`() {
        var window = UseWindow()
        window.begin(at: moment(0)) { .milliseconds(10) }
        _ = window.share(.milliseconds(20), at: moment(1000), over: .milliseconds(1000))
        window.slept(at: moment(1040)) {
            Issue.record("what it has used was read again")
            return nil
        }
        window.begin(at: moment(2000)) { nil }
        let share = window.share(.milliseconds(520), at: moment(3000), over: .milliseconds(1000))
        #expect(share == 50)
    }

    @Test func `of another process begins with what that has used`() {
        var window = UseWindow()
        window.begin(at: moment(0)) { nil }
        let share = window.share(.milliseconds(5), at: moment(1000), over: .milliseconds(1000))
        #expect(share == nil)
        window.begin(at: moment(2000)) { .milliseconds(100) }
        let later = window.share(.milliseconds(600), at: moment(3000), over: .milliseconds(1000))
        #expect(later == 50)
    }
}
