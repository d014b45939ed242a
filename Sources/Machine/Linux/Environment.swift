internal import CLinux

/// The variables of a process, `NAME=value` in order, as in environ(7).
package struct Environment: Hashable, Sendable {
    /// The entries in order.
    ///
    /// One without `=` is carried along and names nothing.
    package private(set) var entries: [ByteString]

    /// An environment of these entries; the first of a name counts, as in getenv(3).
    package init(entries: [ByteString] = []) {
        self.entries = entries
    }

    /// This process's own environment as it is now.
    ///
    /// Call it before other threads might change it: environ(7) has no lock.
    package static var current: Environment {
        var entries: [ByteString] = []
        guard var next = unsafe torpor_environment() else { return Environment() }
        while let entry = unsafe next.pointee {
            unsafe entries.append(ByteString(cString: entry))
            unsafe next += 1
        }
        return Environment(entries: entries)
    }

    /// What process `pid` was started with; nil when it is gone, or may not be read (proc_pid_environ(5)).
    package static func of(process pid: Int32) -> Environment? {
        guard let bytes = try? KernelFile.read("/proc/\(pid)/environ", limit: 4 << 20) else { return nil }
        return Environment(entries: bytes.split(separator: 0).map { ByteString(Array($0)) })
    }

    /// The value of variable `name`; setting nil removes it, and setting a value leaves exactly one entry of it.
    package subscript(name: String) -> ByteString? {
        get {
            let key = Self.key(name)
            guard let entry = entries.first(where: { $0.bytes.starts(with: key) }) else { return nil }
            return ByteString(Array(entry.bytes.dropFirst(key.count)))
        }
        set {
            let key = Self.key(name)
            let place = entries.firstIndex { $0.bytes.starts(with: key) } ?? entries.count
            entries.removeAll { $0.bytes.starts(with: key) }
            if let newValue { entries.insert(ByteString(key + newValue.bytes), at: place) }
        }
    }

    /// Sets variables as the subscript does, one after the other, in time that grows with how many there are and no faster.
    package mutating func set(_ variables: some Sequence<(name: String, value: ByteString)>) {
        var values: [ArraySlice<UInt8>: ByteString] = [:]
        var order: [ArraySlice<UInt8>] = []
        for (name, value) in variables {
            let key = Self.key(name)
            if values.updateValue(ByteString(key + value.bytes), forKey: key[...]) == nil {
                order.append(key[...])
            }
        }
        guard !values.isEmpty else { return }
        var result: [ByteString] = []
        result.reserveCapacity(entries.count + values.count)
        var placed: Set<ArraySlice<UInt8>> = []
        for entry in entries {
            guard let equals = entry.bytes.firstIndex(of: UInt8(ascii: "=")),
                let value = values[entry.bytes[...equals]]
            else {
                result.append(entry)
                continue
            }
            if placed.insert(entry.bytes[...equals]).inserted { result.append(value) }
        }
        for key in order where !placed.contains(key) {
            if let value = values[key] { result.append(value) }
        }
        entries = result
    }

    /// This environment without what was meant for the supervisor itself.
    ///
    /// INVOCATION_ID and JOURNAL_STREAM stay: the worker belongs to the same invocation, and where it inherits stderr
    /// it may ask whether that is the journal (sd-daemon(3), systemd.exec(5)).
    package func scrubbed() -> Environment {
        Environment(entries: entries.filter { !Self.isOurs(variable: $0) })
    }

    private static func key(_ name: String) -> [UInt8] { Array(name.utf8) + [UInt8(ascii: "=")] }

    private static func isOurs(variable entry: ByteString) -> Bool {
        let name = entry.bytes.prefix { $0 != UInt8(ascii: "=") }
        return name.starts(with: "TORPOR_".utf8)
            || supervisorsOwn.contains { $0.utf8.elementsEqual(name) }
    }

    /// What systemd tells the main process of a unit, and only it.
    private static let supervisorsOwn = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID",
        "LISTEN_FDNAMES", "FDSTORE", "MAINPID", "MANAGERPID", "MANAGERPIDFDID", "SYSTEMD_EXEC_PID",
        "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
    ]
}
