public import ArgumentParser
import Linux
import Supervisor
public import WorkerFile

/// `torpord`: the daemon.
@main
struct Torpord: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torpord",
        abstract: "Gives the workers of this machine, or of this user, the life of an app.",
        discussion: """
            No options are needed. Workers are defined by files NAME.worker below workers/ in the configuration \
            directories; 'torpor' lists and steers them. SIGHUP reads the files anew, SIGTERM ends all workers.
            """, version: Version.current)

    @Option(
        help: ArgumentHelp(
            "Read torpord.conf and workers/ here instead of in the usual places; may be repeated, later wins.",
            valueName: "directory"))
    var configDir: [String] = []

    @Option(help: ArgumentHelp("Keep what must outlive the daemon here.", valueName: "directory"))
    var stateDir: String?

    @Option(help: ArgumentHelp("Make the sockets here.", valueName: "directory"))
    var runtimeDir: String?

    @Option(help: "How much is logged: emerg, alert, crit, err, warning, notice, info or debug.")
    var logLevel: LogLevel?

    @Option(help: .hidden)
    var takeover: String?

    @Flag(help: .hidden)
    var checkTakeover = false

    func validate() throws {
        // The address of a socket cannot be relative.
        if let runtimeDir, !runtimeDir.hasPrefix("/") {
            throw ValidationError("--runtime-dir “\(runtimeDir)” is relative; give an absolute path.")
        }
    }

    func run() throws {
        do {
            var options = try DaemonOptions(runtimeDirectory: runtimeDir)
            if !configDir.isEmpty { options.configurationDirectories = configDir }
            if let stateDir { options.stateDirectory = stateDir }
            options.logLevel = logLevel
            options.takeover = takeover
            if checkTakeover { return try answerTakeover(options) }
            throw ExitCode(try Daemon(options, version: Version.current).run())
        } catch let status as ExitCode {
            throw status
        } catch {
            StandardError.write("torpord: \(error)\n")
            throw ExitCode(Daemon.exitStatus(for: error))
        }
    }
}

extension Torpord {
    /// Says whether this program can go on where another has stopped, with the settings as they are now: what does not hold is said
    /// before anything is given up.
    private func answerTakeover(_ options: DaemonOptions) throws {
        do {
            try Daemon.checkSettings(options)
            print(Takeover.answer)
        } catch {
            print(error)
            throw ExitCode(Daemon.exitStatus(for: error))
        }
    }
}

extension LogLevel: ExpressibleByArgument {}
