internal import Linux

/// One place where a tree of cgroups is mounted, as proc_pid_mountinfo(5) tells it.
struct CgroupMount: Hashable, Sendable {
    /// The group that is seen at the mount point, from the namespace's root.
    let root: String
    /// Where it is seen.
    let mountPoint: String
    /// Whether the mount forbids writing.
    let isReadOnly: Bool

    /// Which tree.
    enum Hierarchy: Hashable, Sendable {
        /// That of cgroup v2.
        case unified
        /// That of cgroup v1 with the memory controller.
        case legacyMemory
    }

    /// The mounts of a tree in a mountinfo file, last mounted first, since that one is seen.
    ///
    /// Unreadable lines are passed over.
    static func parse(mountinfo text: String, _ hierarchy: Hierarchy = .unified) -> [CgroupMount] {
        text.lines.reversed().compactMap { line in
            let fields = line.fields(at: " ")
            // Six fields, optional ones, a lone dash, then type, source and options of the file system.
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 3
            else { return nil }
            let isIt =
                switch hierarchy {
                case .unified: fields[dash + 1] == "cgroup2"
                case .legacyMemory:
                    fields[dash + 1] == "cgroup" && fields[dash + 3].fields(at: ",").contains("memory")
                }
            guard isIt else { return nil }
            let options = (fields[5].fields(at: ",") + fields[dash + 3].fields(at: ","))
            return CgroupMount(
                root: unescape(fields[3]), mountPoint: unescape(fields[4]), isReadOnly: options.contains("ro")
            )
        }
    }

    /// The v2 group of a /proc/PID/cgroup file; nil where there is none or it has been removed.
    static func ownGroup(parsing text: String) -> String? {
        guard let line = text.lines.first(where: { $0.hasPrefix("0::/") }) else {
            return nil
        }
        return line.hasSuffix(" (deleted)") ? nil : String(line.dropFirst(3))
    }

    /// The directory of `group` under this mount; nil when it is not seen from here.
    func directory(of group: String) -> String? {
        // A path that climbs is outside of our namespace.
        if group.fields(at: "/").contains("..") { return nil }
        let below: Substring
        if root == "/" {
            below = group[...]
        } else if group == root {
            below = ""
        } else if group.hasPrefix(root + "/") {
            below = Substring(group.utf8.dropFirst(root.utf8.count))
        } else {
            return nil
        }
        let path = "\(mountPoint == "/" ? "" : mountPoint)\(below)"
        return path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }

    /// Spaces, tabs, newlines and backslashes are written as a backslash and three octal digits.
    private static func unescape(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
