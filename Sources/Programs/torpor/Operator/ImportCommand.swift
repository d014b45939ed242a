import ArgumentParser
internal import ConfigurationSyntax
import Importing
import Linux
import Operator
import Places
import WorkerFile

/// `torpor import PATH…`, which needs no supervisor.
struct ImportCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract:
            "Write worker files from supervisord.conf, a Procfile, units, service directories or a compose file.",
        discussion: """
            A path is supervisord.conf, a Procfile, a unit NAME.service or NAME.socket, a service directory of s6 or runit or a \
            directory of them, or a compose file. Each setting that has no counterpart becomes a comment with the reason. No file is \
            replaced without --force, and if one of the paths is refused, nothing is written. Exits with 78 then.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        help: ArgumentHelp(
            "The format, where name and content do not tell it: \(ImportFormat.expectation).",
            valueName: "format"),
        completion: .list(ImportFormat.allCases.map(\.rawValue)))
    var format: String?

    @Flag(help: "Only show what would be written.")
    var check = false

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "The directory that the files are written to; the one of the supervisor's own workers by default.",
            valueName: "directory"), completion: .directory)
    var output: String?

    @Flag(help: "Replace files that exist.")
    var force = false

    @Argument(help: "Files and directories of another supervisor.", completion: .file())
    var paths: [String]

    func validate() throws {
        guard let format, ImportFormat(rawValue: format) == nil else { return }
        throw ValidationError("unknown format \"\(format)\"; expected \(ImportFormat.expectation)")
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.requireHere("files of this machine are read")
        let directory = try destination()
        var files: [String] = []
        for path in paths {
            var text = try AbsolutePath(path).text
            // A shell's completion adds it, and a name is what stands behind the last one.
            while text.utf8.count > 1, text.hasSuffix("/") { text.removeLast() }
            files.append(text)
        }
        let importer = Importer(source: DiskFileSource(), context: context)
        let plan = importer.plan(for: files, as: format.flatMap(ImportFormat.init(rawValue:)))
        for problem in plan.problems { session.console.report(Failure(.configuration, problem.description)) }
        guard plan.problems.isEmpty else { return .configuration }
        if !check, !plan.workers.isEmpty {
            try WorkerFileWriter(directory: directory, replaces: force).write(
                plan.workers.map { ($0.name.fileName, $0.text, $0.holdsVariables) })
        }
        let isWritten = !check && !plan.workers.isEmpty
        try session.show(ImportReply(plan, in: directory, isWritten: isWritten)) {
            ImportView(plan, in: directory, isWritten: isWritten).rendered(session.console.style)
        }
        return .success
    }

    /// Where the files go.
    private func destination() throws(Failure) -> String {
        if let output { return try AbsolutePath(output).text }
        guard
            let directory = ConfigurationDirectories.standard(isRoot: ThisProcess.isRoot && !options.user)
                .last
        else {
            throw Failure(
                .usage,
                "no directory of workers is known: neither HOME nor XDG_CONFIG_HOME is set; give one with --output"
            )
        }
        return directory + "/workers"
    }

    private var context: ImportContext {
        var variables: [String: String] = [:]
        for entry in Environment.current.entries {
            let parts = entry.description.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        }
        return ImportContext(
            environment: variables, hostName: Machine.current.hostName,
            isSystem: ThisProcess.isRoot && !options.user)
    }
}
