import Testing

@testable import Idleness

@Suite("The watch of a sleeper") struct SleeperLeaseTests {
    typealias Lease = SleeperLease<Int>

    private func watched() -> Lease {
        var lease = Lease()
        lease.slept()
        let hasBegun = lease.begin(1)
        #expect(hasBegun)
        return lease
    }

    @Test(arguments: [Lease.Turn.runs, .signal, .kill, .ended])
    func `ends before anything that lets it run or end`(_ turn: Lease.Turn) {
        var lease = watched()
        let released = (lease.release(before: turn), lease.release(before: turn))
        #expect(released == (1, nil), "it is let go of once")
        #expect(lease.watch == nil)
    }

    @Test func `stays when it gets a signal that stops it`() {
        var lease = watched()
        let released = lease.release(before: .stopSignal)
        #expect(released == nil && lease.watch == 1)
    }

    @Test func `begins while it sleeps, and once`() {
        var lease = Lease()
        let hasBegunAwake = lease.begin(1)
        #expect(!hasBegunAwake && lease.watch == nil)
        lease.slept()
        #expect(lease.isFree)
        let begun = (lease.begin(1), lease.begin(2))
        #expect(begun == (true, false) && lease.watch == 1)
    }

    @Test func `begins anew after a signal that it sleeps through, and not when it runs or has ended`() {
        for turn in Lease.Turn.allCases {
            var lease = watched()
            _ = lease.release(before: turn)
            let hasBegun = lease.begin(2)
            #expect(hasBegun == (turn == .signal || turn == .kill), "after \(turn)")
        }
    }
}
