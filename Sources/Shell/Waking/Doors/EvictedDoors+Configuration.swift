internal import Idleness
internal import Lifecycle
package import SupervisorPorts

extension EvictedDoors.Settings {
    /// What the definition of a worker says.
    package init(_ configuration: WorkerConfiguration) {
        self.init(
            rules: configuration.wakeRules, handOver: configuration.handOver,
            group: configuration.groupName, user: configuration.owner?.user)
    }
}

extension EvictedDoors.Launch {
    /// How long a launch may take until the worker listens, where nothing limits it.
    private static let longest = TimeSpan.seconds(90)

    /// A launch by the definition of a worker, in this group.
    package init(
        _ configuration: WorkerConfiguration, group: String?, groupID: UInt64?,
        processes: @escaping () -> [Int32]
    ) {
        self.init(
            group: group, groupID: groupID, user: configuration.owner?.user,
            waitsForReady: configuration.policy.readiness == .notify,
            limit: configuration.policy.limits.launch ?? Self.longest, processes: processes)
    }
}
