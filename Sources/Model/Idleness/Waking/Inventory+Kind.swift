extension Inventory.Kind {
    /// The kind of a descriptor by the text of its link in `/proc/PID/fd` (proc_pid_fd(5)).
    ///
    /// A path is `.other`: whether a FIFO is there, only its status tells.
    package init(link: String) {
        if let inode = Self.inode(of: link, "socket:[") {
            self = .socket(inode: inode)
        } else if let inode = Self.inode(of: link, "pipe:[") {
            self = .pipe(inode: inode)
        } else {
            self = Self.anonymous[link] ?? .other
        }
    }

    /// What has no file, by the names that the kernel gives it.
    private static let anonymous: [String: Self] = [
        "anon_inode:[eventpoll]": .eventPoll, "anon_inode:[eventfd]": .eventCounter,
        "anon_inode:[timerfd]": .timer, "anon_inode:[signalfd]": .signals, "anon_inode:inotify": .inotify,
        "anon_inode:[pidfd]": .pidfd, "anon_inode:[io_uring]": .ioUring,
    ]

    /// The number between `start` and a bracket at the end.
    private static func inode(of link: String, _ start: String) -> UInt64? {
        guard link.hasPrefix(start), link.hasSuffix("]") else { return nil }
        let digits = link.utf8.dropFirst(start.utf8.count).dropLast()
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(Substring(digits))
    }
}
