internal import Linux

/// The part of the machine's cgroup v2 tree where the supervisor may make groups.
package struct CgroupTree: Hashable, Sendable {
    /// The group below which the workers' groups are made.
    ///
    /// Its limits and weights are set by the manager above.
    package let base: Cgroup
    /// Why groups may be made there, in words.
    package let reason: String
    /// Whether systemd has delegated the base, and no other program's groups are below it.
    package let isDelegated: Bool
    /// Whether the base belongs to a unit of its own, so that what lives below it outlives the supervisor.
    package let outlivesUs: Bool

    /// The part of a tree below `base`.
    package init(base: Cgroup, reason: String, isDelegated: Bool = false, outlivesUs: Bool = false) {
        self.outlivesUs = outlivesUs
        self.base = base
        self.reason = reason
        self.isDelegated = isDelegated
    }

    /// The name of the leaf that the supervisor moves itself into below a delegated group.
    package static let supervisorLeaf = "supervisor"

    /// The name of the leaf in which the process lives that keeps a unit for the workers (systemd/keeper).
    package static let keeperLeaf = "keeper"

    /// The group of worker `name`, below the base; nil when that makes no group's name.
    package func workerGroup(_ name: String) -> Cgroup? {
        CgroupName("worker-\(name)").map(base.child)
    }
}
