import ArgumentParser
import ControlAPI
import Operator

/// `torpor doctor`.
struct DoctorCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Show what this place allows, and what would mend each gap.")

    @OptionGroup var options: OperatorOptions

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(SupervisorInterface.Doctor.self, .init())
        try session.show(reply) { DoctorView(reply.findings).rendered(session.console.style) }
        return .success
    }
}

/// `torpor reload [NAME…]`.
struct ReloadCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Read the definitions of all workers anew; with NAME, let that worker reload itself.",
        discussion: """
            Without a name, the supervisor reads its files and those of all workers anew, as 'systemctl daemon-reload' does. Only \
            what changed is touched. Exits with 78 when a file does not hold; its worker stays as it was.

            With names, the commands of ExecReload= in the files of these workers are run, as 'systemctl reload NAME' does. No \
            definition is read then.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(
        help: "Workers that are to read their own configuration anew: names, or shell patterns.",
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
        commandName: "reexec", abstract: "Replace the supervisor by its program as it is installed now.",
        discussion: """
            Workers, sockets, timers, queues and connections go on in the same process. A program that cannot take over is \
            refused before anything is given up.
            """)

    @OptionGroup var options: OperatorOptions

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(SupervisorInterface.Reexec.self, .init())
        try session.show(reply) {
            let milliseconds = Double(reply.interruptedUsec) / 1000
            return "version \(reply.version) goes on as pid \(reply.pid), after \(milliseconds) ms\n"
        }
        return .success
    }
}

/// `torpor log-level [LEVEL]`.
struct LogLevelCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Show how much the supervisor logs, or set it until its next start.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "The least urgent level that is logged.")
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
