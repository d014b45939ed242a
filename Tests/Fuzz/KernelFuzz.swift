// The fuzz target for what the kernel tells of cgroups, mounts, processes, file locks, listening sockets and changed files, for the
// environment of a process, and for the slots of live records.

@testable import Cgroups
@testable import Linux
@testable import Processes

/// One input: the text of a file of /proc or of a cgroup, whichever; and an environment, entry by entry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKernel(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    readGroups(text, bytes)
    readProcesses(text, bytes)
    readEnvironment(bytes)
    readSlots(bytes)
    return 0
}

/// What a predecessor has left in a slot, or in a file beside the slots: as it was written, or not at all.
private func readSlots(_ bytes: [UInt8]) {
    // As long as a slot is, so that its length alone does not refuse it.
    let slot = Array((bytes + [UInt8](repeating: 0, count: 1024)).prefix(1024))
    for slot in [bytes, slot] {
        if let content = SlotFile.content(of: slot) { precondition(content.count <= SlotFile.roomInSlot) }
        _ = SlotFile.isFlagged(slot)
    }
    if let content = SlotFile.unsealed(bytes) {
        precondition(SlotFile.sealed(content) == bytes, "sealed otherwise")
    }
    precondition(SlotFile.unsealed(SlotFile.sealed(bytes)) == bytes, "what was sealed is damaged")
}

/// The files of cgroups, and the table of mounts in which they are found.
private func readGroups(_ text: String, _ bytes: [UInt8]) {
    let events = CgroupEvents(parsing: text)
    precondition(!events.isPopulated || text.contains("populated 1"))
    precondition(!events.isFrozen || text.contains("frozen 1"))
    let counters = KeyedCounters.parse(text)
    if let first = KeyedCounters.first("usage_usec", in: bytes) {
        // A later line of the same key is what the other one tells.
        precondition(counters["usage_usec"] != nil && first >= 0)
    }
    for group in [CgroupMount.ownGroup(parsing: text), LegacyMemory.group(parsing: text)] {
        guard let group else { continue }
        precondition(!group.hasSuffix(" (deleted)"), "a group that is gone")
    }
    if let point = LegacyMemory.mountPoint(parsing: text) { precondition(!point.isEmpty) }
    for hierarchy in [CgroupMount.Hierarchy.unified, .legacyMemory] {
        for mount in CgroupMount.parse(mountinfo: text, hierarchy) {
            for group in ["/", "/a/b", mount.root, mount.root + "/x", "/a/../b"] {
                guard let path = mount.directory(of: group) else { continue }
                precondition(!group.split(separator: "/").contains(".."), "a path that climbs")
                precondition(path.hasPrefix(mount.mountPoint) || mount.mountPoint.hasSuffix("/"), "elsewhere")
            }
        }
    }
    if let name = CgroupName(text) {
        precondition(name.text.utf8.count <= 255 && !name.text.contains("/") && name.text != "..")
    }
}

/// `stat` of a process, and the table of locks.
private func readProcesses(_ text: String, _ bytes: [UInt8]) {
    if let stat = ProcessStat(parsing: bytes) {
        precondition(
            stat.command.bytes.count + 2 <= bytes.count && stat.stateCharacter.unicodeScalars.count == 1)
        _ = stat.hasStarted(since: 1_000_000_000)
        for ticks in [stat.cpuTicks, stat.childrenTicks, stat.startTime] {
            precondition(ProcessStat.microseconds(ofTicks: ticks) >= 0, "less than no time")
        }
    }
    for inode in ListeningSockets.inodes(listeningAt: 8080, in: bytes) { precondition(inode > 0) }
    let events = Inotify.events(in: bytes[...])
    precondition(events.count <= bytes.count / 16, "more events than there is room for")
    for event in events { precondition(!event.name.utf8.contains(0), "a name beyond its end") }
    let table = LockTable(parsing: text)
    for contested in table.contested { precondition(table.locks.contains(contested.lock)) }
    precondition(table.locks.count + table.contested.count <= bytes.count / 8)
    _ = table.held(by: [0, 1])
    _ = table.hasOrphans { $0 == 1 }
}

/// Variables that are set one by one and all at once are the same.
private func readEnvironment(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let entries = (parts.first ?? []).split(separator: 0x0a).map { ByteString(Array($0)) }
    let changes = (parts.count > 1 ? parts[1] : []).split(separator: 0x0a).prefix(64).compactMap {
        line -> (name: String, value: ByteString)? in
        let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
        guard parts.count == 2, let name = String(validating: parts[0], as: UTF8.self) else { return nil }
        return (name, ByteString(Array(parts[1])))
    }
    var all = Environment(entries: entries)
    guard entries.count <= 256 else { return all.set(changes) }
    var single = all
    all.set(changes)
    for change in changes { single[change.name] = change.value }
    for change in changes { precondition(all[change.name] == single[change.name], "set otherwise") }
    precondition(Set(all.entries) == Set(single.entries), "other variables")
}
