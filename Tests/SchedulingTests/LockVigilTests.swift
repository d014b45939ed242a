import Lifecycle
import Scheduling
import Testing

@Suite struct `Locks of workers that sleep` {
    private func second(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    /// The moments at which it looks until `end`, each as soon as it is due.
    private func looks(_ vigil: inout LockVigil<Int>, until end: Int64) -> [Int64] {
        var looks: [Int64] = []
        while let due = vigil.nextDue, due <= second(end) {
            looks.append((due - .zero).microseconds / 1_000_000)
            #expect(!vigil.takeDue(at: due) { _ in true }.isEmpty)
        }
        return looks
    }

    @Test func `are looked at seldomer and seldomer, while a sleeper holds one`() {
        var vigil = LockVigil<Int>()
        #expect(vigil.nextDue == nil)
        vigil.watch(1, at: .zero)
        #expect(looks(&vigil, until: 1300) == [5, 15, 35, 75, 155, 315, 615, 915, 1215])
    }

    @Test func `are looked at all together, and soon when another one falls asleep`() {
        var vigil = LockVigil<Int>()
        vigil.watch(2, at: .zero)
        #expect(looks(&vigil, until: 100) == [5, 15, 35, 75])
        vigil.watch(1, at: second(100))
        // One that is there already changes nothing.
        vigil.watch(2, at: second(103))
        #expect(vigil.nextDue == second(105))
        let early = vigil.takeDue(at: second(104)) { _ in true }
        let due = vigil.takeDue(at: second(105)) { _ in true }
        #expect(early == [] && due == [1, 2])
        #expect(vigil.nextDue == second(115))
    }

    @Test func `are looked at no more where a waiter was told, or no holder sleeps`() {
        var vigil = LockVigil<Int>()
        vigil.watch(1, at: .zero)
        vigil.watch(2, at: .zero)
        vigil.forget(1)
        #expect(vigil.nextDue == second(5))
        vigil.forget(2)
        #expect(vigil.nextDue == nil)
        vigil.watch(1, at: second(50))
        let due = vigil.takeDue(at: second(60)) { _ in false }
        #expect(due == [] && vigil.nextDue == nil)
    }

    @Test func `are read sixteen times at most in an hour`() {
        var vigil = LockVigil<Int>()
        vigil.watch(1, at: .zero)
        #expect(looks(&vigil, until: 3600).count <= 16)
    }
}
