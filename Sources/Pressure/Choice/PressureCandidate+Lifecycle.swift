public import Lifecycle

extension PressureCandidate {
    /// A worker as its model stands; nil without a process.
    ///
    /// `wasUsed` is whether its present process has been active, `hearsBytes` whether it hears by systemd's protocol.
    public init?(
        _ life: WorkerLifecycle, name: String, priority: Int, lastActive: Instant?, wasUsed: Bool,
        memory: WorkerMemory, hearsBytes: Bool = false
    ) {
        guard life.pid != nil, let band = PressureBand(life) else { return nil }
        self.init(
            name: name, band: band, isPrelaunched: !wasUsed && life.currentLaunch?.reason == .prelaunch,
            evictable: life.policy.evictable == .no ? .no : life.isSilentEvictable ? .silent : .graceful,
            priority: priority, lastActive: lastActive, memory: memory, isEnding: life.isEnding,
            hearsWarnings: hearsBytes || life.receivedCallbacks.contains(.didReceiveMemoryWarning))
    }
}

extension PressureBand {
    /// Where a worker stands; nil where it does not run.
    public init?(_ life: WorkerLifecycle) {
        switch life.state {
        case .notRunning: return nil
        case .suspended: self = .suspended
        case .inactive: self = .inactive
        case .active: self = .active
        case .background:
            let work = life.backgroundWork
            let isKept = life.isKeptAwake || life.policy.runsContinuously || work.tasks + work.activities > 0
            self = isKept ? .keptInBackground : .background
        }
    }
}
