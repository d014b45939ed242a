internal import CLinux
internal import Glibc

extension ThisProcess {
    /// Whether resource limits may be raised: CAP_SYS_RESOURCE (capabilities(7)) is in effect, number 24.
    package static var mayRaiseLimits: Bool { hasCapability(24) }

    /// Keeps in memory what is mapped now, as far as it has been touched and when it will be, as mlockall(2) with MCL_CURRENT and
    /// MCL_ONFAULT does: the program, its libraries, and what it knows so far.
    ///
    /// A process that must act when memory is short cannot wait for a disk to bring its own code back. What is mapped later is not locked: a
    /// burst of requests would otherwise take memory from all others that even swapping cannot reclaim. Without CAP_IPC_LOCK, number
    /// 14, nothing happens. It ends with exec(2), and children do not inherit it.
    package static func stayInMemory() {
        guard hasCapability(14) else { return }
        _ = mlockall(MCL_CURRENT | Int32(MCL_ONFAULT))
    }

    /// Has large blocks and the end of the heap go back to the kernel as soon as they are free (mallopt(3)): for a process that lives for
    /// months and has a burst now and then.
    package static func returnsMemory() { torpor_return_memory() }

    /// Has all threads allocate from one arena (mallopt(3)): for a process whose threads seldom do so at once.
    package static func sharesArena() { torpor_share_arena() }

    /// Returns the free memory of the heap to the kernel (malloc_trim(3)).
    package static func giveMemoryBack() { torpor_trim_memory() }

    /// Whether a seccomp filter is in force (`Seccomp:` of proc_pid_status(5)).
    package static var isFiltered: Bool {
        (try? KernelFile.text("/proc/self/status"))?.lines.contains {
            $0.hasPrefix("Seccomp:") && $0.hasSuffix("2")
        } ?? false
    }

    package static func hasCapability(_ number: Int) -> Bool {
        guard let text = try? KernelFile.text("/proc/self/status"),
            let line = text.lines.first(where: { $0.hasPrefix("CapEff:") }),
            let set = UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16)
        else { return false }
        return set & 1 << UInt64(number) != 0
    }
}
