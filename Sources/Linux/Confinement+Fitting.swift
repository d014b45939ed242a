internal import Glibc

extension Confinement.ResourceLimit {
    /// The nearest limit that a process without CAP_SYS_RESOURCE may set: no part of it above our own hard limit.
    public var fitted: Confinement.ResourceLimit {
        var own = rlimit()
        guard resource >= 0, unsafe getrlimit(__rlimit_resource_t(UInt32(resource)), &own) == 0 else {
            return self
        }
        let most = UInt64(own.rlim_max)
        return .init(resource: resource, soft: min(soft, most), hard: min(hard, most))
    }
}

extension ThisProcess {
    /// Whether resource limits may be raised: CAP_SYS_RESOURCE (capabilities(7)) is in effect, number 24.
    public static var mayRaiseLimits: Bool { hasCapability(24) }

    private static func hasCapability(_ number: Int) -> Bool {
        guard let text = try? KernelFile.text("/proc/self/status"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
            let set = UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16)
        else { return false }
        return set & 1 << UInt64(number) != 0
    }
}
