import ArgumentParser
import ControlAPI
import Operator

extension CommandGroup {
    /// The verbs that concern the supervisor, in the order of the help.
    static var administering: CommandGroup {
        CommandGroup(
            name: "Administering",
            subcommands: [
                DoctorCommand.self, MetricsCommand.self, VerifyCommand.self, ImportCommand.self,
                SimulateCommand.self,
                ReloadCommand.self,
                ReexecCommand.self, LowPowerCommand.self, LogLevelCommand.self, BridgeCommand.self,
            ])
    }
}

/// `torpor doctor`.
struct DoctorCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Show what this system supports, and how to fix each gap.",
        discussion: """
            With --gain, show for each running worker how long it was suspended, which memory it holds, and which peers woke it; for a \
            worker with Idle=observe, what would have happened.
            """)

    @OptionGroup var options: OperatorOptions

    @Flag(help: "Show what sleep has brought of each worker, or would bring.")
    var gain = false

    @Argument(help: "With --gain: names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        guard gain || names.isEmpty else { throw ValidationError("names of workers need --gain") }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let style = session.console.style
        if gain {
            let reply = try session.call(
                SupervisorInterface.Gain.self, .init(names: names.isEmpty ? nil : names))
            try session.show(reply) { GainView(reply.workers, at: .local).rendered(style) }
            return .success
        }
        let reply = try session.call(SupervisorInterface.Doctor.self, .init())
        try session.show(reply) { DoctorView(reply.findings).rendered(style) }
        return .success
    }
}

/// `torpor metrics`.
struct MetricsCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Show what is counted and measured, in the text format of OpenMetrics.",
        discussion: """
            Changes of state, launches, wakes by reason, ends by cause, memory and processor time of each worker, durations of callbacks, \
            and what the supervisor itself costs. Prometheus reads the same at the socket of Listen= in the section [Metrics] of torpord.conf.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        help: ArgumentHelp(
            "How they are written: openmetrics, or prometheus for its older text format.", valueName: "format"
        ),
        completion: .list(["openmetrics", "prometheus"]))
    var format = "openmetrics"

    func validate() throws {
        guard SupervisorInterface.MetricsFormat(rawValue: format) != nil else {
            throw ValidationError("unknown format \"\(format)\"; openmetrics or prometheus")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(
            SupervisorInterface.Metrics.self, .init(format: .init(rawValue: format)))
        try session.show(reply) { reply.text.printableLines }
        return .success
    }
}

/// `torpor reload [NAME…]`.
struct ReloadCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the definitions of all workers; with NAME, make that worker reload itself.",
        discussion: """
            Without a name, the supervisor reloads its own files and those of all workers, as 'systemctl daemon-reload' does. Only \
            changes are applied. Exits with 78 if a file is invalid; its worker is left unchanged.

            With names, the ExecReload= commands of these workers are run, as by 'systemctl reload NAME'. No \
            definition is read.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(
        help: "Workers that are to reload their own configuration: names, or shell patterns.",
        completion: .workers)
    var names: [String] = []

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        guard names.isEmpty else {
            return try session.steer(
                SupervisorInterface.ReloadWorker.self, .init(names: names),
                GoalProgress(names: names, expectation: "to be reloaded"), waits: true)
        }
        let reply = try session.call(SupervisorInterface.Reload.self, .init())
        let console = session.console
        let view = ReloadView(reply)
        try session.show(reply) { view.rendered(console.style) }
        for warning in view.warnings where !console.isQuiet { console.note("torpor: \(warning)") }
        for failure in view.failures { console.report(failure) }
        return view.failures.first?.status ?? .success
    }
}

/// `torpor reexec`.
struct ReexecCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "reexec", abstract: "Replace the supervisor with the program now installed.",
        discussion: """
            Workers, sockets, timers, queues and connections are kept, in the same process. A program that cannot take over is \
            rejected before anything is given up.
            """)

    @OptionGroup var options: OperatorOptions

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(SupervisorInterface.Reexec.self, .init())
        try session.show(reply) {
            let milliseconds = Double(reply.interruptedUsec) / 1000
            return "replaced by version \(reply.version), pid \(reply.pid), in \(milliseconds) ms\n"
        }
        return .success
    }
}

/// `torpor log-level [LEVEL]`.
struct LogLevelCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Show the log level of the supervisor, or set it until its next start.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The lowest priority that is logged.")
    var level: Level?

    /// A level of syslog(3), by its name.
    enum Level: String, ExpressibleByArgument, CaseIterable {
        case emerg, alert, crit, err, warning, notice, info, debug
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        if let level, let wanted = SupervisorInterface.LogLevel(rawValue: level.rawValue) {
            _ = try session.call(SupervisorInterface.SetLogLevel.self, .init(level: wanted))
            return .success
        }
        let reply = try session.call(SupervisorInterface.GetLogLevel.self, .init())
        try session.show(reply) { reply.level.rawValue + "\n" }
        return .success
    }
}
