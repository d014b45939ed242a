internal import Glibc
internal import Linux

/// A lock that a process holds on a regular file, whether another process waits for it or not.
///
/// Of every kind: flock(2), POSIX (fcntl(2)) and open file description locks, which /proc/locks tells of without the process.
package struct HeldFileLock: Hashable, Sendable {
    /// What /proc/locks has of it.
    package let lock: LockTable.Lock
    /// The file.
    package let path: String
    /// The process.
    package let pid: Int32

    /// The first one that one of `processes` holds; nil where none does, or none may be looked at.
    ///
    /// It reads a file for each of their descriptors: not for the loop.
    package static func first(of processes: [Int32]) -> HeldFileLock? {
        for pid in processes {
            for name in Directory.entries(of: "/proc/\(pid)/fdinfo") {
                // Ignoring a failure: the descriptor was closed meanwhile.
                guard let text = try? KernelFile.text("/proc/\(pid)/fdinfo/\(name)"),
                    let lock = locks(in: text).first, let path = regularFile("/proc/\(pid)/fd/\(name)")
                else { continue }
                return HeldFileLock(lock: lock, path: path, pid: pid)
            }
        }
        return nil
    }

    /// All that `processes` hold.
    ///
    /// It reads as much as ``first(of:)``.
    package static func all(of processes: [Int32]) -> [HeldFileLock] {
        var found: [HeldFileLock] = []
        for pid in processes {
            for name in Directory.entries(of: "/proc/\(pid)/fdinfo") {
                // Ignoring a failure: the descriptor was closed meanwhile.
                guard let text = try? KernelFile.text("/proc/\(pid)/fdinfo/\(name)") else { continue }
                let locks = locks(in: text)
                guard !locks.isEmpty, let path = regularFile("/proc/\(pid)/fd/\(name)") else { continue }
                found += locks.map { HeldFileLock(lock: $0, path: path, pid: pid) }
            }
        }
        return found
    }

    /// The locks of a descriptor, as proc_pid_fdinfo(5) has them: `lock: 1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF`.
    static func locks(in text: String) -> [LockTable.Lock] {
        text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("lock:") else { return nil }
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard let lock = LockTable.Lock(fields.dropFirst(2)), kinds.contains(lock.kind) else {
                return nil
            }
            return lock
        }
    }

    /// A lease and a delegation are none: the kernel takes them back by itself.
    private static let kinds: Set<String> = ["FLOCK", "POSIX", "OFDLCK"]

    /// The path that a descriptor was opened by; nil where it is no regular file.
    private static func regularFile(_ link: String) -> String? {
        var status = stat()
        guard unsafe stat(link, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(link, &target, target.count)
        guard length > 0 else { return nil }
        return OpenFiles.path(of: target.prefix(length).map(UInt8.init(bitPattern:)))
    }
}
