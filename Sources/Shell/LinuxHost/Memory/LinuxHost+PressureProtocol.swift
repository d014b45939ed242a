internal import Cgroups
internal import ConfigurationSyntax
internal import Lifecycle
internal import Linux
internal import Pressure
internal import Processes
package import SupervisorPorts
internal import WorkerIO

/// systemd's memory-pressure protocol, downward: `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE`
/// (https://systemd.io/MEMORY_PRESSURE).
extension LinuxHost {
    package static let watchVariable = "MEMORY_PRESSURE_WATCH"
    package static let writeVariable = "MEMORY_PRESSURE_WRITE"

    /// The variables by which the worker hears of memory pressure, `MEMORY_PRESSURE_WATCH` first; none where it is told nothing.
    func pressureProtocol(of running: RunningWorker, user: UInt32?) -> [(String, ByteString)] {
        let terms = running.configuration.memory
        switch terms.watch {
        case .skip: return []
        case .off: return [(Self.watchVariable, "/dev/null")]
        case .auto, .on:
            if let group = running.group, PressureFile(of: group).exists, own(group, user) {
                let trigger = PressureTrigger(.some, stall: terms.threshold, window: .seconds(2))
                let written = (trigger ?? PressureTrigger(.some, percent: 10)).text
                return [
                    (Self.watchVariable, ByteString(group.pressurePath)),
                    (Self.writeVariable, ByteString(Base64.text(of: Array(written.utf8) + [0]))),
                ]
            }
            if let pressureSocket = openPressureSocket() {
                return [(Self.watchVariable, ByteString(pressureSocket.path))]
            }
            if terms.watch == .on {
                inform(
                    running.id,
                    .ignored(
                        "ignoring MemoryPressureWatch=: its cgroup has no pressure file, and no directory for a socket is available"
                    ))
            }
            return []
        }
    }

    /// Lets the worker's user set thresholds of its own; false where that may not be done.
    private func own(_ group: Cgroup, _ user: UInt32?) -> Bool {
        guard let user, user != ThisProcess.user else { return true }
        return (try? group.givePressureFile(to: user)) != nil
    }

    /// The pressure socket, made when the first worker needs it; nil where no path is available.
    @discardableResult
    private func openPressureSocket() -> PressureSocket? {
        if let pressureSocket { return pressureSocket }
        // A supervisor of a single worker sends no warnings.
        if ownsAllDescendants { return nil }
        if let kept = keeper?.take(StoreName.pressureSocket) { inheritPressureSocket(kept) }
        if let pressureSocket { return pressureSocket }
        for place in places.candidates(for: "memory", "pressure") where place.path != nil {
            // We hold the directory's lock.
            guard let listener = try? StreamListener(at: place, access: PressureSocket.access, replaces: true)
            else {
                continue
            }
            keeper?.keep(listener.rawValue, as: StoreName.pressureSocket, polled: false)
            pressureSocket = makePressureSocket(listener, at: place)
            if let pressureSocket { return pressureSocket }
        }
        return nil
    }

    /// Goes on with the pressure socket of a predecessor.
    func inheritPressureSocket(_ descriptor: Int32) {
        let listener = OwnedDescriptor(inheriting: descriptor)
        guard let place = places.candidates(for: "memory", "pressure").first(where: { $0.path != nil }),
            let taken = try? StreamListener(inheriting: listener.release(), at: place)
        else { return }
        pressureSocket = makePressureSocket(taken, at: place)
    }

    private func makePressureSocket(
        _ listener: consuming StreamListener, at place: UnixSocketAddress
    ) -> PressureSocket? {
        try? PressureSocket(
            listener, at: place, on: loop, keptBy: keeper,
            owner: { [unowned self] peer in owner(of: peer) },
            name: { [unowned self] id in workers[id]?.configuration.groupName },
            isLaunching: { [unowned self] in workers.values.contains { $0.launching != nil } })
    }

    /// Opens the pressure socket again for a worker that a predecessor has left and that may know it, with the connections that were kept.
    func reopenPressureSocket(for running: RunningWorker) {
        switch running.configuration.memory.watch {
        case .skip, .off: return
        case .auto, .on: break
        }
        if let group = running.group, PressureFile(of: group).exists { return }
        openPressureSocket()?.takeStored(running.id, running.configuration.groupName)
    }

    /// The worker whose process a peer is; nil where it is none.
    ///
    /// However many workers there are, the peer and its parents are looked up once.
    private func owner(of peer: PeerProcess) -> WorkerID? {
        var found: WorkerID?
        let judgement = peer.judge { pid in
            found = owner(of: pid)
            return found != nil
        }
        return judgement == .isSo ? found : nil
    }

    private func owner(of pid: Int32) -> WorkerID? {
        if let id = byMainProcess[pid] { return id }
        if let path = Cgroup.ofProcess(pid),
            let running = workers.values.first(where: { $0.group?.contains(path) ?? false })
        {
            return running.id
        }
        let bySession = Dictionary(
            workers.values.filter { $0.group == nil && $0.main > 0 }
                .flatMap { running in ([running.leader] + running.hookSessions).map { ($0, running.id) } },
            uniquingKeysWith: { first, _ in first })
        var ancestor = pid
        for _ in 0..<64 {
            guard let stat = ProcessStat.read(pid: ancestor) else { return nil }
            if let id = bySession[stat.session] ?? byMainProcess[stat.parent] { return id }
            if stat.parent == ThisProcess.pid { return ownsAllDescendants ? workers.keys.first : nil }
            ancestor = stat.parent
        }
        return nil
    }

    /// Tells a worker that hears by the pressure socket that memory is short; one that has a pressure file of its own is told by the
    /// kernel.
    package func warnOfMemory(_ worker: WorkerID) { pressureSocket?.warn(worker) }

    /// Whether it hears by our socket.
    package func hearsOfMemory(_ worker: WorkerID) -> Bool {
        (pressureSocket?.connectionCount(of: worker) ?? 0) > 0
    }
}
