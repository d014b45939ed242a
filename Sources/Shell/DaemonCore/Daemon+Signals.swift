internal import Cgroups
internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import Glibc
internal import History
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import OperatorService
internal import Places
internal import Pressure
internal import Processes
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import Varlink
internal import WorkerFile
internal import WorkerIO

/// The signals that the daemon gets, and its end.
extension Daemon {
    static let handled: [Signal] = [.terminate, .interrupt, .hangup]

    func listen() throws {
        for signal in Self.handled {
            let box = SourceBox<SignalSource>()
            box.handle = try SignalSource(on: loop, signal: signal.rawValue, priority: .clients) {
                [unowned self] info in received(signal, info)
            }
            signals.append(box)
        }
    }
}
