import ArgumentParser
internal import ConfigurationSyntax
internal import Launching
import Linux
import Operator
import Places
import Supervisor
import WorkerFile

/// `torpor verify FILE…`, which needs no supervisor.
struct VerifyCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check files of workers and of the daemon; an unknown key is an error here.",
        discussion: """
            A worker is checked with the drop-ins beside it, and with the workers named in its After=, Requires=, Wants= and \
            OnFailure=, from the same directory or from the supervisor's directories. Exits with 78 if a file is invalid.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Files named NAME.worker or torpord.conf, or drop-ins of either.", completion: .file())
    var files: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.requireHere("files of this machine are read")
        let path = Console.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        var verification = Verification(source: DiskFileSource(), place: .here()) { program in
            program.contains("/")
                ? ThisProcess.mayFind(program)
                : ExecutableSearch.find(program, in: path.split(separator: ":").map(String.init)) != nil
        }
        for file in files { verification.verify(file) }
        verification.verifyTogether(with: ConfigurationDirectories.standard())
        if session.console.json != .off {
            try session.show(VerificationReply(verification.diagnostics)) { "" }
        } else {
            for diagnostic in verification.diagnostics { session.console.note(diagnostic.description) }
        }
        return verification.holds ? .success : .configuration
    }
}
