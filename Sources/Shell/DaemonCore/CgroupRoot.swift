internal import Cgroups
internal import Glibc
internal import Linux

/// The place in the cgroup tree where one daemon's groups are made.
///
/// Below the unit that is there to hold the workers, where there is one; else below a group that systemd has delegated to the daemon,
/// that group itself; elsewhere a group of the daemon's own, named after the runtime directory, so that two daemons on one machine never
/// share a worker's name.
struct CgroupRoot {
    /// Which way workers are frozen, below this place.
    let method: FreezeMethod
    private let own: Cgroup?

    /// The unit that holds the workers, so that they outlive the daemon (systemd/system/torpor-workers.service).
    static let holder = "torpor-workers.service"

    /// Whether workers stay where they are when we leave.
    var outlivesUs: Bool {
        if case .cgroup(let tree) = method { tree.outlivesUs } else { false }
    }

    init(for runtimeDirectory: String) {
        let detected = FreezeMethod.detect(holder: Self.holder)
        // Ignoring a refusal: then no controllers can be handed down, which is told where they are wanted.
        if case .cgroup(let tree) = detected { _ = try? tree.moveIntoLeaf() }
        guard case .cgroup(let tree) = detected, !tree.isDelegated,
            let name = CgroupName("torpor" + runtimeDirectory.map { $0 == "/" ? "-" : String($0) }.joined())
        else {
            method = detected
            own = nil
            return
        }
        let group = tree.base.child(name)
        if !group.exists { _ = try? tree.base.makeChild(name) }
        guard group.exists else {
            method = .signals(reason: "cannot create a cgroup below \(tree.base.path)")
            own = nil
            return
        }
        // The group can hand down only controllers that are enabled above it; where other processes live there, none can be enabled.
        for controller in tree.base.availableControllers().subtracting(tree.base.enabledControllers())
        where [.cpu, .io, .memory, .pids].contains(controller) { try? tree.base.enable(controller) }
        own = group
        method = .cgroup(CgroupTree(base: group, reason: tree.reason))
    }

    /// The groups of workers that are there, whichever process made them.
    func workerGroups() -> [Cgroup] {
        guard case .cgroup(let tree) = method else { return [] }
        return tree.base.children().filter { $0.name.hasPrefix("worker-") }
    }

    /// Removes the daemon's own group; what others have put there stays.
    func remove() {
        try? own?.remove()
    }
}
