package import Cgroups
package import Linux
package import Pressure
package import Processes
package import SupervisorPorts
internal import Synchronization
package import Systemd

/// What may wait until the kernel has reclaimed memory, on threads that are there only while there is some.
///
/// Limits and reclaiming have a thread each, so that a worker that sleeps deeply delays no other worker's limit.
package final class MemoryWork {
    private let loop: EventLoop
    private let limits = JobThread()
    private let reclaims = JobThread()

    package init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Writes `limits` for `group`; `then` gets what was refused, on the loop.
    package func write(
        _ limits: MemoryLimits, for group: Cgroup, then: @escaping (LinuxError?) -> Void
    ) {
        self.limits.perform({ group.write(limits) }, on: loop, then: then)
    }

    /// Reclaims what `holder` holds, and calls `then` on the loop; a ticket that is cancelled ends it early, without a call.
    package func reclaim(_ holder: MemoryHolder, then: @escaping (MemoryReclaim) -> Void)
        -> ReclaimTicket
    {
        let ticket = ReclaimTicket()
        let reclaim: @Sendable () -> MemoryReclaim? = {
            ticket.isWanted ? holder.reclaim { ticket.isWanted } : nil
        }
        reclaims.perform(reclaim, on: loop) { if let reclaim = $0, ticket.isWanted { then(reclaim) } }
        return ticket
    }
}

/// Whether a reclaim is still wanted.
package final class ReclaimTicket: Sendable {
    private let wanted = Atomic(true)

    /// From now on it is not.
    package func cancel() { wanted.store(false, ordering: .relaxed) }

    package var isWanted: Bool { wanted.load(ordering: .relaxed) }
}

extension Cgroup {
    /// Writes both limits, the softer one first where they come down; nil when the kernel took them, or the group is gone.
    package func write(_ limits: MemoryLimits) -> LinuxError? {
        do throws(LinuxError) {
            try setMemoryHigh(limits.high)
            try setMemoryMaximum(limits.maximum)
            return nil
        } catch {
            return error.isGone ? nil : error
        }
    }
}

/// A holder of memory that can be reclaimed: a group with the controller, or processes one by one.
package struct MemoryHolder: Sendable {
    /// Its group, where it has one.
    package let group: Cgroup?
    /// Its processes where it has none.
    package let processes: [ProcessIdentity]

    package init(group: Cgroup?, processes: [ProcessIdentity]) {
        self.group = group
        self.processes = processes
    }
    /// How much is asked for between two looks at whether it is still wanted.
    private static let piece: Int64 = 32 << 20

    /// Reclaims as much as possible.
    package func reclaim(while isWanted: () -> Bool) -> MemoryReclaim {
        if let group, group.hasMemoryController, let reclaim = reclaim(group, while: isWanted) {
            return reclaim
        }
        return reclaimOneByOne(while: isWanted)
    }

    /// By the group's own file; nil where it has none (before Linux 5.19).
    private func reclaim(_ group: Cgroup, while isWanted: () -> Bool) -> MemoryReclaim? {
        guard let before = WorkerMemory(of: group) else { return nil }
        var left = before.resident
        do throws(LinuxError) {
            while left > 0, isWanted(), try group.reclaimMemory(min(Self.piece, left)) { left -= Self.piece }
        } catch {
            guard error.isGone, group.exists else {
                return MemoryReclaim(before: before, after: before, means: .none("\(error)"))
            }
            return nil
        }
        return MemoryReclaim(before: before, after: WorkerMemory(of: group) ?? before, means: .group)
    }

    private func reclaimOneByOne(while isWanted: () -> Bool) -> MemoryReclaim {
        let members = group.map { $0.members } ?? processes
        let before = WorkerMemory(sharesOf: members)
        do throws(LinuxError) {
            for process in members where isWanted() { try PageOut.run(on: process, while: isWanted) }
        } catch {
            return MemoryReclaim(before: before, after: before, means: .none("\(error)"))
        }
        return MemoryReclaim(before: before, after: WorkerMemory(sharesOf: members), means: .processes)
    }
}

extension Cgroup {
    /// Its processes, each for itself and never another.
    fileprivate var members: [ProcessIdentity] {
        ((try? processes()) ?? []).compactMap(ProcessIdentity.init(pid:))
    }
}

extension WorkerMemory {
    /// What a group holds by its own figures; nil without the memory controller.
    package init?(of group: Cgroup) {
        guard let resident = group.memoryCurrent() else { return nil }
        self.init(resident: resident, swapped: group.memorySwapped() ?? 0)
    }

    /// What these processes hold together, each page counted once.
    package init(sharesOf processes: [ProcessIdentity]) {
        self.init(
            processes.compactMap { process in
                ProcessMemory.rollup(of: process.pid).flatMap { WorkerMemory(rollup: $0) }
                    ?? WorkerMemory(of: process.pid)
            })
    }

    /// What a process holds, pages that it shares with others among them; nil when it is gone.
    package init?(of pid: Int32) {
        guard let text = ProcessMemory.status(of: pid) else { return nil }
        self.init(status: text)
    }

    /// The sum of these.
    package init(_ parts: [WorkerMemory]) {
        self.init(
            resident: parts.reduce(0) { $0 + $1.resident }, swapped: parts.reduce(0) { $0 + $1.swapped })
    }
}
