internal import ConfigurationSyntax
internal import Launching
internal import Lifecycle
internal import Linux
internal import MemoryPressureShell
internal import Relaying
package import SupervisorPorts
package import WorkerFile

extension LaunchPlan {
    /// What the supervisor has to know of it.
    ///
    /// `shares` gets to know each change of state, where there are controllers.
    package func configuration(daemon: DaemonDefinition = .init(), shares: StateShares? = nil)
        -> WorkerConfiguration
    {
        let configuration = WorkerConfiguration(
            name: name, groupName: worker.name.groupName, policy: Policy(definition, daemon: daemon),
            stopSignal: Signal(rawValue: definition.restart.stopSignal.number) ?? .terminate,
            signalTarget: .everyProcess, hasNotifySocket: definition.listensForNotifications,
            prepare: { launch, details throws(LaunchError) in try self.prepare(launch, details) })
        let limits = configuration.policy.limits
        // What the main process leaves has the time of a stop, as with systemd.service(5).
        configuration.leftoverGrace =
            (limits.stop == .zero ? limits.terminate : limits.stop) ?? WorkerConfiguration.endless
        configuration.takesURL = definition.command?.contains(marker: UInt8(ascii: "u")) ?? false
        configuration.notifyAccess = definition.effectiveNotifyAccess
        configuration.hasWorkerSocket = definition.type == .app
        configuration.readiness = definition.readyWhen
        configuration.dependencies = Dependencies(definition)
        configuration.memory = MemorySettings(definition)
        configuration.transfers = TransferSettings(definition)
        configuration.prepareTransfer = { call throws(LaunchError) in try self.prepareTransfer(call) }
        configuration.foregroundGroup = definition.foreground.group?.text
        configuration.useRules = definition.foreground.useRules
        configuration.wakeRules = definition.foreground.wakeRules
        configuration.held.sockets = heldSockets
        configuration.held.name = definition.foreground.descriptorName?.text ?? name
        configuration.held.storeLimit = definition.execution.descriptorStoreMax
        configuration.held.isForwarded = definition.foreground.relaying.target != nil
        configuration.relay = RelayTerms(definition)
        configuration.holdsSockets = definition.memory.holdsSockets
        configuration.handOver = definition.memory.handOver
        configuration.owner = identity.credentials.flatMap { StateOwner($0) }
        configuration.takeHooks(of: definition) { call, environment throws(LaunchError) in
            try self.prepareHook(call, environment)
        }
        configuration.environment = { launch, details throws(LaunchError) in
            try self.environmentOfCommands(for: launch, details)
        }
        configuration.relaysOutput = true
        configuration.reopenOutput = { self.reopenOutput($0) }
        configuration.releasedDevices = definition.background.release
        configuration.awaitsFirstUnlock = definition.awaitsFirstUnlock
        configuration.wakeAllowance = definition.background.wakeBudget
        configuration.looksForLocks = definition.background.heldLocks != .ignore
        configuration.mustHoldNoLock = definition.background.heldLocks == .kill
        configuration.priority = definition.memory.priority
        configuration.cpuAllowance = CPUAllowance(definition.background)
        configuration.taskLimit = shares?.taskSettings(of: definition)
        if let shares, shares.isEffective {
            configuration.stateChanged = { shares.apply($0, to: self) }
        }
        return configuration
    }
}

extension WorkerDefinition {
    /// Whether it gets a notify socket: where notify messages are accepted, and where a watchdog waits for them.
    var listensForNotifications: Bool {
        type == .notify || type == .app || effectiveNotifyAccess != .none
    }
}

extension TransferSettings {
    /// What `[Background]` of a worker's file says.
    init(_ definition: WorkerDefinition) {
        self.init()
        let background = definition.background
        wakes = background.modes.contains(.transfer)
        most = background.transfersMax
        limit = background.transferLimit.span
        memoryMaximum = MemorySettings.bytes(background.transferMemoryMax)
        fileSizeMaximum = background.transferFileSizeMax?.bytes
    }
}

extension RelayTerms {
    /// What `[Foreground]` of a worker's file says.
    init(_ definition: WorkerDefinition) {
        self.init()
        let relaying = definition.foreground.relaying
        target = relaying.target?.relayTarget
        header = relaying.header.header
        limit = UInt32(clamping: relaying.limit)
        pageAfter = relaying.placeholderAfter.microseconds
        description = definition.description?.text ?? ""
        switch relaying.placeholder {
        case .no: page = .none
        case .builtIn: page = .builtIn
        case .file(let path): page = .file(path.text)
        }
    }
}
