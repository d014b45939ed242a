internal import ArgumentParser
package import Operator

/// The options that every operator's verb has.
struct OperatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The control socket of the supervisor.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "The supervisor of another machine, by ssh; --system, --user and --socket are then meant there.",
            valueName: "host"))
    var host: String?

    @Flag(help: "Use the system's supervisor; the default if it runs and the caller may call it.")
    var system = false

    @Flag(help: "Use the supervisor of the calling user.")
    var user = false

    @Option(
        help: ArgumentHelp(
            "The longest time to wait, such as '30s' or '5min'; the requested operation continues. 5s for a supervisor that does not answer. For verbs that follow a worker, the limit applies to the first answer.",
            valueName: "time"), transform: WaitLimit.reading)
    var timeout: WaitLimit?

    @Option(
        help: ArgumentHelp(
            "Print JSON: the supervisor's reply, as described by its interface.",
            valueName: "pretty|short|off"))
    var json: JSONStyle?

    @Flag(name: .customShort("j"), help: "Like --json=pretty on a terminal, else like --json=short.")
    var wantsJSON = false

    @Flag(help: "Omit header and footer.")
    var noLegend = false

    @Flag(help: "Accepted for compatibility; there is no pager.")
    var noPager = false

    func validate() throws {
        if socket?.isEmpty ?? false {
            throw ValidationError("invalid --socket ''; expected the path of a socket")
        }
        if [socket != nil, system, user].count(where: { $0 }) > 1 {
            throw ValidationError("--socket, --system and --user are mutually exclusive")
        }
    }

    @Flag(name: .shortAndLong, help: "Print only the requested output: no legend, no progress, no notes.")
    var quiet = false
}

extension JSONStyle: ExpressibleByArgument {}

/// The options of the verbs that wait for a goal.
struct WaitOptions: ParsableArguments {
    @Flag(help: "Set the goal and do not wait for it.")
    var noWait = false

    /// What goes into the call.
    var wait: Bool? { noWait ? false : nil }

    /// What goes into the call, of a command with these `options`.
    func timeoutMs(_ options: OperatorOptions) -> Int64? { noWait ? nil : options.timeout?.milliseconds }
}
