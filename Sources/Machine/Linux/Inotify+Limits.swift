extension Inotify {
    /// One of the bounds that each user has (inotify(7), "/proc interfaces").
    package enum Limit: String, Sendable {
        /// How many files and directories may be watched.
        case watches = "max_user_watches"
        /// How many descriptors there may be.
        case instances = "max_user_instances"
    }

    /// A bound as it is now; nil where it cannot be read.
    package static func value(of limit: Limit) -> Int? {
        guard let text = try? KernelFile.text("/proc/sys/fs/inotify/\(limit.rawValue)") else { return nil }
        return Int(text.prefix { $0.isNumber })
    }
}
