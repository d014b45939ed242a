package import Cgroups
internal import ConfigurationSyntax
internal import Linux
package import Pressure
internal import WorkerFile

/// What of the kernel's memory accounting can be used here, found out once, with words for people (`torpor status`).
package struct MemoryCapabilities: Hashable, Sendable {
    /// Which of the four kinds of capabilities these are.
    package let support: PressureSupport
    /// The group that all our workers are in; nil where there is none.
    package let subtree: Cgroup?
    /// The groups whose limits also apply to the supervisor: a container's, a slice's.
    package let bounds: [MemoryBound]
    /// What is used, and what is missing and why, in one sentence.
    package let sentence: String

    /// Looks at the machine, for workers that are put to sleep by `method`.
    ///
    /// To be called after controllers have been handed down; `gap` is why the memory controller was not.
    package init(_ method: FreezeMethod, gap: String? = nil) {
        let tree: CgroupTree? = if case .cgroup(let tree) = method { tree } else { nil }
        let hasController = tree?.base.enabledControllers().contains(.memory) ?? false
        self.init(
            base: tree?.base, hasController: hasController,
            machine: PressureFile.machine.text(), group: tree.flatMap { PressureFile(of: $0.base).text() },
            isLegacy: LegacyMemory.mountPoint() != nil, gap: gap, bounds: MemoryBound.all(above: tree?.base))
    }

    /// The same by what was found: the texts are those of the machine's and of the group's pressure file.
    init(
        base: Cgroup?, hasController: Bool, machine: String?, group: String?, isLegacy: Bool, gap: String?,
        bounds: [MemoryBound] = []
    ) {
        subtree = base
        self.bounds = bounds
        let narrowest =
            bounds.narrowest.map { bound, limit in
                let size = ByteSize(bytes: UInt64(limit)).written
                return "; at most \(size) is available, because of the limit of \(bound.path)"
            } ?? ""
        guard machine.flatMap({ PressureStall(parsing: $0) }) != nil else {
            support = .none
            sentence =
                "the kernel does not report memory pressure (boot with psi=1): using available memory instead"
                + (hasController ? "; limits and statistics of each worker are available" : "") + narrowest
            return
        }
        guard let base else {
            support = .machine
            sentence =
                "pressure of the system only (/proc/pressure/memory): no usable cgroup v2 tree"
                + narrowest
            return
        }
        let hasGroups = group.flatMap { PressureStall(parsing: $0) } != nil
        if hasController {
            support = .unified
            sentence =
                "pressure, limits and statistics of each worker below \(base.path)"
                + (hasGroups ? "" : ", but pressure of the system only") + narrowest
        } else {
            support = hasGroups ? .hybrid : .machine
            let reason = isLegacy ? "the memory controller is on cgroup v1" : gap ?? "no memory controller"
            sentence =
                (hasGroups ? "pressure of each worker below \(base.path)" : "pressure of the system only")
                + "; no limits, statistics by process: \(reason)" + narrowest
        }
    }
}
