internal import Glibc

extension Cgroup {
    /// What came of a freeze or a thaw.
    public enum FreezerResult: Hashable, Sendable {
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
    public func freeze(patience: Int = 2000) throws(LinuxError) -> FreezerResult {
        try setFreezer(frozen: true, patience)
    }

    /// Lets the processes run again, and waits up to `patience` microseconds until the kernel says so; usually 50 µs.
    public func thaw(patience: Int = 2000) throws(LinuxError) -> FreezerResult {
        try setFreezer(frozen: false, patience)
    }

    /// Whether we, or anyone, asked this very group to be frozen; what groups above do does not show.
    public func isFreezeRequested() throws(LinuxError) -> Bool {
        do {
            return try KernelFile.read(file("cgroup.freeze")).first == UInt8(ascii: "1")
        } catch {
            // The root group and kernels before 5.2 have no freezer.
            if error.errno == ENOENT && exists { return false }
            throw error
        }
    }

    /// Whether a process made in it would not run.
    func isFreezingOrFrozen() throws(LinuxError) -> Bool {
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
    public func clearStaleFreeze() throws(LinuxError) {
        if try isFreezeRequested() { _ = try thaw() }
    }

    private func setFreezer(frozen: Bool, _ patience: Int) throws(LinuxError) -> FreezerResult {
        try KernelFile.write(frozen ? "1" : "0", to: file("cgroup.freeze"))
        let descriptor = try unsafe check(open(eventsPath, O_RDONLY | O_CLOEXEC), "open", eventsPath)
        defer { close(descriptor) }
        let deadline = MonotonicClock.now + patience
        // A thaw is there at once or, with a frozen group above, never: a few looks tell.
        var looks = 0
        while true {
            if Self.readsFrozen(descriptor) == frozen { return .done }
            looks += 1
            guard MonotonicClock.now < deadline else { break }
            if !frozen && looks > 8 && isHeldFromAbove { return .heldFromAbove }
            if looks < 8 { sched_yield() } else { usleep(50) }
        }
        return frozen || !isHeldFromAbove ? .pending : .heldFromAbove
    }

    /// Whether a group above, as far as it can be seen, is asked to be frozen.
    private var isHeldFromAbove: Bool {
        var above = path
        while let slash = above.lastIndex(of: "/"), slash != above.startIndex {
            above = String(above[..<slash])
            guard let text = try? KernelFile.text("\(above)/cgroup.freeze") else { return false }
            if text.hasPrefix("1") { return true }
        }
        return false
    }

    private static func readsFrozen(_ descriptor: Int32) -> Bool {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = max(0, unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return CgroupEvents(parsing: String(decoding: bytes, as: UTF8.self)).isFrozen
    }
}
