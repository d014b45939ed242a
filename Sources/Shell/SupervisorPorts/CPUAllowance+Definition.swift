internal import ConfigurationSyntax
package import WorkerFile

extension CPUAllowance {
    /// What a worker file allows in the background; nil is as much as there is.
    package init?(_ background: WorkerDefinition.Background) {
        guard case .share(let share) = background.cpuLimit else { return nil }
        self.init(permyriad: share.permyriad, window: background.cpuLimitWindow)
    }
}
