internal import Cgroups
internal import Linux
internal import Synchronization

/// What groups hold of memory and have used of the processors, read within a budget of time: what cannot be read anew is as it was.
///
/// It is used from one thread at a time, which the lock proves.
package final class GroupFigures: Sendable {
    /// What one group has used.
    package struct Figures: Sendable {
        /// In bytes.
        package var memory: Int64?
        /// In microseconds.
        package var cpu: Int64?
    }

    private struct State {
        var known: [String: Figures] = [:]
        /// The path of the one that is read first the next time.
        var next = ""
    }

    private let state = Mutex(State())

    /// Nothing has been read.
    package init() {}

    /// The figures of the groups at `paths`, by path; reading them takes `budget` microseconds at most.
    ///
    /// Where that is too short for all, the next call begins where this one has stopped.
    package func read(_ paths: [String], budget: Int64) -> [String: Figures] {
        let end = KernelClock.monotonic + budget
        return state.withLock { state in
            let present = Set(paths)
            state.known = state.known.filter { present.contains($0.key) }
            let start = paths.firstIndex(of: state.next) ?? 0
            state.next = ""
            for path in paths[start...] + paths[..<start] {
                guard KernelClock.monotonic < end else {
                    state.next = path
                    break
                }
                let group = Cgroup(path: path)
                state.known[path] = Figures(
                    memory: group.memoryCurrent(), cpu: group.cpuTime().map { Int64(clamping: $0) })
            }
            return state.known
        }
    }
}
