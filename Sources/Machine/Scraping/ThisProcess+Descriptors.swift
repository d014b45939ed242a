internal import Glibc
package import Linux

extension ThisProcess {
    /// How many descriptors this process has open; nil where /proc does not tell (proc(5)).
    package static func openDescriptors() -> Int? {
        guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(directory) }
        // Without `.`, `..` and the directory's own.
        var count = -3
        while unsafe readdir(directory) != nil { count += 1 }
        return count
    }
}
