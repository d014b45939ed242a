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
            OnFailure=, from the same directory or from the supervisor's directories. Without FILE, all files in those directories are \
            checked. Exits with 78 if a file is invalid.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Files named NAME.worker or torpord.conf, or drop-ins of either.", completion: .file())
    var files: [String] = []

    /// The files that a supervisor of the caller reads, in their order.
    private static func installed(_ source: DiskFileSource) throws(Failure) -> [String] {
        let directories = ConfigurationDirectories.standard()
        var paths: [String] = []
        for directory in directories {
            let workers = directory + "/workers"
            do throws(FileSourceError) {
                if try source.kind(of: directory + "/torpord.conf") != nil {
                    paths.append(directory + "/torpord.conf")
                }
                guard try source.kind(of: workers) != nil else { continue }
                paths += try source.names(in: workers).filter { $0.hasSuffix(WorkerName.suffix) }.sorted()
                    .map { "\(workers)/\($0)" }
            } catch {
                throw Failure(.configuration, "\(error.path): \(error.reason)")
            }
        }
        guard paths.isEmpty else { return paths }
        throw Failure(
            .configuration,
            "no worker file in \(directories.map { $0 + "/workers" }.joined(separator: ", ")); specify a FILE"
        )
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.requireHere("files of this machine are read")
        let files = files.isEmpty ? try Self.installed(DiskFileSource()) : files
        let path = Console.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        var verification = Verification(
            source: DiskFileSource(), place: .here(),
            isThere: { program in
                program.contains("/")
                    ? ThisProcess.mayFind(program)
                    : ExecutableSearch.find(program, in: path.split(separator: ":").map(String.init)) != nil
            },
            // What cannot be looked up may exist.
            hasUser: { name in (try? UserAccount.named(name) != nil) ?? true },
            hasGroup: { name in (try? GroupAccount.named(name) != nil) ?? true })
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
