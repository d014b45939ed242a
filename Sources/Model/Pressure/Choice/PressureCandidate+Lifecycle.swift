package import Lifecycle

extension PressureCandidate {
    /// A worker as its model stands; nil without a process.
    ///
    /// `wasUsed` is whether its present process has been active, `since` when it entered its state, `hearsBytes` whether it hears
    /// by systemd's protocol, `hearsLevels` whether what takes its callback is told the level, `limit` its `MemoryMax=`.
    package init?(
        _ life: WorkerLifecycle, name: String, priority: Int, lastActive: Instant?, wasUsed: Bool,
        since: Instant? = nil, memory: WorkerMemory, limit: Int64? = nil, hearsBytes: Bool = false,
        hearsLevels: Bool = true, isUnconnected: Bool = false, keepsDoors: Bool = false
    ) {
        guard life.pid != nil, let band = PressureBand(life) else { return nil }
        let hearsCallback = life.receivedCallbacks.contains(.didReceiveMemoryWarning)
        self.init(
            name: name, band: band, isPrelaunched: !wasUsed && life.currentLaunch?.reason == .prelaunch,
            evictable: life.policy.evictable == .no ? .no : life.isSilentEvictable ? .silent : .graceful,
            priority: priority, lastActive: lastActive,
            asleepSince: band == .suspended ? since : nil, memory: memory, limit: limit,
            isEnding: life.isEnding,
            hearsWarnings: hearsBytes || hearsCallback,
            hearsLevels: hearsCallback && hearsLevels, isUnconnected: isUnconnected, keepsDoors: keepsDoors)
    }
}

extension PressureBand {
    /// Where a worker stands; nil where it does not run.
    package init?(_ life: WorkerLifecycle) {
        switch life.state {
        case .notRunning: return nil
        case .suspended: self = .suspended
        case .inactive: self = .inactive
        case .active: self = .active
        case .background:
            let work = life.backgroundWork
            let isStored =
                life.isKeptAwake || life.policy.runsContinuously || work.tasks + work.activities > 0
            self = isStored ? .keptInBackground : .background
        }
    }
}
