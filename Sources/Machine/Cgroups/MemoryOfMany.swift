internal import Linux
internal import Processes
internal import Synchronization

/// What many workers use of the memory, read on a thread within a budget of time: what could not be read in time is as it was.
///
/// It is used from one thread at a time, which the lock proves.
package final class MemoryOfMany: Sendable {
    /// One of them.
    package struct Subject: Sendable {
        /// A number of its own.
        package let number: UInt32
        /// The path of its group; nil where it has none.
        package let group: String?
        /// Its main process.
        package let process: Int32

        /// The worker of this number, with this group and main process.
        package init(number: UInt32, group: String?, process: Int32) {
            (self.number, self.group, self.process) = (number, group, process)
        }
    }

    private struct State {
        var known: [UInt32: Int64] = [:]
        /// The number of the one that is read first the next time.
        var next: UInt32 = 0
    }

    private let state = Mutex(State())

    /// Nothing has been read.
    package init() {}

    /// The bytes that each of `subjects` holds, by their numbers, none of one that was never read.
    ///
    /// Reading takes `budget` microseconds at most. Where that is too short for all, the next call begins where this one has stopped.
    ///
    /// It is what the memory controller counts (memory.current), and the resident memory of all processes where there is no controller.
    package func read(_ subjects: [Subject], budget: Int64) -> [UInt32: Int64] {
        let end = KernelClock.monotonic + budget
        return state.withLock { state in
            var found: [UInt32: Int64] = [:]
            found.reserveCapacity(subjects.count)
            for subject in subjects { found[subject.number] = state.known[subject.number] }
            let first = subjects.firstIndex { $0.number == state.next } ?? 0
            var tree: ProcessTree?
            state.next = 0
            for subject in subjects[first...] + subjects[..<first] {
                guard KernelClock.monotonic < end else {
                    state.next = subject.number
                    break
                }
                found[subject.number] = Self.memory(of: subject, &tree) ?? found[subject.number]
            }
            state.known = found
            return found
        }
    }

    private static func memory(of subject: Subject, _ tree: inout ProcessTree?) -> Int64? {
        if let path = subject.group {
            let group = Cgroup(path: path)
            if let bytes = group.memoryCurrent() { return bytes }
            // Ignoring why they cannot be listed: then the main process is looked at.
            if let members = try? group.processes(), !members.isEmpty { return resident(members) }
        }
        let all = tree ?? .snapshot()
        tree = all
        return resident([subject.process] + all.descendants(of: subject.process))
    }

    /// What these hold together; nil where none could be looked at.
    private static func resident(_ processes: [Int32]) -> Int64? {
        let sizes = processes.compactMap(ProcessMemory.resident(of:))
        return sizes.isEmpty ? nil : sizes.reduce(0, &+)
    }
}
