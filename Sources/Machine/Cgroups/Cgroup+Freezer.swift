internal import Glibc
package import Linux

extension Cgroup {
    /// What came of a freeze or a thaw.
    package enum FreezerResult: Hashable, Sendable {
        /// The kernel has confirmed it.
        case done
        /// Asked for, not confirmed within the time: `cgroup.events` will tell.
        case pending
        /// Thawed as far as we go; a group above holds it frozen.
        case heldFromAbove
    }

    /// Freezes all processes of the group and below, and waits up to `patience` microseconds until they are.
    ///
    /// It takes about a millisecond, longer while a process is in the kernel. New processes are born frozen.
    package func freeze(patience: Int64 = 2000) throws(LinuxError) -> FreezerResult {
        try openFreezer().freeze(patience: patience)
    }

    /// Lets the processes run again, and waits up to `patience` microseconds until the kernel says so; usually 50 µs.
    package func thaw(patience: Int64 = 2000) throws(LinuxError) -> FreezerResult {
        try openFreezer().thaw(patience: patience)
    }

    /// The same with its files open, for a caller that freezes and thaws it often: opening them takes longer than the kernel does.
    package func openFreezer() throws(LinuxError) -> OpenFreezer {
        OpenFreezer(self, request: try open("cgroup.freeze", O_WRONLY), events: try openEvents())
    }

    /// Whether this process, or another, has asked for this very group to be frozen; what groups above do does not show.
    package func isFreezeRequested() throws(LinuxError) -> Bool {
        do {
            return try KernelFile.read(file("cgroup.freeze")).first == UInt8(ascii: "1")
        } catch {
            // The root group and kernels before 5.2 have no freezer.
            if error.errno == ENOENT && exists { return false }
            throw error
        }
    }

    /// Whether a process made in it would not run.
    package func isFreezingOrFrozen() throws(LinuxError) -> Bool {
        do {
            let events = try events()
            if events.isFrozen { return true }
            // An empty group is frozen at once; one with processes is asked first and frozen later.
            return events.isPopulated ? try isFreezeRequested() : false
        } catch {
            // The root group has neither file.
            if error.errno == ENOENT && exists { return false }
            throw error
        }
    }

    /// Takes back a request that outlived its processes: an empty group stays frozen.
    package func clearStaleFreeze() throws(LinuxError) {
        if try isFreezeRequested() { _ = try thaw() }
    }

    /// The nearest group above, as far as it can be seen, that is asked to be frozen; nil when there is none.
    package func frozenAncestor() -> String? {
        var above = path
        while let slash = above.utf8.lastIndex(of: UInt8(ascii: "/")), slash != above.startIndex {
            above = String(above[..<slash])
            guard let text = try? KernelFile.text("\(above)/cgroup.freeze") else { return nil }
            if text.hasPrefix("1") { return above }
        }
        return nil
    }

    fileprivate var isHeldFromAbove: Bool { frozenAncestor() != nil }
}

/// The freezer of one group, with its files open.
package final class OpenFreezer: Sendable {
    private let group: Cgroup
    private let request: OwnedDescriptor
    private let events: OwnedDescriptor

    fileprivate init(
        _ group: Cgroup, request: consuming OwnedDescriptor, events: consuming OwnedDescriptor
    ) {
        self.group = group
        self.request = request
        self.events = events
    }

    /// As ``Cgroup/freeze(patience:)``.
    package func freeze(patience: Int64 = 2000) throws(LinuxError) -> Cgroup.FreezerResult {
        try set(frozen: true, patience)
    }

    /// As ``Cgroup/thaw(patience:)``; with `yields` what was thawed has this processor before the kernel is asked whether it is.
    package func thaw(yields: Bool = false, patience: Int64 = 2000) throws(LinuxError) -> Cgroup.FreezerResult
    {
        try set(frozen: false, yields: yields, patience)
    }

    /// What the kernel says of the group now; nil when it is gone.
    package var now: CgroupEvents? { Cgroup.readEvents(events.rawValue) }

    private func set(
        frozen: Bool, yields: Bool = false, _ patience: Int64
    ) throws(LinuxError) -> Cgroup.FreezerResult {
        var letter = frozen ? UInt8(ascii: "1") : UInt8(ascii: "0")
        guard unsafe pwrite(request.rawValue, &letter, 1, 0) == 1 else {
            throw .last("write", group.file("cgroup.freeze"))
        }
        if yields { ThisProcess.yield() }
        let deadline = KernelClock.monotonic + patience
        // A thaw is there at once or, with a frozen group above, never: a few looks tell.
        var looks = 0
        while true {
            if Cgroup.readEvents(events.rawValue)?.isFrozen ?? false == frozen { return .done }
            looks += 1
            guard KernelClock.monotonic < deadline else { break }
            if !frozen && looks > 8 && group.isHeldFromAbove { return .heldFromAbove }
            // A process that sleeps is frozen within microseconds, one that runs when its turn ends. No sched_yield(2): where other tasks
            // want this CPU, it costs a whole turn.
            if looks > 64 { usleep(50) }
        }
        return frozen || !group.isHeldFromAbove ? .pending : .heldFromAbove
    }
}
