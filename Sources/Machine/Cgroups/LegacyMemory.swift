internal import Glibc
internal import Linux

/// The memory controller of cgroup v1, where a hybrid machine has that (Documentation/admin-guide/cgroup-v1/memory.rst).
///
/// Torpor makes no groups there; another tool may have put a worker into one.
package struct LegacyMemory: Hashable, Sendable {
    /// The directory of the group.
    package let path: String

    /// Where the controller is mounted on this machine; nil where it is not.
    package static func mountPoint() -> String? {
        (try? KernelFile.text("/proc/self/mountinfo")).flatMap(mountPoint(parsing:))
    }

    /// The group of process `pid` below `mountPoint`; nil when it has none there apart from that of this process.
    package static func ownGroup(of pid: Int32, below mountPoint: String) -> LegacyMemory? {
        guard let theirs = group(of: "\(pid)"), theirs != own else { return nil }
        let path = theirs == "/" ? mountPoint : mountPoint + theirs
        return unsafe access(path, F_OK) == 0 ? LegacyMemory(path: path) : nil
    }

    /// How many processes of the group the kernel's OOM killer has ended (`memory.oom_control`); nil when it is gone, or the
    /// kernel does not count (before 4.13).
    package func oomKills() -> UInt64? {
        guard let text = try? KernelFile.text("\(path)/memory.oom_control") else { return nil }
        return KeyedCounters.parse(text)["oom_kill"]
    }

    /// Whether it was made, or changed what groups it has, after `moment` of a clock of microseconds that is at `now`.
    package func isYounger(than moment: Int64, on now: Int64) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        let changed = Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000
        return KernelClock.wall - changed <= now - moment
    }

    /// That of this process, which nothing moves while it runs.
    private static let own = group(of: "self")

    private static func group(of process: String) -> String? {
        (try? KernelFile.text("/proc/\(process)/cgroup")).flatMap(group(parsing:))
    }

    static func group(parsing text: String) -> String? {
        // It is read at each launch: no line becomes a text of its own but the one that is meant.
        let bytes = text.utf8Span.span
        var start = 0
        while start < bytes.count {
            var (end, colons) = (start, [Int]())
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
                if bytes[end] == UInt8(ascii: ":"), colons.count < 2 { colons.append(end) }
                end += 1
            }
            if colons.count == 2, hasMemory(bytes, colons[0] + 1, colons[1]) {
                let path = text.utf8.dropFirst(colons[1] + 1).prefix(end - colons[1] - 1)
                return path.suffix(10).elementsEqual(" (deleted)".utf8) ? nil : String(Substring(path))
            }
            start = end + 1
        }
        return nil
    }

    /// Whether one of the controllers between two places is that of memory.
    private static func hasMemory(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        var first = start
        for place in start...end where place == end || bytes[place] == UInt8(ascii: ",") {
            if place - first == memory.count {
                var isSame = true
                for index in memory.indices { isSame = isSame && bytes[first + index] == memory[index] }
                if isSame { return true }
            }
            first = place + 1
        }
        return false
    }

    private static let memory = Array("memory".utf8)

    static func mountPoint(parsing text: String) -> String? {
        for line in text.lines {
            let fields = line.fields(at: " ")
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 3,
                fields[dash + 1] == "cgroup", fields[dash + 3].fields(at: ",").contains("memory"),
                // Seen from its root, so that /proc/PID/cgroup names what is below.
                fields[3] == "/"
            else { continue }
            return String(fields[4])
        }
        return nil
    }
}
