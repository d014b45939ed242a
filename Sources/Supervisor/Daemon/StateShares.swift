internal import Lifecycle
public import Linux
internal import WorkerFile

/// Gives workers their state's share of the machine, by the weights of cgroups(7), where there are controllers.
///
/// In the foreground and in the background a worker has other weights; asleep it wants nothing. Without controllers nothing
/// is done: the nice level of the worker's file stands.
public final class StateShares: Sendable {
    /// The controllers that weights are written for.
    public let controllers: Set<Cgroup.Controller>
    /// Why there are none, or not all, in words; nil when there are.
    public let gap: String?
    private let tree: CgroupTree?

    /// Hands the CPU and IO controllers down to the workers' groups, as far as they are ours to hand down.
    public init(_ method: FreezeMethod) {
        guard case .cgroup(let tree) = method else {
            self.tree = nil
            controllers = []
            gap = "there is no cgroup v2 tree of ours"
            return
        }
        self.tree = tree
        let wanted: Set<Cgroup.Controller> = [.cpu, .io]
        let available = tree.base.availableControllers()
        // One by one: the kernel takes all of a line or nothing.
        var reason: String?
        for controller in wanted.intersection(available).subtracting(tree.base.enabledControllers()) {
            do throws(LinuxError) { try tree.base.enable(controller) } catch { reason = error.description }
        }
        controllers = wanted.intersection(tree.base.enabledControllers())
        let missing = wanted.subtracting(controllers).map(\.rawValue).sorted().joined(separator: " and ")
        gap = missing.isEmpty ? nil : reason ?? "\(tree.base.path) has no controller \(missing)"
    }

    /// Whether there is anything to write.
    public var isEffective: Bool { !controllers.isEmpty }

    /// Writes the weights that go with a change of state, where they differ from those before.
    ///
    /// A few bytes to a file of the kernel's; a group that is gone by now is nobody's loss.
    func apply(_ transition: Transition, to plan: WorkerPlan) {
        guard let tree, let name = CgroupName(plan.worker.name.groupName), transition.to.isRunning else {
            return
        }
        let now = plan.definition.weights(inForeground: transition.to.isForeground)
        // A new group has the kernel's weights.
        let before: (cpu: CPUWeight, io: Int) =
            transition.from.isRunning
            ? plan.definition.weights(inForeground: transition.from.isForeground) : (.weight(100), 100)
        let group = tree.base.child(name)
        if controllers.contains(.cpu), now.cpu != before.cpu {
            switch now.cpu {
            case .weight(let weight): try? group.setCPUWeight(weight)
            case .idle: try? group.setCPUIdle()
            }
        }
        if controllers.contains(.io), now.io != before.io { try? group.setIOWeight(now.io) }
    }
}
