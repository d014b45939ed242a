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
        name: [.customShort("S", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Show no older entries; for example 'today', '2h ago', '-30min' or '2025-11-21 10:27:31'.",
            valueName: "time")
    )
    var since: String?

    @Option(
        name: [.customShort("U"), .long], parsing: .unconditional,
        help: ArgumentHelp("Show no newer entries.", valueName: "time"))
    var until: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only entries of these kinds, separated by commas: "
                + SupervisorInterface.HistoryKind.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "kind"))
    var kind: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only entries with these reasons, separated by commas, such as 'operator,socket'.",
            valueName: "reason"))
    var reason: [String] = []

    @Flag(name: [.customShort("f"), .long], help: "Keep printing new entries; begins with the newest 10.")
    var follow = false

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        try Period.validate(since: since, until: until)
        if follow, until != nil { throw ValidationError("--follow and --until are mutually exclusive") }
        for word in kind.words where SupervisorInterface.HistoryKind(rawValue: word) == nil {
            throw ValidationError(
                "invalid --kind '\(word)'; expected "
                    + SupervisorInterface.HistoryKind.allCases.map(\.rawValue).joined(separator: ", "))
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let clock = WallClock.local
        let filter = HistoryFilter(
            names: names, since: since.flatMap(clock.moment), until: until.flatMap(clock.moment),
            kinds: Set(kind.words.compactMap(SupervisorInterface.HistoryKind.init)),
            reasons: Set(reason.words))
        let usual: LineCount = since != nil ? .all : .newest(follow ? 10 : 100)
        let console = session.console
        let printer = session
        var view = HistoryView(at: clock)
        var last: Int64?
        var problem: String?
        try HistoryReading(filter, lines: lines ?? usual).read(over: &session) { reply throws(Failure) in
            try printer.show(reply) { view.rendered(reply.entries, console.style) }
            last = reply.entries.last?.id ?? last
            problem = reply.incomplete
        }
        if let problem, !console.isQuiet {
            console.note("torpor: cannot read the stored history, output is incomplete: \(problem)")
        }
        guard follow else { return .success }
        // What happened before the call and was not shown is not news.
        if last == nil {
            last = try session.call(SupervisorInterface.History.self, .init(limit: 1)).entries.last?.id
        }
        try keepPrinting(HistoryFollowing(filter, after: last), view, &session)
        return .success
    }

    /// Looks each second for new entries; a supervisor that goes away is waited for.
    private func keepPrinting(
        _ following: HistoryFollowing, _ view: HistoryView, _ session: inout Session
    ) throws(Failure) {
        let console = session.console
        var (following, view) = (following, view)
        var isGone = false
        while true {
            console.pause(milliseconds: 1000)
            do throws(Failure) {
                // A new connection after the loss of one.
                if isGone { session = try Session(options, console) }
                let entries = try following.news(over: &session)
                if isGone, !console.isQuiet { console.note("torpor: the supervisor is back") }
                isGone = false
                guard !entries.isEmpty else { continue }
                try session.show(SupervisorInterface.History.Reply(entries: entries, hasOlder: true)) {
                    view.rendered(entries, console.style)
                }
            } catch  where error.status == .unavailable || error.status == .tryAgain {
                if !isGone, !console.isQuiet { console.note("torpor: \(error); waiting for it") }
                isGone = true
            }
        }
    }
}

/// `--since` and `--until`.
enum Period {
    /// Refuses what is no moment.
    static func validate(since: String?, until: String?) throws {
        for (option, text) in [("--since", since), ("--until", until)] {
            if let text, WallClock.local.moment(text) == nil {
                throw ValidationError("invalid \(option) '\(text)'; expected \(WallClock.expectation)")
            }
        }
        if let since = since.flatMap(WallClock.local.moment),
            let until = until.flatMap(WallClock.local.moment),
            since > until
        {
            throw ValidationError("--since must be before --until")
        }
    }
}

extension [String] {
    /// The words of an option that may be given several times, and have several of them separated by commas.
    var words: [String] { flatMap { $0.split(separator: ",").map(String.init) } }
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
