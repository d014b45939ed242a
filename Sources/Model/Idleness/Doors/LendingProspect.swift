/// Whether workers can be given sockets where they bind theirs, by what was tried (seccomp_unotify(2)).
package struct LendingProspect: Hashable, Sendable {
    /// What came of having bind(2) told to the supervisor.
    package enum Attempt: Hashable, Sendable {
        /// It is told; whether that took no_new_privs, for lack of CAP_SYS_ADMIN.
        case told(losesPrivileges: Bool)
        /// EPERM or EACCES.
        case refused
        /// ENOSYS or EINVAL.
        case missing
        /// EBUSY.
        case taken
        /// Anything else, in words.
        case failed(String)
    }

    package var attempt: Attempt
    /// Whether a seccomp filter is in force.
    package var isFiltered: Bool

    /// What was found, by its parts.
    package init(_ attempt: Attempt, isFiltered: Bool) {
        (self.attempt, self.isFiltered) = (attempt, isFiltered)
    }

    /// Why a worker cannot be given a socket; nil where it can.
    package var gap: String? { missing?.gap }

    /// One line for what there is, and one that mends what there is not.
    package var verdict: (sentence: String, remedy: String?) {
        guard let missing else {
            let cost = attempt == .told(losesPrivileges: true) ? ", and get no_new_privs by it" : ""
            return (
                "workers with HandOver=handover are given their sockets where they bind them (seccomp)\(cost)",
                nil
            )
        }
        return ("HandOver=handover is taken for auto: \(missing.gap)", missing.remedy)
    }

    private var missing: (gap: String, remedy: String)? {
        let filter = "add SystemCallFilter=seccomp to the unit, after its other filters"
        switch attempt {
        case .told: return nil
        case .refused where isFiltered, .missing where isFiltered:
            return ("a seccomp filter refuses seccomp(2)", filter)
        case .refused: return ("the kernel refuses seccomp(2)", "see seccomp(2) for EACCES and EPERM")
        case .missing:
            return (
                "the kernel tells no supervisor of system calls (seccomp_unotify(2))",
                "use Linux 5.9 or later, with CONFIG_SECCOMP_FILTER"
            )
        case .taken:
            return (
                "another supervisor is told of system calls here (seccomp_unotify(2), EBUSY)",
                "run torpord outside of the container whose system calls are watched"
            )
        case .failed(let problem): return (problem, "see seccomp_unotify(2)")
        }
    }
}
