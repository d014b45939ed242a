internal import Cgroups
internal import ConfigurationSyntax
internal import Idleness
internal import Lifecycle
internal import LinuxHost
internal import Relaying
internal import Supervisor
internal import SupervisorPorts
internal import Waking
internal import WorkerFile

extension Daemon {
    /// The relays of the workers of `supervisor`.
    static func relays(
        for supervisor: Supervisor, _ host: LinuxHost, _ held: HeldSockets, _ groups: CgroupRoot
    ) -> WorkerRelays {
        var tree: CgroupTree?
        if case .cgroup(let found) = groups.method { tree = found }
        return WorkerRelays(
            with: host.waking, program: SpliceRelay.program ?? SpliceRelay.installed, in: tree,
            .init(
                facts: { supervisor.view(of: $0).map { WorkerRelays.Facts($0, supervisor, host) } },
                listeners: { held.relayed(of: $0, withUnix: $1) }, inform: { host.inform($0, $1) },
                passed: { host.passed($1, to: $0) }))
    }
}

extension WorkerRelays.Facts {
    fileprivate init(_ view: WorkerView, _ supervisor: Supervisor, _ host: LinuxHost) {
        self.init()
        rest = view.life.restReason
        if let door = supervisor.doorFacts(of: view.id), case .closed = HeldDoor(door, view.wakeRules) {
            isClosed = true
        }
        isLaunching = view.life.isLaunching
        isAsleep = view.life.state == .suspended
        isBlind = view.wakeRules.watching == .held
        activity = Self.activity(of: view, host)
    }

    /// What a launch is doing, as a clause.
    private static func activity(of view: WorkerView, _ host: LinuxHost) -> String {
        if let status = view.statusText, !status.isEmpty { return status }
        if view.life.restReason == .backingOff { return "it has failed, and is started again in a moment" }
        // Strangers see the page: not the command, whose words may be secret.
        if let command = host.preparation(of: view.id) { return "its \(command.key)= runs" }
        return view.life.pid == nil ? "its program is started" : "it is not ready yet"
    }
}
