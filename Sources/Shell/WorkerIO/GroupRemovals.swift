package import Cgroups
internal import Linux

/// Groups that a thread removes, one after the other, while the loop goes on: rmdir(2) of a group waits for the kernel's lock of all groups.
///
/// The thread is there only while there are some. Whoever wants to use a group again takes it back first.
package final class GroupRemovals: Sendable {
    /// A group that is to go, and what marks it as in use until it has gone.
    package struct Removal: Sendable {
        package let group: Cgroup
        package let claim: CgroupClaim?
        /// How often it could not be removed.
        package var tries = 0

        package init(group: Cgroup, claim: CgroupClaim?) { (self.group, self.claim) = (group, claim) }

        /// Whether it could be removed now, or is gone already.
        package func succeeds(patience: Int64 = 0) -> Bool { (try? group.remove(patience: patience)) != nil }
    }

    private struct Work {
        var waiting: [Removal] = []
        /// What is being removed at this moment.
        var current: Cgroup?
        /// What could not be removed.
        var refused: [Removal] = []
    }

    private let work = SignalledBox(Work())
    private let thread = JobThread()

    /// Nothing is to be removed.
    package init() {}

    /// Has the thread remove `removals`, and `then` called there when some could not be removed, which ``takeRefused()`` has.
    ///
    /// Returns those that are the caller's again: all that wait, where there can be no thread.
    package func begin(_ removals: [Removal], then: @escaping @Sendable () -> Void) -> [Removal] {
        work.with { $0.waiting += removals }
        do throws(LinuxError) {
            try thread.perform { [self] in
                while next() {}
                if work.with({ !$0.refused.isEmpty }) { then() }
            }
            return []
        } catch {
            // One that ended a moment ago may have removed some.
            return work.with { work in
                defer { work.waiting = [] }
                return work.waiting
            }
        }
    }

    /// Takes what could not be removed.
    package func takeRefused() -> [Removal] {
        work.with { work in
            defer { work.refused = [] }
            return work.refused
        }
    }

    /// Removes the next one; false when there is none.
    private func next() -> Bool {
        guard
            let removal = work.with({ work -> Removal? in
                guard let removal = work.waiting.popLast() else { return nil }
                work.current = removal.group
                return removal
            })
        else { return false }
        let isGone = removal.succeeds()
        work.post { work in
            work.current = nil
            if !isGone { work.refused.append(removal) }
            return true
        }
        return true
    }

    /// Leaves `group` as it is, once what is under way with it is over.
    package func takeBack(_ group: Cgroup) {
        work.take { work in
            work.waiting.removeAll { $0.group == group }
            work.refused.removeAll { $0.group == group }
            return work.current == group ? .wait : .take(())
        }
    }

    /// Takes back all, once what is under way is over.
    package func takeBackAll() -> [Removal] {
        work.take { work in
            guard work.current == nil else { return .wait }
            defer { (work.waiting, work.refused) = ([], []) }
            return .take(work.waiting + work.refused)
        }
    }
}
