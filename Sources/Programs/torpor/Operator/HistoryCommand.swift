import ArgumentParser
import ControlAPI
import Operator

/// `torpor history [NAME…]`.
struct HistoryCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the history of workers: state changes, launches, exits, warnings.",
        discussion: """
            The history is kept across restarts of the supervisor and reboots, within the limits HistoryMaxAgeSec= and \
            HistoryMaxSize= in torpord.conf. The last moments before a power failure may be missing. The caller that \
            requested a change is shown to operators only.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Number of newest lines to show, or 'all'; 100 by default, all with --since.",
            valueName: "number"), transform: LineCount.reading)
    var lines: LineCount?

    @Option(
        name: [.customShort("S", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Show no older entries; for example 'today', '2h ago', '-30min' or '2025-11-21 10:27:31'.",
            valueName: "time")
    )
    var since: String?

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        if let since, WallClock.local.moment(since) == nil {
            throw ValidationError("invalid --since '\(since)'; expected \(WallClock.expectation)")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let clock = WallClock.local
        let reading = HistoryReading(
            names: names, since: since.flatMap(clock.moment),
            lines: lines ?? (since == nil ? .newest(100) : .all))
        let reply = try reading.read(over: &session)
        let console = session.console
        try session.show(reply) { HistoryView(reply.entries, at: clock).rendered(console.style) }
        if let problem = reply.incomplete, !console.isQuiet {
            console.note("torpor: cannot read the stored history, output is incomplete: \(problem)")
        }
        return .success
    }
}

extension LineCount {
    /// The count that `text` says, as an argument.
    static func reading(_ text: String) throws -> LineCount {
        guard let count = LineCount(parsing: text) else {
            throw ValidationError("expected a non-negative number, or 'all'")
        }
        return count
    }
}
