internal import ControlAPI
internal import History
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import Places
internal import Pressure
internal import Supervisor
internal import SupervisorPorts
internal import Systemd

/// Memory pressure in `torpor run`: its one worker is warned and evicted as those of a daemon are (2.3).
final class RunMemory: PressureObserver {
    private let coordinator: PressureCoordinator
    private let sources: PressureSources
    private var name = ""
    private var isVerbose = false

    /// Watches memory for `worker`; nothing is heard before ``start(named:verbosely:)``.
    ///
    /// `gap` is why the memory controller was not handed down.
    init(
        on loop: EventLoop, _ supervisor: Supervisor, _ worker: WorkerID, _ host: LinuxHost, gap: String?
    ) {
        sources = PressureSources(on: loop, MemoryCapabilities(host.method, gap: gap))
        sources.group = { _ in host.group(of: worker) }
        coordinator = PressureCoordinator(supervisor, sources, PressureSettings())
    }

    /// Begins to act; what is done is told on standard error: the end of a running command always, the rest where `isVerbose`.
    func start(named name: String, verbosely isVerbose: Bool) {
        if isVerbose { sources.report = { StandardError.write("torpor: \($0)\n") } }
        (self.name, self.isVerbose) = (name, isVerbose)
        coordinator.observer = self
        coordinator.start()
    }

    /// Tells what was decided.
    func hear(_ effect: PressureEffect) {
        guard let news = MemoryNews(effect) else { return }
        var isTold = isVerbose
        if case .evict(let victim) = effect, victim.band.isRunning { isTold = true }
        guard isTold else { return }
        StandardError.write("torpor: \(news.worker == nil ? "" : "\(name): ")\(news.message)\n")
    }

    /// How the memory of the machine stands, and what was done about it.
    func reply() -> SupervisorInterface.Pressure.Reply { coordinator.reply() }
}
