import ArgumentParser
import ControlAPI
import Operator

/// `torpor why NAME…`.
struct WhyCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain in a sentence why a worker is in its state, and what would change it.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Names of workers, or shell patterns.", completion: .workers)
    var names: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        return try session.forEach(names) { session, name throws(Failure) in
            var reply = try session.call(SupervisorInterface.Why.self, .init(name: name))
            if console.json == .off, reply.state == .notRunning, reply.lastOutput == nil {
                reply.lastOutput = session.lastWordsElsewhere(of: name)
            }
            try session.show(reply) { WhyView(reply).rendered(console.style) }
        }
    }
}
