internal import BackgroundWork
internal import Budgeting
internal import ConfigurationSyntax
internal import ControlAPI
internal import Definitions
internal import History
internal import Idleness
internal import Lifecycle
internal import Linux
internal import LinuxHost
internal import MemoryPressureShell
internal import OperatorService
internal import Places
internal import Pressure
internal import Supervisor
internal import SupervisorPorts
internal import SystemEvents
internal import Systemd
internal import TransferShell
internal import Varlink
internal import Waking
internal import WorkerFile

/// Workers out of files, and all that the daemon keeps for each of them.
extension Daemon: DaemonControl {
    typealias API = SupervisorInterface

    var logLevel: API.LogLevel {
        get { log.level }
        set { log.level = newValue }
    }

    // MARK: reload

    /// Reads all definitions anew; only what changed is touched, and a bad file leaves its worker as it was.
    func reload() -> API.Reload.Reply {
        var report = API.Reload.Reply(changed: [], added: [], removed: [], failed: [], warnings: [])
        system.setMany {
            if isReady { reloadOurselves(&report) }
            workers.reload(into: &report)
        }
        service.takeBadSettings(report.failed)
        return report
    }

    /// Reads torpord.conf anew: how much of the past is kept, how much is logged, and what workers are given that do not say;
    /// what the sockets are like stays as it was.
    private func reloadOurselves(_ report: inout API.Reload.Reply) {
        let reading = DaemonLoader(
            directories: options.configurationDirectories, source: DiskFileSource(trusting: .whole),
            place: workers.loader.place
        ).load()
        let (errors, warnings) = (
            reading.diagnostics.filter { $0.severity == .error },
            reading.diagnostics.filter { $0.severity != .error }
        )
        report.failed += errors.map { API.Diagnostic($0, worker: nil) }
        report.warnings += warnings.map { API.Diagnostic($0, worker: nil) }
        guard let definition = reading.definition else { return }
        server.judge(by: definition, &report)
        guard definition != self.definition else { return }
        let before = self.definition
        self.definition = definition
        workers.daemon = definition
        report.settingsChanged = true
        recorder.retain(maxAge: definition.historyMaxAge.span, maxSize: definition.historyMaxSize.bytes)
        memory.change(PressureSettings(definition))
        transfers.setMost(definition.transfersMax)
        power.handle(.threshold(definition.lowPowerBelow.percent))
        if definition.logLevel != before.logLevel,
            let level = API.LogLevel(rawValue: definition.logLevel.rawValue)
        {
            log.level = level
        }
        workers.redefineAll()
    }

    // MARK: one worker

    func instantiate(_ name: String) throws(MethodError) -> RegisteredWorker { try workers.instantiate(name) }

    func defineTransient(_ parameters: API.LaunchTransient.Parameters) throws(MethodError) -> RegisteredWorker
    {
        let entry = try workers.defineTransient(parameters)
        transients.write(parameters, of: entry.name)
        return entry
    }

    func files(of entry: RegisteredWorker) throws(MethodError) -> [API.File] { try workers.files(of: entry) }
    func files(named text: String) throws(MethodError) -> [API.File] { try workers.files(named: text) }
}

extension SupervisorInterface.Reload.Reply {
    /// What came of it, in a few words.
    var sentence: String {
        let settings = settingsChanged ?? false ? "settings of torpord.conf changed; " : ""
        return settings
            + "\(changed.count) changed, \(added.count) added, \(removed.count) removed, \(failed.count) problems"
    }
}
