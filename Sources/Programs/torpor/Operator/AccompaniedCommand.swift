import Glibc
internal import Launching
import Linux
import Operator
import Synchronization

/// A command for as long as which something is done for a worker: its end ends this process, with its status.
///
/// Two threads share it: one hears of the supervisor, one waits for the command.
final class AccompaniedCommand: Sendable {
    private let words: [String]
    private let console: Console
    private let lost = Atomic(false)
    private let begun = Atomic(false)

    /// The command with these arguments; it does not run yet.
    init(_ words: [String], _ console: Console) {
        self.words = words
        self.console = console
    }

    /// Whether what is done for the worker was over before the command had ended: the exit status is then not 0.
    var isLost: Bool {
        get { lost.load(ordering: .acquiring) }
        set { lost.store(newValue, ordering: .releasing) }
    }

    /// Whether the command runs.
    var hasBegun: Bool { begun.load(ordering: .acquiring) }

    /// Starts the command; its end ends this process.
    func start() {
        do throws(LinuxError) {
            let running = try Subcommand(words).start()
            begun.store(true, ordering: .releasing)
            try DetachedThread.start {
                // It is a child of this process: only a bug makes waiting for it fail.
                let status = (try? running.wait()) ?? OperatorExit.tryAgain.rawValue
                Glibc.exit(status == 0 && self.isLost ? OperatorExit.tryAgain.rawValue : status)
            }
        } catch {
            console.report(Failure(.usage, "cannot run \(words[0]): \(reason(error))"))
            Glibc.exit(error.isMissing ? 127 : 126)
        }
    }

    private func reason(_ error: LinuxError) -> String {
        guard error.isMissing else { return "\(error)" }
        let path = Console.variable("PATH").map { ByteString($0) }
        return MissingInterpreter.clause(for: ByteString(words[0]), path: path) ?? "command not found"
    }

    /// Waits for the end of the command.
    func outlast() -> Never {
        while true { pause() }
    }
}
