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

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Number of newest records per worker, at most 50; one by default, ten in all without a name.",
            valueName: "number"))
    var lines: Int?

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        if let lines, lines < 1 { throw ValidationError("invalid -n \(lines); expected 1 or more") }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        guard !names.isEmpty else {
            try show(nil, limit: lines ?? SupervisorInterface.Report.limits.usual, isFirst: true, &session)
            return .success
        }
        var isFirst = true
        return try session.forEach(names) { session, name throws(Failure) in
            try show(name, limit: lines ?? 1, isFirst: isFirst, &session)
            isFirst = false
        }
    }

    private func show(
        _ name: String?, limit: Int, isFirst: Bool, _ session: inout Session
    ) throws(Failure) {
        let reply = try session.call(
            SupervisorInterface.Report.self, .init(names: name.map { [$0] }, limit: Int64(limit)))
        let console = session.console
        let shown = console.json == .off ? withOutput(reply.reports, name, &session) : reply.reports
        try session.show(reply) {
            let views = shown.map { ReportView($0, at: .local).rendered(console.style) }
            return (isFirst || views.isEmpty ? "" : "\n") + views.joined(separator: "\n")
        }
        note(reply, name, console)
    }

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
            console.note("torpor: \(name.map { "no process of \($0)" } ?? "no process") has ended yet")
        }
    }
}
