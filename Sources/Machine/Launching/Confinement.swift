internal import Linux

/// How much of the machine a child may have: limits, scheduling and privileges, each inherited where not set.
package struct Confinement: Hashable, Sendable {
    /// The mask of permissions that new files do not get, as umask(2).
    package var umask: UInt32?
    /// Resource limits, set in order as setrlimit(2) does.
    package var limits: [ResourceLimit] = []
    /// The nice value from -20 to 19, as setpriority(2).
    package var nice: Int32?
    /// Class and level as ioprio_set(2) packs them: the class in bits 13 and up.
    package var ioPriority: Int32?
    /// From -1000 (never) to 1000 (first), as proc_pid_oom_score_adj(5).
    package var oomScoreAdjustment: Int32?
    /// Whether execve(2) can never again add privileges, as PR_SET_NO_NEW_PRIVS(2const).
    package var noNewPrivileges = false

    /// A child that has what we have.
    package init() {}

    /// One limit of setrlimit(2).
    package struct ResourceLimit: Hashable, Sendable {
        /// RLIMIT_* as sys/resource.h numbers it.
        package let resource: Int32
        /// What is enforced now; `UInt64.max` for no limit.
        package let soft: UInt64
        /// What the child itself may raise it to.
        package let hard: UInt64

        /// A limit of `resource`.
        package init(resource: Int32, soft: UInt64, hard: UInt64) {
            self.resource = resource
            self.soft = soft
            self.hard = hard
        }
    }
}
