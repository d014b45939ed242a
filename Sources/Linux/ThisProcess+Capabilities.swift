internal import Glibc

extension ThisProcess {
    /// Whether resource limits may be raised: CAP_SYS_RESOURCE (capabilities(7)) is in effect, number 24.
    public static var mayRaiseLimits: Bool { hasCapability(24) }

    /// Keeps in memory what we have touched and will touch, as mlockall(2) with MCL_ONFAULT does.
    ///
    /// Who must act when memory is short cannot wait for a disk to bring its own code back. Without CAP_IPC_LOCK, number 14,
    /// nothing happens: within a limit, what is mapped later would be refused. It ends with exec(2), and children do not inherit it.
    public static func stayInMemory() {
        guard hasCapability(14) else { return }
        _ = mlockall(MCL_CURRENT | MCL_FUTURE | Int32(MCL_ONFAULT))
    }

    private static func hasCapability(_ number: Int) -> Bool {
        guard let text = try? KernelFile.text("/proc/self/status"),
            let line = text.lines.first(where: { $0.hasPrefix("CapEff:") }),
            let set = UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16)
        else { return false }
        return set & 1 << UInt64(number) != 0
    }
}
