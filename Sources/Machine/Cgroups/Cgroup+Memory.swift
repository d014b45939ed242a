internal import Glibc
package import Linux

/// What the memory controller of cgroup v2 does for one group (Documentation/admin-guide/cgroup-v2.rst, "Memory").
extension Cgroup {
    /// Its `memory.events`, which inotify(7) tells of changes (IN_MODIFY), at most every 10 ms.
    package var memoryEventsPath: String { file("memory.events") }

    /// Its `memory.pressure`, which is there without the controller too.
    package var pressurePath: String { file("memory.pressure") }

    /// Lets `user` set thresholds of its own there (chown(2)).
    package func givePressureFile(to user: UInt32) throws(LinuxError) {
        try unsafe check(chown(pressurePath, user, gid_t.max), "chown", pressurePath)
    }

    /// Its `memory.events` as they read now; nil without the controller, or when the group is gone.
    package func memoryEventsText() -> String? { try? KernelFile.text(memoryEventsPath) }

    /// Whether the controller has been handed down to it.
    package var hasMemoryController: Bool { unsafe access(file("memory.current"), F_OK) == 0 }

    /// Bytes of it that are in swap, as `memory.swap.current`; nil without the controller or without swap accounting.
    package func memorySwapped() -> Int64? { memoryNumber("memory.swap.current") }

    /// The most memory it may have, as `memory.max`; nil without the controller, and where there is no limit.
    package func memoryMaximum() -> Int64? { memoryNumber("memory.max") }

    /// Above what it is throttled, as `memory.high`; nil without the controller, and where there is no limit.
    package func memoryHigh() -> Int64? { memoryNumber("memory.high") }

    /// The most memory it may have (`memory.max`); nil is as much as there is.
    ///
    /// Where it has more already the kernel reclaims before this returns, and its OOM killer comes when that does not suffice:
    /// not for a loop that must not wait.
    package func setMemoryMaximum(_ bytes: Int64?) throws(LinuxError) {
        try KernelFile.write(bytes.map(String.init) ?? "max", to: file("memory.max"))
    }

    /// Above what its processes are throttled and reclaimed from (`memory.high`); nil is never.
    ///
    /// Where it has more already the kernel reclaims before this returns.
    package func setMemoryHigh(_ bytes: Int64?) throws(LinuxError) {
        try KernelFile.write(bytes.map(String.init) ?? "max", to: file("memory.high"))
    }

    /// Takes up to `bytes` from it (`memory.reclaim`, Linux 5.19), which may take long; false when less could be had.
    package func reclaimMemory(_ bytes: Int64) throws(LinuxError) -> Bool {
        do throws(LinuxError) {
            try KernelFile.write(String(bytes), to: file("memory.reclaim"))
            return true
        } catch {
            guard error.errno == EAGAIN else { throw error }
            return false
        }
    }

    private func memoryNumber(_ name: String) -> Int64? {
        guard let text = try? KernelFile.text(file(name)) else { return nil }
        return Int64(text.prefix { $0 != "\n" })
    }
}
