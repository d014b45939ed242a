internal import Pressure

/// What has been done about memory since the daemon began.
package struct PressureTally: Hashable, Sendable {
    /// Warnings that were told.
    package var warnings: Int64 = 0
    /// Victims whose memory came back.
    package var evictions: Int64 = 0
    /// What they held, in bytes.
    package var freedByKill: Int64 = 0
    /// What was reclaimed from sleeping workers, in bytes.
    package var freedByReclaim: Int64 = 0
    /// Processes that the kernel's OOM killer ended.
    package var kernelKills: Int64 = 0

    mutating func count(_ effect: PressureEffect) {
        switch effect {
        case .warn(let warning): warnings += warning.level == .normal ? 0 : 1
        case .report(.broughtBack(let victim, _)):
            evictions += 1
            freedByKill = freedByKill &+ victim.benefit
        case .report(.killedByKernel(_, let processes)): kernelKills += processes
        case .report, .sample, .look, .lookAtLimits, .evict, .arm, .disarm, .levelChanged: break
        }
    }
}
