internal import Cgroups
internal import ControlAPI
internal import History
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import Metering
internal import MetricsShell
internal import OperatorService
internal import Systemd
internal import WorkerFile

/// The metrics: what the daemon alone knows of them, and the socket at which they are read.
extension Daemon {
    /// The name of the socket of socket activation at which the metrics are served.
    private static let socketName = "metrics"

    /// Begins to serve the metrics, where that is set, or where a socket for them was passed.
    ///
    /// `inherited` is a socket of socket activation that a predecessor in this process has served.
    func serveMetrics(_ passed: PassedEnvironment, inheriting inherited: Int32?) {
        service.meters.group = { [host] in host.group(of: $0)?.path }
        service.meters.memory = { [memory] in
            let reply = memory.reply()
            return MetricsSnapshot.Memory(level: reply.level.rawValue, available: reply.availableBytes)
        }
        let activated = passed.descriptors.first { $0.name == Self.socketName }?.number
        if let socket = inherited ?? activated {
            service.metrics.listen(adopting: OwnedDescriptor(adopting: socket))
        } else {
            service.metrics.listen(at: definition.metricsAddress)
        }
    }
}
