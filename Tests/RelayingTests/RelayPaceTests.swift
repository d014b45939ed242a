import Relaying
import Testing

@Suite struct `The pace of a relay` {
    /// Begins as many as it may, looking at a backlog of this length and limit whenever it asks: how many that were.
    private func begin(
        _ pace: inout RelayPace, of waiting: Int, length: UInt32, limit: UInt32
    ) -> Int {
        var (count, length) = (0, length)
        while count < waiting {
            switch pace.decision {
            case .begin:
                pace.began()
                pace.connected()
                count += 1
                length += 1
            case .look: pace.looked(.queue(length: length, limit: limit))
            case .wait, .hold: return count
            }
        }
        return count
    }

    @Test func `begins none before the target is there`() {
        var pace = RelayPace()
        #expect(pace.decision == .hold)
        pace.open()
        #expect(pace.decision == .look)
        pace.shut()
        #expect(pace.decision == .hold)
    }

    @Test(arguments: [(0, 5, 34), (3, 5, 34), (0, 511, 5000), (100, 100, 7), (7, 5, 1), (0, 0, 3)])
    func `never begins more than the backlog has room for`(_ length: Int, _ limit: Int, _ waiting: Int) {
        var pace = RelayPace()
        pace.open()
        let count = begin(&pace, of: waiting, length: UInt32(length), limit: UInt32(limit))
        #expect(count == min(waiting, max(0, limit - length)))
        guard count < waiting else { return }
        // It waits, and goes on when some were accepted.
        guard case .wait = pace.decision else { return #expect(Bool(false), "\(pace.decision)") }
        pace.waited()
        #expect(begin(&pace, of: 1, length: 0, limit: UInt32(limit)) == min(1, limit))
    }

    @Test func `counts those that are being connected`() {
        var pace = RelayPace()
        pace.open()
        pace.looked(.queue(length: 0, limit: 2))
        pace.began()
        pace.began()
        #expect(pace.decision == .look)
        pace.looked(.queue(length: 0, limit: 2))
        #expect(pace.decision == .wait(1))
        pace.connected()
        pace.forgot()
        pace.waited()
        pace.looked(.queue(length: 0, limit: 2))
        #expect(pace.decision == .begin)
    }

    @Test func `leaves a target alone that refuses, longer each time`() {
        var pace = RelayPace()
        pace.open()
        var waits: [Int32] = []
        for _ in 0..<10 {
            pace.looked(.elsewhere)
            #expect(pace.decision == .begin)
            pace.began()
            pace.refused()
            guard case .wait(let milliseconds) = pace.decision else { break }
            waits.append(milliseconds)
            pace.waited()
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 128, 128])
        pace.looked(.elsewhere)
        pace.began()
        pace.connected()
        pace.began()
        pace.refused()
        #expect(pace.decision == .wait(1))
    }

    @Test func `takes many that are refused together for one refusal`() {
        var pace = RelayPace()
        pace.open()
        pace.looked(.elsewhere)
        for _ in 0..<50 { pace.began() }
        for _ in 0..<50 { pace.refused() }
        #expect(pace.decision == .wait(1))
    }

    @Test func `is not bounded by a target elsewhere, and careful where nothing is told`() {
        var pace = RelayPace()
        pace.open()
        pace.looked(.elsewhere)
        for _ in 0..<1000 {
            #expect(pace.decision == .begin)
            pace.began()
        }
        pace = RelayPace()
        pace.open()
        pace.looked(.unknown)
        var count = 0
        while pace.decision == .begin {
            pace.began()
            pace.connected()
            count += 1
        }
        #expect(count == 4)
        #expect(pace.decision == .wait(1))
        pace.waited()
        pace.looked(.unknown)
        #expect(pace.decision == .begin)
    }
}
