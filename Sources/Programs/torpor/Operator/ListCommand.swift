import ArgumentParser
import ControlAPI
import Operator

/// `torpor list [NAME…]`.
struct ListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all workers, one per line, and what sleep has saved.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(
            SupervisorInterface.List.self, .init(names: names.isEmpty ? nil : names))
        let origin = names.isEmpty ? "\(session.owner) at \(session.socket)" : nil
        let style = session.console.style
        // Where nothing is called so there is nothing to show.
        if names.isEmpty || !reply.workers.isEmpty || session.console.json != .off {
            try session.show(reply) { ListView(reply, at: .local, from: origin).rendered(style) }
        }
        return session.reportUnknown(names, among: reply.workers)
    }
}
