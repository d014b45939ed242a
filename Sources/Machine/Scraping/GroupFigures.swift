package import Cgroups
internal import Linux
internal import Synchronization

/// What groups hold of memory and have used of the processors, read within a budget of time: what cannot be read anew is as it was.
///
/// It is used from one thread at a time, which the lock proves.
package final class GroupFigures: Sendable {
    fileprivate struct State {
        var paths: [String] = []
        /// Of each path; nil of one that was not read yet.
        var known: [GroupUse?] = []
        /// The place of the one that is read first the next time.
        var next = 0
    }

    private let state = Mutex(State())

    /// Nothing has been read.
    package init() {}

    /// The figures of the groups at `paths`, in that order, nil of one that was not read yet; reading them takes `budget` microseconds at most.
    ///
    /// Where that is too short for all, the next call begins where this one has stopped.
    package func read(_ paths: [String], budget: Int64) -> [GroupUse?] {
        let end = KernelClock.monotonic + budget
        return state.withLock { state in
            if state.paths != paths { state.carry(to: paths) }
            var reader = GroupReader()
            for place in Array(state.next..<paths.count) + Array(0..<state.next) {
                guard KernelClock.monotonic < end else {
                    state.next = place
                    return state.known
                }
                state.known[place] = reader.use(of: paths[place])
            }
            state.next = 0
            return state.known
        }
    }
}

extension GroupFigures.State {
    /// Other groups are asked for from now on.
    fileprivate mutating func carry(to paths: [String]) {
        let old = Dictionary(zip(self.paths, known), uniquingKeysWith: { first, _ in first })
        let first = next < self.paths.count ? paths.firstIndex(of: self.paths[next]) : nil
        known = paths.map { old[$0] ?? nil }
        (self.paths, next) = (paths, first ?? 0)
    }
}
