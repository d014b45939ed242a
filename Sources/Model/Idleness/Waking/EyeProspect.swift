package import Lifecycle

/// How the sleepers of this supervisor can be watched, by what was tried (section 2 of the spec's `5-waking`).
package struct EyeProspect: Hashable, Sendable {
    /// What came of duplicating a descriptor of a child.
    package enum Attempt: Hashable, Sendable {
        case granted
        /// EPERM.
        case refused
        /// ENOSYS.
        case missing
        /// Anything else, in words.
        case failed(String)
    }

    package var attempt: Attempt
    /// The system call that answered so: pidfd_getfd(2), or pidfd_open(2) before it.
    package var call: String
    /// Whether sock_diag(7) answers.
    package var canList: Bool
    package var isRoot: Bool
    /// Whether CAP_SYS_PTRACE is in effect.
    package var mayTrace: Bool
    /// `kernel.yama.ptrace_scope`; nil where the kernel has no Yama.
    package var scope: Int?
    /// Whether a seccomp filter is in force.
    package var isFiltered: Bool
    /// How often sockets are sampled.
    package var interval: TimeSpan

    /// What was found, by its parts.
    package init(
        attempt: Attempt, call: String = "pidfd_getfd", canList: Bool, isRoot: Bool, mayTrace: Bool,
        scope: Int?, isFiltered: Bool,
        interval: TimeSpan
    ) {
        self.attempt = attempt
        self.call = call
        self.canList = canList
        self.isRoot = isRoot
        self.mayTrace = mayTrace
        self.scope = scope
        self.isFiltered = isFiltered
        self.interval = interval
    }

    /// One line for what there is, and one that mends what there is not.
    package struct Verdict: Hashable, Sendable {
        package let sentence: String
        /// Nil where nothing is missing.
        package let remedy: String?
    }

    private static let atOnce = "workers wake at once by their own sockets (pidfd_getfd)"
    private var sampled: String {
        canList ? "sampled every \(interval.microseconds / 1000) ms" : "not watched"
    }

    /// What can be done, and what would mend the rest.
    package var verdict: Verdict {
        switch attempt {
        case .granted: granted
        case .missing where !isFiltered:
            lacking("the kernel has no \(call)", "use Linux 5.6 or later")
        case .failed(let problem):
            lacking("\(call) fails: \(problem)", "see \(call)(2) for this error")
        case .refused where scope == 3:
            lacking(
                "kernel.yama.ptrace_scope=3 refuses pidfd_getfd to every process",
                "set kernel.yama.ptrace_scope=1 in sysctl.d and reboot: 3 cannot be lowered")
        case .refused where (scope ?? 0) == 2 && !mayTrace:
            lacking(
                "kernel.yama.ptrace_scope=2",
                "sysctl kernel.yama.ptrace_scope=1, or run the supervisor as root with CAP_SYS_PTRACE")
        case .refused where isFiltered, .missing:
            lacking(
                "a seccomp filter refuses \(call)",
                call == "pidfd_getfd"
                    ? "add SystemCallFilter=pidfd_getfd to the unit, after ~@debug, or start the container with --cap-add SYS_PTRACE"
                    : "add SystemCallFilter=\(call) to the unit, after its other filters")
        case .refused:
            lacking(
                "the kernel refuses pidfd_getfd", "run the supervisor with CAP_SYS_PTRACE")
        }
    }

    private var granted: Verdict {
        if mayTrace { return Verdict(sentence: Self.atOnce, remedy: nil) }
        if isRoot {
            return Verdict(
                sentence: "\(Self.atOnce), but those of other users are \(sampled): no CAP_SYS_PTRACE",
                remedy: "add CAP_SYS_PTRACE to CapabilityBoundingSet= of the unit")
        }
        let others = "those that changed their user or capabilities are \(sampled)"
        if scope == 1 {
            return Verdict(
                sentence:
                    "\(Self.atOnce); adopted ones (kernel.yama.ptrace_scope=1) and \(others)", remedy: nil)
        }
        return Verdict(sentence: "\(Self.atOnce); \(others)", remedy: nil)
    }

    private func lacking(_ why: String, _ remedy: String) -> Verdict {
        Verdict(
            sentence: canList
                ? "sockets of suspended workers are \(sampled): \(why)"
                : "no socket wakes a suspended worker: \(why), and sock_diag does not answer",
            remedy: remedy)
    }
}
