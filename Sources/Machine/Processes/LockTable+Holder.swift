internal import Glibc
internal import Linux

extension LockTable {
    /// What holds the lock of a file.
    package enum Holder: Hashable, Sendable {
        /// A process of our pid namespace.
        case process(Int32)
        /// An open file, or a process of another pid namespace.
        case other
        /// Nothing does, or there is no such file.
        case nothing
    }

    /// What holds a POSIX lock on the file at `path`, without opening it: nil where the kernel shows no locks.
    package static func holder(of path: String) -> Holder? {
        guard let text = try? KernelFile.text("/proc/locks") else { return nil }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return Holder.nothing }
        return holder(of: (UInt64(status.st_dev), UInt64(status.st_ino)), in: text)
    }

    /// What holds the file of that device and inode, as the text of /proc/locks has it.
    static func holder(of file: (device: UInt64, inode: UInt64), in text: String) -> Holder {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            // Number, kind, ADVISORY, WRITE, pid, file; one that waits has an arrow in the second place.
            guard fields.count >= 6, fields[1] == "POSIX", let pid = Int32(fields[4]),
                isFile(fields[5], file)
            else { continue }
            return pid > 0 ? .process(pid) : .other
        }
        return .nothing
    }

    /// Whether `text`, as `00:1a:567`, is the file of that device and inode.
    private static func isFile(_ text: Substring, _ file: (device: UInt64, inode: UInt64)) -> Bool {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let major = UInt32(parts[0], radix: 16),
            let minor = UInt32(parts[1], radix: 16), let inode = UInt64(parts[2])
        else { return false }
        // As makedev(3) puts the two together.
        let (high, low) = (UInt64(major), UInt64(minor))
        let device = (high & 0xfff) << 8 | (high & ~0xfff) << 32 | low & 0xff | (low & ~0xff) << 12
        return inode == file.inode && device == file.device
    }
}
