internal import Glibc
internal import Synchronization

/// Many descriptors for this process, and the usual number for its children: a program that uses select(2) fails beyond 1024.
extension ThisProcess {
    /// The soft limit that this process began with; 0 where it has kept that.
    private static let initialLimit = Atomic<UInt64>(0)

    /// Has this process open as many descriptors as its hard limit allows; where it may not, it keeps the limit that it has.
    package static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < limit.rlim_max
        else { return }
        let initial = UInt64(limit.rlim_cur)
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        initialLimit.store(initial, ordering: .relaxed)
    }

    /// Goes back to the limit that this process began with, for the program that takes its place.
    static func restoreDescriptorLimit() {
        guard let initial = initialDescriptorLimit else { return }
        var limit = rlimit(rlim_cur: rlim_t(initial.soft), rlim_max: rlim_t(initial.hard))
        // Ignoring a failure: lower is always allowed.
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        initialLimit.store(0, ordering: .relaxed)
    }

    /// What children are to have, soft and hard (RLIMIT_NOFILE, setrlimit(2)); nil where this process has raised nothing, and they
    /// inherit it.
    package static var initialDescriptorLimit: (soft: UInt64, hard: UInt64)? {
        let soft = initialLimit.load(ordering: .relaxed)
        var limit = rlimit()
        guard soft > 0, unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return (soft, UInt64(limit.rlim_max))
    }
}
