/// Something slow that many ask for: it is done once for all that ask before it begins, and once more for those that ask while it
/// is done and want nothing older than their question.
///
/// It is pure.
package struct SharedRound<Waiter> {
    private var current: [Waiter]?
    private var later: [Waiter] = []

    /// Nothing is being done.
    package init() {}

    /// Whether something is being done.
    package var isUnderWay: Bool { current != nil }

    /// Has `waiter` wait, and answers whether a round is to begin now.
    ///
    /// Where it `joins`, one that has begun will do.
    package mutating func wait(_ waiter: Waiter, joins: Bool) -> Bool {
        guard current != nil else {
            current = [waiter]
            return true
        }
        if joins { current?.append(waiter) } else { later.append(waiter) }
        return false
    }

    /// The round is over: those that waited for it, and whether another one is to begin now.
    package mutating func end() -> (waiters: [Waiter], beginsAnew: Bool) {
        let waiters = current ?? []
        current = later.isEmpty ? nil : later
        later = []
        return (waiters, current != nil)
    }
}
