internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Systemd
internal import WorkerFile
internal import WorkerIO

/// Workers that are ready when they print something, or listen at a port (`ReadyWhen=`): that counts as their READY=1.
extension LinuxHost {
    /// How soon a port is looked at again at first, for how long that goes on, and how soon later.
    private static let portInterval = TimeSpan.milliseconds(20)
    private static let portHaste = TimeSpan.seconds(3)
    private static let laterPortInterval = TimeSpan.milliseconds(250)

    /// Begins to look for what shows that a worker is ready.
    package func awaitReadiness(of worker: WorkerID) {
        guard let hosted = workers[worker] else { return }
        watchForReadiness(of: hosted)
        switch hosted.blueprint.readiness {
        case .port: awaitPort(of: hosted)
        case .output, nil: break
        }
    }

    /// What it prints is heard from the first byte on: it may come before the loop knows that it has been launched.
    func watchForReadiness(of hosted: HostedWorker) {
        guard case .output(let pattern) = hosted.blueprint.readiness else { return }
        hosted.hooks.readiness = OutputWatch(for: pattern)
    }

    /// It has printed something.
    func hearReadiness(_ bytes: ArraySlice<UInt8>, from channel: Int, of hosted: HostedWorker) {
        guard hosted.hooks.readiness?.hears(bytes, from: channel) ?? false else { return }
        hosted.hooks.readiness = nil
        if hosted.launching == nil { becameReady(hosted) } else { hosted.hooks.isReadyEarly = true }
    }

    /// Its launch has been told.
    func launchTold(of hosted: HostedWorker) {
        guard workers[hosted.id] === hosted else { return }
        if hosted.hooks.isReadyEarly { becameReady(hosted) }
        if case .port = hosted.blueprint.readiness { awaitPort(of: hosted) }
    }

    private func becameReady(_ hosted: HostedWorker) {
        hosted.hooks.isReadyEarly = false
        var saying = Saying()
        saying.phase = .ready
        facts(hosted.id, .said(saying))
    }

    // MARK: ports

    private func awaitPort(of hosted: HostedWorker) {
        portsAwaited[hosted.id] = now
        if portTimer.handle == nil {
            portTimer.handle = try? TimeSource(on: loop, accuracy: 5000) { [unowned self] _ in lookAtPorts() }
        }
        lookAtPorts()
    }

    private func lookAtPorts() {
        var isHasty = false
        for (id, since) in portsAwaited {
            guard let hosted = workers[id], hosted.burial == nil, hosted.main > 0,
                case .port(let port) = hosted.blueprint.readiness
            else {
                portsAwaited[id] = nil
                continue
            }
            let members = processes(of: hosted)
            if ListeningSockets.isListening(at: port, main: hosted.main, processes: members) {
                portsAwaited[id] = nil
                becameReady(hosted)
            } else if now - since < Self.portHaste {
                isHasty = true
            }
        }
        guard !portsAwaited.isEmpty else { return }
        portTimer.handle?.arm(
            at: (now + (isHasty ? Self.portInterval : Self.laterPortInterval)).microseconds)
    }
}
