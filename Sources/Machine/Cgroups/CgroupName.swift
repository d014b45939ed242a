internal import Linux

/// A name that a worker's cgroup may have: nothing that the kernel uses, or could come to use, in the same directory.
package struct CgroupName: Hashable, Sendable {
    /// The name, one path component.
    package let text: String

    /// Takes `text` if it is fit for a cgroup's name; nil otherwise.
    ///
    /// Refused are the empty name, more than 255 bytes, a leading dot, slashes, zeroes and newlines (cgroups(7)), and
    /// the names of interface files: `cgroup.procs`, `memory.max`, and anything else under a controller's prefix.
    package init?(_ text: String) {
        let bytes = text.utf8
        let forbidden: [UInt8] = [0, UInt8(ascii: "/"), UInt8(ascii: "\n")]
        guard !bytes.isEmpty, bytes.count <= 255, bytes.first != UInt8(ascii: "."),
            !bytes.contains(where: forbidden.contains), !Self.isInterface(text)
        else { return nil }
        self.text = text
    }

    /// What the group of a worker is called where others live in the one named `group`.
    package static func aside(of group: String) -> [CgroupName] {
        (2..<10).compactMap { CgroupName("\(group)~\($0)") }
    }

    private static func isInterface(_ text: String) -> Bool {
        if ["tasks", "notify_on_release", "release_agent"].contains(text) { return true }
        guard let dot = text.firstIndex(of: ".") else { return false }
        return controllers.contains(String(text[..<dot]))
    }

    /// Every prefix of interface files in either hierarchy, up to Linux 6.18.
    private static let controllers: Set<String> = [
        "cgroup", "cpu", "cpuacct", "cpuset", "io", "blkio", "memory", "hugetlb", "pids", "rdma", "misc",
        "dmem",
        "devices", "freezer", "net_cls", "net_prio", "perf_event", "debug", "irq",
    ]
}
