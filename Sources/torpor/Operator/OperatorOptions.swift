public import ArgumentParser
public import Operator

/// The options that every operator's verb has.
struct OperatorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The supervisor's control socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "Print JSON: the supervisor's reply, as its interface describes it.",
            valueName: "pretty|short|off"))
    var json: JSONStyle?

    @Flag(name: .customShort("j"), help: "Like --json=pretty on a terminal, else like --json=short.")
    var wantsJSON = false

    @Flag(help: "Leave header and footer out.")
    var noLegend = false

    @Flag(help: "Accepted for the habit: there is no pager.")
    var noPager = false

    @Flag(name: .shortAndLong, help: "Print only what was asked for: no legend, no progress, no notes.")
    var quiet = false
}

extension JSONStyle: ExpressibleByArgument {}

/// The options of the verbs that wait for a goal.
struct WaitOptions: ParsableArguments {
    @Flag(help: "Set the goal, and do not wait until it is reached.")
    var noWait = false

    @Option(
        help: ArgumentHelp("How long to wait at most, as '30s' or '5min'; the goal stays.", valueName: "time")
    )
    var timeout: WaitLimit?

    /// What goes into the call.
    var wait: Bool? { noWait ? false : nil }
    /// What goes into the call.
    var timeoutMs: Int64? { noWait ? nil : timeout?.milliseconds }

    func validate() throws {
        if noWait, timeout != nil { throw ValidationError("--timeout makes no sense with --no-wait") }
    }
}
