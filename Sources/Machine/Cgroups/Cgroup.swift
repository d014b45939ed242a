internal import CLinux
internal import Glibc
package import Linux

/// One group of a cgroup v2 tree, named by its directory.
///
/// It holds no descriptor; the group may be gone.
package struct Cgroup: Hashable, Sendable {
    /// The directory, absolute and without a slash at its end.
    package let path: String

    /// The group at `path`.
    package init(path: String) {
        self.path = path
    }

    /// Its `cgroup.events`, which inotify(7) tells of changes (IN_MODIFY), at most every 10 ms.
    package var eventsPath: String { file("cgroup.events") }

    /// The last component of its path.
    package var name: Substring {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Opens one of its files.
    func open(_ name: StaticString, _ flags: Int32) throws(LinuxError) -> OwnedDescriptor {
        let descriptor = name.withUTF8Buffer { name in
            unsafe name.withMemoryRebound(to: CChar.self) { name in
                unsafe torpor_group_open(path, name.baseAddress, flags)
            }
        }
        guard descriptor >= 0 else { throw .last("open", file(name.description)) }
        return OwnedDescriptor(adopting: descriptor)
    }

    // MARK: Making and removing

    /// The group `name` below this one; it need not exist.
    package func child(_ name: CgroupName) -> Cgroup { Cgroup(path: file(name.text)) }

    /// Makes the group `name` below this one, ready to be launched into.
    ///
    /// One that exists already is taken over, thawed if an earlier use left it frozen. Fails with ENOENT when this
    /// group is gone and EACCES when this process may not write to it.
    package func makeChild(_ name: CgroupName) throws(LinuxError) -> Cgroup {
        let child = child(name)
        if child.make() { return child }
        guard errno == EEXIST else { throw .last("mkdir", child.path) }
        try child.clearStaleFreeze()
        return child
    }

    /// Makes the first of `names` below this one that can be made, and in which no process lives; nil where none can.
    package func makeEmptyChild(_ names: some Sequence<CgroupName>) -> Cgroup? {
        for name in names {
            guard let group = try? makeChild(name) else { continue }
            if (try? group.events())?.isPopulated == false { return group }
        }
        return nil
    }

    /// Makes the group; false where there is one already, or it cannot be made.
    package func make() -> Bool { unsafe mkdir(path, 0o755) == 0 }

    /// Removes the group and the groups that its processes made below it; one that is gone already is no failure.
    ///
    /// The kernel lets a group go a moment after its last process was reaped; this waits up to `patience` microseconds
    /// for that, and fails with EBUSY when something still lives there: ``kill()`` first.
    package func remove(patience: Int64 = 10_000) throws(LinuxError) {
        let deadline = KernelClock.monotonic + patience
        var tries = 0
        while true {
            let error = removeOnce()
            if error == 0 || error == ENOENT { return }
            guard error == EBUSY || error == ENOTEMPTY, KernelClock.monotonic < deadline else {
                throw LinuxError(errno: error, call: "rmdir", subject: path)
            }
            tries += 1
            // Usually it is a matter of microseconds. No sched_yield(2): where others want the processor, it costs a whole turn.
            if tries > 4 { usleep(tries < 8 ? 50 : 200) }
        }
    }

    /// One depth-first attempt; 0 or the reason why something is left.
    private func removeOnce() -> Int32 {
        if unsafe rmdir(path) == 0 { return 0 }
        let reason = errno
        // A group with groups below it is busy as well.
        guard reason == EBUSY || reason == ENOTEMPTY else { return reason }
        let below = subgroups()
        if below.isEmpty { return reason }
        for group in below {
            let error = group.removeOnce()
            if error != 0 && error != ENOENT { return error }
        }
        return unsafe rmdir(path) == 0 ? 0 : errno
    }

    /// The groups directly below; none when this one is gone.
    func subgroups() -> [Cgroup] {
        // Its directory has a link from above, one from itself, and one from each group below: most workers have none.
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_nlink != 2 else { return [] }
        return Directory.entries(of: path, onlyDirectories: true).map { Cgroup(path: file($0)) }
    }

    // MARK: Looking

    /// Whether the group exists.
    package var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// What it says of itself now.
    package func events() throws(LinuxError) -> CgroupEvents {
        let events = try openEvents()
        guard let now = Self.readEvents(events.rawValue) else { throw .last("pread", eventsPath) }
        return now
    }

    /// Opens ``eventsPath``, to be read again and again; poll(2) tells of changes since the last read by POLLPRI.
    package func openEvents() throws(LinuxError) -> OwnedDescriptor {
        try open("cgroup.events", O_RDONLY)
    }

    /// Reads a file that ``openEvents()`` has opened; nil when the group is gone.
    package static func readEvents(_ descriptor: Int32) -> CgroupEvents? {
        // All of it comes in one piece.
        unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count >= 0 else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            return unsafe CgroupEvents(parsing: Span(_unsafeBytes: bytes))
        }
    }

    /// The processes in it and in all groups below it, at some moment of the call; groups that vanish are passed over.
    ///
    /// A process may be told twice while it moves; one of another pid namespace has no number here and is left out.
    package func processes() throws(LinuxError) -> [Int32] {
        var found = try ownProcesses()
        for group in subgroups() {
            // A worker's own group may go at any time, or be a threaded one whose processes its parent lists.
            if let below = try? group.processes() { found += below }
        }
        return found
    }

    /// The processes in the group itself, and not below it.
    func ownProcesses() throws(LinuxError) -> [Int32] {
        let text = try KernelFile.text(file("cgroup.procs"))
        return text.lines.compactMap { Int32($0) }.filter { $0 > 0 }
    }

    /// The processor time that its processes have used since it was made, in microseconds; nil where the kernel does not
    /// say.
    package func cpuTime() -> UInt64? {
        // Asked for at every wake: no more is read than that.
        guard let head = try? KernelFile.head(of: file("cpu.stat")) else { return nil }
        return KeyedCounters.first("usage_usec", in: head)
    }

    /// Moves process `pid` into the group; 0 is the caller.
    ///
    /// What it has allocated stays charged where it was.
    package func adopt(process pid: Int32) throws(LinuxError) {
        try KernelFile.write(String(pid), to: file("cgroup.procs"))
    }
}
