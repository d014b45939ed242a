package import Cgroups
internal import ConfigurationSyntax
internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import WorkerFile

/// Gives workers their state's share of the machine, by the weights of cgroups(7), where there are controllers, and hands the
/// controllers of memory and of the number of processes down beside those.
///
/// In the foreground and in the background a worker has other weights; asleep it wants nothing. Without controllers nothing
/// is done: the nice level of the worker's file stands.
package final class StateShares: Sendable {
    /// The controllers that the workers' groups have.
    package let controllers: Set<Cgroup.Controller>
    /// Whether these give a worker its whole share, so that nothing of it is left to priorities.
    package let givesAll: Bool
    /// Those that the daemon has enabled for them.
    private let handedDown: Set<Cgroup.Controller>
    /// Why there are none, or not all, in words; nil when there are.
    package let gap: String?
    private let tree: CgroupTree?
    /// How many processes and threads there can be in the workers' groups together; nil where those have no pids controller.
    private let mostTasks: UInt64?

    /// Hands the controllers of CPU, IO, memory and processes down to the workers' groups, as far as the daemon may.
    ///
    /// The daemon must not live in the group above them for that: ``CgroupTree/moveIntoLeaf(process:)`` comes before.
    package init(_ method: FreezeMethod) {
        guard case .cgroup(let tree) = method else {
            self.tree = nil
            mostTasks = nil
            controllers = []
            givesAll = false
            handedDown = []
            gap = "no usable cgroup v2 tree"
            return
        }
        self.tree = tree
        let wanted: Set<Cgroup.Controller> = [.cpu, .io, .memory]
        let available = tree.base.availableControllers()
        // One by one: the kernel takes all of a line or nothing.
        var reason: String?
        let before = tree.base.enabledControllers()
        for controller in wanted.intersection(available).subtracting(before) {
            do throws(LinuxError) { try tree.base.enable(controller) } catch { reason = error.description }
        }
        // What is missing of memory is told with what does without it; of this one, doctor tells.
        if available.contains(.pids), !before.contains(.pids) { try? tree.base.enable(.pids) }
        let enabled = tree.base.enabledControllers()
        controllers = wanted.union([.pids]).intersection(enabled)
        givesAll = controllers.isSuperset(of: [.cpu, .io])
        mostTasks = enabled.contains(.pids) ? tree.base.mostTasks : nil
        handedDown = controllers.subtracting(before)
        let missing = wanted.subtracting(controllers).map(\.rawValue).sorted().joined(separator: " and ")
        gap = missing.isEmpty ? nil : reason ?? "controllers not available in \(tree.base.path): \(missing)"
    }

    /// Takes back what was handed down, so that the next program finds the group as it was; while workers live, they keep it.
    package func withdraw() {
        guard let tree, !tree.base.children().contains(where: \.isWorkers) else { return }
        // Ignoring failures: the group may be gone.
        for controller in handedDown { try? tree.base.disable(controller) }
    }

    /// Whether there is anything to write.
    package var isEffective: Bool { !controllers.isDisjoint(with: [.cpu, .io]) }

    /// How many processes and threads a worker may have by its definition; nil where nothing sees to that.
    func taskSettings(of definition: WorkerDefinition) -> TaskSettings? {
        mostTasks.map { TaskSettings(maximum: definition.execution.tasksMax.count(of: $0)) }
    }

    /// Writes the limit of a worker whose definition has changed.
    package func limitTasks(of plan: LaunchPlan) {
        guard let tree, let terms = taskSettings(of: plan.definition),
            let name = CgroupName(plan.worker.name.groupName)
        else { return }
        // Ignoring a failure: a worker that does not run has no group, and gets the limit with its next one.
        try? tree.base.child(name).setTaskMaximum(terms.maximum)
    }

    /// Writes the weights that go with a change of state, where they differ from those before.
    ///
    /// A few bytes to a file of the kernel's; a group that is gone by now is ignored.
    func apply(_ transition: Transition, to plan: LaunchPlan) {
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

extension Cgroup {
    /// Whether it is the group of a worker.
    fileprivate var isWorkers: Bool { name.hasPrefix("worker-") }
}
