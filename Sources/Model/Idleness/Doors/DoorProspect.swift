/// How sockets of workers that were evicted can change hands here, by what was tried (section 5 of the spec's `5-waking`).
package struct DoorProspect: Hashable, Sendable {
    /// What came of moving what waits from one listener to another, by programs of bpf(2).
    package enum Attempt: Hashable, Sendable {
        /// It was moved; whether an epoll instance that waits for the other listener was told of it.
        case moved(isTold: Bool)
        /// EPERM.
        case refused
        /// ENOSYS.
        case missing
        /// Anything else, in words.
        case failed(String)
    }

    package var attempt: Attempt
    /// Whether workers have groups of cgroup v2.
    package var hasGroups: Bool
    /// The capabilities of capabilities(7) that it takes and that are not in effect.
    package var lacking: [String]
    /// Whether a seccomp filter is in force.
    package var isFiltered: Bool

    /// What was found, by its parts.
    package init(attempt: Attempt, hasGroups: Bool, lacking: [String], isFiltered: Bool) {
        (self.attempt, self.hasGroups) = (attempt, hasGroups)
        (self.lacking, self.isFiltered) = (lacking, isFiltered)
    }

    /// Why a worker's socket cannot be made to share its port; nil where it can.
    package var gap: String? { missing?.gap }

    /// Whether a listener has to be told by a connection of ours that it was given some.
    package var needsNudge: Bool { attempt == .moved(isTold: false) }

    /// One line for what there is, and one that mends what there is not.
    package var verdict: (sentence: String, remedy: String?) {
        guard let missing else {
            return (
                "the sockets of evicted workers stay open, and no client is refused while they are launched again (bpf)",
                nil
            )
        }
        return (
            "the sockets of evicted workers stay open, but clients are refused while they are launched again: \(missing.gap)",
            missing.remedy
        )
    }

    private var missing: (gap: String, remedy: String)? {
        let filter = "add SystemCallFilter=bpf to the unit, after its other filters"
        switch attempt {
        case .moved where hasGroups: return nil
        case .moved:
            return (
                "workers have no cgroup of version 2",
                "add Delegate=yes to the unit, or mount cgroup2 at /sys/fs/cgroup"
            )
        case .refused where !lacking.isEmpty:
            let names = lacking.joined(separator: " ")
            return (
                "bpf(2) takes \(lacking.joined(separator: " and "))",
                "run the supervisor as root, with \(names) in CapabilityBoundingSet= of the unit"
            )
        case .refused where isFiltered: return ("a seccomp filter refuses bpf(2)", filter)
        case .refused:
            return ("the kernel refuses bpf(2)", "see bpf(2) and kernel_lockdown(7) for EPERM")
        case .missing where isFiltered: return ("a seccomp filter refuses bpf(2)", filter)
        case .missing:
            return ("the kernel has no bpf(2)", "use a kernel with CONFIG_BPF_SYSCALL and CONFIG_CGROUP_BPF")
        case .failed(let problem): return (problem, "use Linux 5.14 or later")
        }
    }
}
