internal import Lifecycle
internal import Linux
internal import MemoryPressureShell
package import SupervisorPorts
package import WorkerFile

extension WorkerPlan {
    /// What the supervisor has to know of it.
    ///
    /// `shares` gets to know each change of state, where there are controllers.
    package func blueprint(daemon: DaemonDefinition = .init(), shares: StateShares? = nil) -> Blueprint {
        let blueprint = Blueprint(
            name: name, groupName: worker.name.groupName, policy: Policy(definition, daemon: daemon),
            stopSignal: Signal(rawValue: definition.restart.stopSignal.number) ?? .terminate,
            signalTarget: .everyProcess, hasNotifySocket: definition.listensForNotifications,
            prepare: { launch, details throws(LaunchError) in try self.prepare(launch, details) })
        blueprint.takesURL = definition.command?.contains(marker: UInt8(ascii: "u")) ?? false
        blueprint.notifyAccess = definition.effectiveNotifyAccess
        blueprint.hasWorkerSocket = definition.type == .app
        blueprint.readiness = definition.readyWhen
        blueprint.dependencies = Dependencies(definition)
        blueprint.memory = MemoryTerms(definition)
        blueprint.foregroundGroup = definition.foreground.group?.text
        blueprint.owner = identity.credentials.flatMap { StateOwner($0) }
        blueprint.takeHooks(of: definition) { call, environment throws(LaunchError) in
            try self.prepareHook(call, environment)
        }
        blueprint.environment = { launch, details throws(LaunchError) in
            try self.environment(for: launch, details)
        }
        blueprint.relaysOutput = true
        blueprint.reopenOutput = { self.reopenOutput($0) }
        blueprint.releasedDevices = definition.background.release
        blueprint.looksForLocks = definition.background.heldLocks != .ignore
        blueprint.priority = definition.memory.priority
        blueprint.cpuAllowance = CPUAllowance(definition.background)
        blueprint.taskLimit = shares?.taskTerms(of: definition)
        if let shares, shares.isEffective {
            blueprint.stateChanged = { shares.apply($0, to: self) }
        }
        return blueprint
    }
}

extension WorkerDefinition {
    /// Whether it gets a notify socket: where anybody's notifications count, and where a watchdog waits for them.
    var listensForNotifications: Bool {
        type == .notify || type == .app || effectiveNotifyAccess != .none
    }
}
