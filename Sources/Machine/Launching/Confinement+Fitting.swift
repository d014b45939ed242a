internal import Glibc
internal import Linux

extension Confinement.ResourceLimit {
    /// The nearest limit that a process without CAP_SYS_RESOURCE may set: no part of it above our own hard limit.
    package var fitted: Confinement.ResourceLimit {
        var own = rlimit()
        guard resource >= 0, unsafe getrlimit(__rlimit_resource_t(UInt32(resource)), &own) == 0 else {
            return self
        }
        let most = UInt64(own.rlim_max)
        return .init(resource: resource, soft: min(soft, most), hard: min(hard, most))
    }
}
