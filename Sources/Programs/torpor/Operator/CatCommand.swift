import ArgumentParser
import ControlAPI
import Operator
import Places
import Supervisor
import WorkerFile

/// `torpor cat NAME…`.
struct CatCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Show the files that define a worker.",
        discussion: "If no supervisor runs, the files are read from its configuration directories.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Names of workers, or shell patterns.", completion: .workers)
    var names: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        do throws(Failure) {
            return try session.forEach(names) { session, name throws(Failure) in
                let reply = try session.call(SupervisorInterface.Cat.self, .init(name: name))
                if reply.files.isEmpty, !session.console.isQuiet {
                    session.console.note(
                        "torpor: no file defines \(name): it is transient, or its file was removed")
                }
                try show(FilesOfWorker(reply.files), in: session)
            }
        } catch  where error.isNobodyThere && session.isUsual {
            return try readDirectories(session)
        }
    }

    private func readDirectories(_ session: Session) throws(Failure) -> OperatorExit {
        let loader = WorkerLoader(directories: ConfigurationDirectories.standard(), source: DiskFileSource())
        var status = OperatorExit.success
        for name in names {
            do throws(Failure) { try show(FilesOfWorker(name, in: loader), in: session) } catch {
                session.console.report(error)
                if status == .success { status = error.status }
            }
        }
        return status
    }

    private func show(_ files: FilesOfWorker, in session: Session) throws(Failure) {
        guard session.console.json == .off else { return try session.show(files.reply) { "" } }
        session.console.write(files.rendered(forTerminal: session.console.isTerminal))
    }
}
