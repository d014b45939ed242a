import ArgumentParser
import Operator
import Supervisor
import WorkerFile

/// `torpor verify FILE…`, which needs no supervisor.
struct VerifyCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check files of workers and of the daemon; an unknown key is an error here.",
        discussion: "A worker is checked with the drop-ins beside it. Exits with 78 when something is wrong.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Files called NAME.worker, torpord.conf, or a drop-in of either.", completion: .file())
    var files: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        var verification = Verification(source: DiskFileSource(), place: .here())
        for file in files { verification.verify(file) }
        if session.console.json != .off {
            try session.show(VerificationReply(verification.diagnostics)) { "" }
        } else {
            for diagnostic in verification.diagnostics { session.console.note(diagnostic.description) }
        }
        return verification.holds ? .success : .configuration
    }
}
