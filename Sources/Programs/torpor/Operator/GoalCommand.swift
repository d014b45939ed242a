import ArgumentParser
import ControlAPI
import Operator

/// `torpor activate NAME…`, and all verbs like it.
struct GoalCommand<Verb: GoalVerb>: OperatorCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: Verb.verb, abstract: Verb.abstract)
    }

    @OptionGroup var options: OperatorOptions
    @OptionGroup var waiting: WaitOptions

    @Argument(help: "Names of workers, or shell patterns.", completion: .workers)
    var names: [String]

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.steer(
            Verb.self,
            .init(names: names, wait: waiting.wait, timeoutMs: waiting.timeoutMs(options)),
            GoalProgress(names: names, expectation: Verb.expectation), waits: !waiting.noWait)
    }
}
