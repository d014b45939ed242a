internal import ArgumentParser
import DaemonCore
internal import Glibc
import Linux
import Places
import Supervisor
package import WorkerFile

/// `torpord`: the daemon.
@main
struct Torpord: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torpord",
        abstract: "Give the workers of this system, or of this user, the life cycle of an app.",
        discussion: """
            No options are required. Workers are defined by files NAME.worker below workers/ in the configuration \
            directories; 'torpor' lists and controls them. SIGHUP reloads the files. SIGTERM stops the daemon: workers in \
            torpor-workers.service keep running, others end with it.
            """, version: Version.current)

    @Option(
        help: ArgumentHelp(
            "Read torpord.conf and workers/ from this directory instead of the default ones; may be repeated, later ones take precedence.",
            valueName: "directory"))
    var configDir: [String] = []

    @Option(help: ArgumentHelp("Store persistent state in this directory.", valueName: "directory"))
    var stateDir: String?

    @Option(help: ArgumentHelp("Create the sockets in this directory.", valueName: "directory"))
    var runtimeDir: String?

    @Option(help: "The log level: emerg, alert, crit, err, warning, notice, info or debug.")
    var logLevel: LogLevel?

    @Option(help: .hidden)
    var takeover: String?

    @Flag(help: .hidden)
    var checkTakeover = false

    /// What is wrong with the place is said in one line, and is no wrong use of options.
    static func main() {
        guard !CommandLine.arguments.isEmpty else {
            StandardError.write(
                "torpord: cannot read its arguments: /proc is not mounted; mount it ('mount -t proc proc /proc')\n"
            )
            Glibc.exit(EX_UNAVAILABLE)
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess { return StandardOutput.print(fullMessage(for: error), of: "torpord") }
            guard code == .validationFailure else { exit(withError: error) }
            StandardError.write("torpord: \(message(for: error).inOneLine)\n")
            exit(withError: ExitCode.validationFailure)
        }
    }

    func validate() throws {
        for directory in configDir where !DaemonOptions.isDirectory(directory) {
            throw ValidationError(
                "--config-dir “\(directory)” is not a directory; create it, or omit the option to use the default directories"
            )
        }
    }

    func run() throws {
        do {
            // A relative path is one from where the command was given.
            var options = try DaemonOptions(runtimeDirectory: runtimeDir.map(ThisProcess.absolutePath))
            if !configDir.isEmpty {
                options.configurationDirectories = try configDir.map(ThisProcess.absolutePath)
            }
            if let stateDir { options.stateDirectory = try ThisProcess.absolutePath(stateDir) }
            options.logLevel = logLevel
            options.takeover = takeover
            if checkTakeover { return try answerTakeover(options) }
            ThisProcess.raiseDescriptorLimit()
            // One that takes workers over serves them with what there is.
            if takeover == nil, let shortage = DescriptorShortage(limit: ThisProcess.descriptorLimit) {
                throw shortage
            }
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
