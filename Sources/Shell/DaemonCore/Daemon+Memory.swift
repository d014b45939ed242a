internal import ControlAPI
internal import History
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import OperatorService
package import Pressure
internal import WorkerFile

/// Memory pressure: what is decided about it is logged, kept and told.
extension Daemon: PressureObserver {
    /// Begins to act on memory pressure; before any worker is defined.
    func listenToMemory() {
        memorySources.report = { [unowned self] in log.log(LogEntry(.warned, .warning, $0)) }
        memorySources.group = { [unowned self] name in
            service.registry[name].flatMap { host.group(of: $0.id) }
        }
        memory.observer = self
        memory.start()
    }

    /// Logs and keeps what was decided.
    package func hear(_ effect: PressureEffect) {
        guard let news = MemoryNews(effect) else { return }
        log.log(news.entry)
        recorder.record(news, at: host.now)
    }

    /// How the memory of the machine stands, and what was done about it.
    func pressure() -> API.Pressure.Reply { memory.reply() }
}
