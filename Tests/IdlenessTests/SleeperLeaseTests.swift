import Testing

@testable import Idleness

@Suite("The watch of a sleeper") struct SleeperLeaseTests {
    private typealias Lease = SleeperLease<Int>

    private func watched() -> Lease {
        var lease = Lease()
        lease.slept()
        #expect(lease.begin(1))
        return lease
    }

    @Test(arguments: [Lease.Turn.runs, .signal, .kill, .ended])
    func `ends before anything that lets it run or end`(_ turn: Lease.Turn) {
        var lease = watched()
        #expect(lease.release(before: turn) == 1)
        #expect(lease.watch == nil)
        #expect(lease.release(before: turn) == nil, "it is let go of once")
    }

    @Test func `stays when it gets a signal that stops it`() {
        var lease = watched()
        #expect(lease.release(before: .stopSignal) == nil)
        #expect(lease.watch == 1)
    }

    @Test func `begins while it sleeps, and once`() {
        var lease = Lease()
        #expect(!lease.begin(1))
        #expect(lease.watch == nil)
        lease.slept()
        #expect(lease.isFree)
        #expect(lease.begin(1))
        #expect(!lease.begin(2))
        #expect(lease.watch == 1)
    }

    @Test func `begins anew after a signal that it sleeps through, and not when it runs or has ended`() {
        for turn in Lease.Turn.allCases {
            var lease = watched()
            _ = lease.release(before: turn)
            #expect(lease.begin(2) == (turn == .signal || turn == .kill), "after \(turn)")
        }
    }
}
