internal import ConfigurationSyntax
internal import Lifecycle
internal import Linux
internal import Processes
package import SupervisorPorts
internal import Systemd
internal import Waking
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
        guard let running = workers[worker] else { return }
        watchForReadiness(of: running)
        switch running.configuration.readiness {
        case .port: awaitPort(of: running)
        case .output, nil: break
        }
    }

    /// What it prints is heard from the first byte on: it may come before the loop knows that it has been launched.
    func watchForReadiness(of running: RunningWorker) {
        guard case .output(let pattern) = running.configuration.readiness else { return }
        running.hooks.readiness = OutputWatch(for: pattern)
    }

    /// It has printed something.
    func hearReadiness(_ bytes: ArraySlice<UInt8>, from channel: Int, of running: RunningWorker) {
        guard running.hooks.readiness?.hears(bytes, from: channel) ?? false else { return }
        running.hooks.readiness = nil
        if running.launching == nil { becameReady(running) } else { running.hooks.isReadyEarly = true }
    }

    /// Its launch has been told.
    func launchTold(of running: RunningWorker) {
        guard workers[running.id] === running else { return }
        if running.hooks.isReadyEarly { becameReady(running) }
        if case .port = running.configuration.readiness { awaitPort(of: running) }
    }

    private func becameReady(_ running: RunningWorker) {
        running.hooks.isReadyEarly = false
        var report = NotifyReport()
        report.phase = .ready
        inform(running.id, .said(report))
        // Clients that wait in its open sockets wait for this.
        doorHouse[running.id.rawValue]?.becameReady()
    }

    // MARK: ports

    private func awaitPort(of running: RunningWorker) {
        portsAwaited[running.id] = now
        if portTimer.handle == nil {
            portTimer.handle = try? TimeSource(on: loop, accuracy: 5000) { [unowned self] _ in lookAtPorts() }
        }
        lookAtPorts()
    }

    private func lookAtPorts() {
        var isHasty = false
        for (id, since) in portsAwaited {
            guard let running = workers[id], running.reaping == nil, running.main > 0,
                case .port(let port) = running.configuration.readiness
            else {
                portsAwaited[id] = nil
                continue
            }
            let members = processes(of: running)
            if ListeningSockets.isListening(at: port, main: running.main, processes: members) {
                portsAwaited[id] = nil
                becameReady(running)
            } else if now - since < Self.portHaste {
                isHasty = true
            }
        }
        guard !portsAwaited.isEmpty else { return }
        portTimer.handle?.arm(
            at: (now + (isHasty ? Self.portInterval : Self.laterPortInterval)).microseconds)
    }
}
