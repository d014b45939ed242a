import ArgumentParser
import ControlAPI
import Operator

/// `torpor report [NAME…]`.
struct ReportCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show how the processes of workers ended: the complete termination records.",
        discussion: """
            Every end of a process leaves a record, which survives the supervisor and reboots; the last moments before a \
            power failure may be missing. The requesting caller and the last lines of output are shown to operators only.
            """)

    @OptionGroup var options: OperatorOptions

    @Flag(help: "Show a line for each process that ended; the newest 1000 unless -n is given.")
    var list = false

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Number of newest records per worker; one by default, ten in all without a name, all with --since.",
            valueName: "number"))
    var lines: Int?

    @Option(
        name: [.customShort("S", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp("Show no older records, such as 'today' or '2h ago'.", valueName: "time"))
    var since: String?

    @Option(
        name: [.customShort("U"), .long], parsing: .unconditional,
        help: ArgumentHelp("Show no newer records.", valueName: "time"))
    var until: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only ends of these causes, separated by commas, such as 'crashed,watchdog'.",
            valueName: "cause"))
    var reason: [String] = []

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        if let lines, lines < 1 { throw ValidationError("invalid -n \(lines); expected 1 or more") }
        try Period.validate(since: since, until: until)
        for word in reason.words where !ReportReading.allCauses.contains(word) {
            throw ValidationError(
                "invalid --reason '\(word)'; expected " + ReportReading.allCauses.joined(separator: ", "))
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        guard !names.isEmpty else {
            try show(nil, usual: SupervisorInterface.Report.limits.usual, isFirst: true, &session)
            return .success
        }
        var isFirst = true
        return try session.forEach(names) { session, name throws(Failure) in
            try show(name, usual: 1, isFirst: isFirst, &session)
            isFirst = false
        }
    }

    private func show(
        _ name: String?, usual: Int, isFirst: Bool, _ session: inout Session
    ) throws(Failure) {
        let clock = WallClock.local
        let reading = ReportReading(
            name: name, since: since.flatMap(clock.moment), until: until.flatMap(clock.moment),
            causes: Set(reason.words), most: lines ?? (list || since != nil ? Self.most : usual),
            withOutput: !list || session.console.json != .off)
        let reply = try reading.read(over: &session)
        let console = session.console
        let shown =
            console.json == .off && !list ? withOutput(reply.reports, name, &session) : reply.reports
        try session.show(reply) {
            guard !list else {
                return shown.isEmpty ? "" : ReportListView(shown, at: clock).rendered(console.style)
            }
            let views = shown.map { ReportView($0, at: clock).rendered(console.style) }
            return (isFirst || views.isEmpty ? "" : "\n") + views.joined(separator: "\n")
        }
        note(reply, name, console)
    }

    /// The most records that are read without `-n`.
    private static let most = 1000

    /// The reports, the newest of one worker with what it printed last where that went elsewhere.
    private func withOutput(
        _ reports: [SupervisorInterface.TerminationReport], _ name: String?, _ session: inout Session
    ) -> [SupervisorInterface.TerminationReport] {
        guard let name, var last = reports.last, last.termination.lastOutput == nil,
            let worker = try? session.call(SupervisorInterface.Describe.self, .init(name: name)).worker
        else { return reports }
        let lines = session.lines(at: worker.outputTo, 20, until: last.termination.at)
        if !lines.isEmpty { last.termination.lastOutput = lines }
        return reports.dropLast() + [last]
    }

    private func note(_ reply: SupervisorInterface.Report.Reply, _ name: String?, _ console: Console) {
        guard !console.isQuiet else { return }
        if let problem = reply.incomplete {
            console.note("torpor: cannot read the stored records, output is incomplete: \(problem)")
        } else if reply.reports.isEmpty {
            let subject = name.map { "no process of \($0)" } ?? "no process"
            let isFiltered = since != nil || until != nil || !reason.isEmpty
            console.note("torpor: \(subject) has ended \(isFiltered ? "so in that time" : "yet")")
        }
    }
}
