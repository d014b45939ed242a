/// The watch of one sleeper, for as long as there may be one: nothing lets a process of the worker run, or end, before it has let go of it.
///
/// There is a watch only while the worker sleeps by a confirmed request of the supervisor's (section 7 of the spec's `5-waking`).
package struct SleeperLease<Watch> {
    /// What is about to happen to the sleeper, or was seen to have happened.
    package enum Turn: Hashable, Sendable, CaseIterable {
        /// It is thawed or continued, or another program was seen to let it run.
        case runs
        /// It gets a signal that stops it, which changes nothing of its sleep.
        case stopSignal
        /// It gets another signal, of which it may end although it is frozen (signal(7)), or which waits until it runs.
        case signal
        /// It gets SIGKILL.
        case kill
        /// Its processes have ended.
        case ended
    }

    /// Whether it sleeps by a confirmed request of the supervisor's.
    package private(set) var isAsleep = false
    /// What watches it; nil while it runs, and before that has begun.
    package private(set) var watch: Watch?

    /// Of a worker that runs.
    package init() {}

    /// Its sleep is confirmed.
    package mutating func slept() { isAsleep = true }

    /// Whether a watch may begin now: it sleeps, and has none.
    package var isFree: Bool { isAsleep && watch == nil }

    /// It is watched by `watch` from now on; false where it does not sleep, or is watched already: then `watch` is not kept.
    package mutating func begin(_ watch: Watch) -> Bool {
        guard isFree else { return false }
        self.watch = watch
        return true
    }

    /// The watch that has to let go of all that it holds before `turn` happens; nil where there is none, or it may stay.
    ///
    /// After a signal it may sleep on: then another watch may begin.
    package mutating func release(before turn: Turn) -> Watch? {
        switch turn {
        case .stopSignal: return nil
        case .runs, .ended: isAsleep = false
        // That it is killed does not wake it: whether it ends is told by its end.
        case .signal, .kill: break
        }
        defer { watch = nil }
        return watch
    }
}
