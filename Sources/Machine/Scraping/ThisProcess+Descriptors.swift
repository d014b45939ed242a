internal import Glibc
package import Linux

extension ThisProcess {
    /// How many descriptors this process has open; nil where /proc does not tell (proc(5)).
    ///
    /// Since Linux 6.2 that is the size of the directory; before, its entries are counted.
    package static func openDescriptors() -> Int? {
        var status = stat()
        if unsafe stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
        guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(directory) }
        // Without `.`, `..` and the directory's own.
        var count = -3
        while unsafe readdir(directory) != nil { count += 1 }
        return count
    }
}
