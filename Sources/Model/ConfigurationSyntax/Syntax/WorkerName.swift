/// The name of a worker: what stands before `.worker` in the name of its file.
///
/// The rules are those of systemd.unit(5) for unit names, so that a name can be a file's, a control group's and a word of a
/// command line. `web@42` is an instance of the template `web@`.
package struct WorkerName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The whole name: `web`, `web@42` or, for a template, `web@`.
    package let text: String

    /// Reads a name, with or without `.worker` behind it.
    package init(_ text: String) throws(ValueError) {
        let name = Self.withoutSuffix(text)
        if let problem = Self.problem(with: name) {
            throw ValueError("invalid worker name \(text.quoted): \(problem)")
        }
        self.text = name
    }

    /// Why `text` is no name, as a clause; nil where it is one.
    package static func fault(in text: String) -> String? { problem(with: withoutSuffix(text)) }

    private static func withoutSuffix(_ text: String) -> String {
        text.utf8.ends(with: suffix) ? String(cut: text.utf8.dropLast(suffix.utf8.count)) : text
    }

    private init(valid text: String) {
        self.text = text
    }

    /// The file name's ending.
    package static let suffix = ".worker"
    /// The longest name: with its suffix, and as `worker-NAME`, it fits into a file name of 255 bytes.
    package static let maximumLength = 248

    /// What stands before the `@`, or the whole name.
    package var prefix: String {
        String(cut: text.utf8.prefix { $0 != UInt8(ascii: "@") })
    }

    /// What stands behind the `@`, as it is written; nil without an `@` and for a template.
    package var instance: String? {
        let instance = String(cut: text.utf8.drop { $0 != UInt8(ascii: "@") }.dropFirst())
        return instance.isEmpty ? nil : instance
    }

    /// Whether it names a template, which cannot be launched itself.
    package var isTemplate: Bool { text.utf8.last == UInt8(ascii: "@") }

    /// The template of an instance; nil for any other name.
    package var template: WorkerName? {
        instance == nil ? nil : WorkerName(valid: prefix + "@")
    }

    /// The instance `instance` of this template; it is escaped first unless it is a valid instance as it stands.
    package func instance(_ instance: String) throws(ValueError) -> WorkerName {
        guard isTemplate else { throw ValueError("\(text.quoted) is not a template", expected: "NAME@") }
        if !instance.isEmpty, let name = try? WorkerName(text + instance) { return name }
        return try WorkerName(text + Escaping.escape(instance))
    }

    /// The name of its file.
    package var fileName: String { text + Self.suffix }
    /// The name of its control group: the prefix keeps it apart from the kernel's files.
    package var groupName: String { "worker-" + text }
    /// The name itself.
    package var description: String { text }

    /// The order of their bytes.
    package static func < (a: WorkerName, b: WorkerName) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    private static func problem(with name: String) -> String? {
        let bytes = name.utf8
        guard let first = bytes.first else { return "it is empty" }
        if bytes.count > maximumLength { return "it is longer than \(maximumLength) bytes" }
        if first == UInt8(ascii: "@") { return "there is nothing before the “@”" }
        if first == .dot { return "it begins with a dot" }
        if !bytes.allSatisfy({ $0.isWord || ":-.\\@".utf8.contains($0) }) {
            return "only ASCII letters, digits and the characters :-_.\\@ are allowed (see `systemd-escape`)"
        }
        if bytes.count(where: { $0 == UInt8(ascii: "@") }) > 1 {
            return "at most one “@” is allowed (\\x40 escapes one)"
        }
        if ControlGroupFiles.contain(name) { return "the kernel has a cgroup file with this name" }
        return nil
    }
}

/// The names of the files that the kernel puts into every control group (cgroups(7)).
private enum ControlGroupFiles {
    private static let controllers = [
        "blkio", "cpu", "cpuacct", "cpuset", "devices", "dmem", "freezer", "hugetlb", "io", "irq", "memory",
        "misc",
        "net_cls", "net_prio", "perf_event", "pids", "rdma",
    ]
    private static let files = [
        "bfq", "cost", "cpus", "current", "effective", "events", "high", "idle", "latency", "local", "low",
        "max",
        "mems", "min", "numa_stat", "oom", "partition", "peak", "pressure", "prio", "reclaim", "stat",
        "state", "swap",
        "uclamp", "usage", "weight", "zswap", "limit_in_bytes", "usage_in_bytes",
    ]

    static func contain(_ name: String) -> Bool {
        if ["tasks", "notify_on_release", "release_agent"].contains(where: name.isExactly) { return true }
        if name.utf8.starts(with: "cgroup.".utf8) { return true }
        let parts = name.split(separator: ".", maxSplits: 2)
        guard parts.count > 1, controllers.contains(String(parts[0])) else { return false }
        return files.contains(String(parts[1]))
    }
}

extension String.UTF8View {
    fileprivate func ends(with text: String) -> Bool {
        reversed().starts(with: text.utf8.reversed())
    }
}
