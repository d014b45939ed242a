import ArgumentParser
import ControlAPI
import Operator

extension CommandGroup {
    /// The verbs that show something, in the order of the help.
    static var observing: CommandGroup {
        CommandGroup(
            name: "Observing",
            subcommands: [
                ListCommand.self, StatusCommand.self, WhyCommand.self, WatchCommand.self,
                TopCommand.self, HistoryCommand.self, TimelineCommand.self, GraphCommand.self,
                ReportCommand.self,
                LogsCommand.self,
                NotificationsCommand.self, TransfersCommand.self,
                CatCommand.self,
            ])
    }
}

/// `torpor list [NAME…]`.
struct ListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all workers, one per line, and what sleep has saved.")

    @OptionGroup var options: OperatorOptions

    @Option(
        name: [.customShort("o", allowingJoined: true), .customLong("output")],
        help: ArgumentHelp(
            "Show these columns, separated by commas: "
                + ListColumn.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "columns"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "Order by a column: the largest memory and the latest change first.", valueName: "column"))
    var sort: String?

    @Flag(help: "Show instances below their template.")
    var tree = false

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        let expected = ListColumn.allCases.map(\.rawValue).joined(separator: ", ")
        if let columns, ListColumn.columns(columns) == nil {
            throw ValidationError("invalid -o '\(columns)'; expected columns among \(expected)")
        }
        if let sort, ListColumn(rawValue: sort) == nil {
            throw ValidationError("invalid --sort '\(sort)'; expected one of \(expected)")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(
            SupervisorInterface.List.self, .init(names: names.isEmpty ? nil : names))
        let origin = names.isEmpty ? "\(session.owner) at \(session.socket)" : nil
        let style = session.console.style
        // Where nothing is called so there is nothing to show.
        if names.isEmpty || !reply.workers.isEmpty || session.console.json != .off {
            try session.show(reply) {
                ListView(
                    reply, at: .local, from: origin,
                    columns: columns.flatMap(ListColumn.columns) ?? ListColumn.allCases,
                    sortedBy: sort.flatMap(ListColumn.init), asTree: tree
                ).rendered(style)
            }
        }
        return session.reportUnknown(names, among: reply.workers)
    }
}

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

/// `torpor watch [NAME…]`.
struct WatchCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the current state of workers, then each change as it happens.")

    @OptionGroup var options: OperatorOptions

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        let printer = session
        var view = WatchView(at: .local)
        var status = OperatorExit.success
        try session.follow(SupervisorInterface.Watch.self, .init(names: names.isEmpty ? nil : names)) {
            reply throws(Failure) in
            if let present = reply.present {
                status = printer.reportUnknown(names, among: present)
                guard status == .success else { return false }
            }
            try printer.show(reply) { view.rendered(reply, console.style) }
            return true
        }
        return status
    }
}
