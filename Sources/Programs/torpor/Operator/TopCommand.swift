import ArgumentParser
import ControlAPI
import ControlClient
import Linux
import LiveScreen
import Operator
import Places
import Screen

/// `torpor top [NAME…]`.
struct TopCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Show all workers live, and what they use; steer them by keys.",
        discussion: """
            '?' lists the keys. A verb says what it will do, and does it after 'y'. Where standard output is not a \
            terminal, or TERM is 'dumb', one picture is printed as text.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        help: ArgumentHelp(
            "Order by a column: "
                + TopColumn.ordering.map(\.rawValue).joined(separator: ", ") + ".", valueName: "column"))
    var sort: String?

    @Option(
        help: ArgumentHelp(
            "Fold the instances of templates, or the workers of a group.", valueName: "template|group"))
    var fold: String?

    @Option(
        help: ArgumentHelp(
            "Show only workers with these words in the name, state, group or description; '!word' excludes.",
            valueName: "words"))
    var filter: String?

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        if let sort, !TopColumn.ordering.contains(where: { $0.rawValue == sort }) {
            let expected = TopColumn.ordering.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("invalid --sort '\(sort)'; expected one of \(expected)")
        }
        if let fold, TopScreen.Folding(rawValue: fold) == nil {
            throw ValidationError("invalid --fold '\(fold)'; expected template or group")
        }
        if options.json != nil || options.wantsJSON {
            throw ValidationError("top has no JSON; see 'torpor list --json' and 'torpor watch --json'")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        // That there is a supervisor is known before the terminal is touched.
        let known = try session.call(SupervisorInterface.List.self, .init(names: names.isEmpty ? nil : names))
        let status = session.reportUnknown(names, among: known.workers)
        guard status == .success else { return status }
        var screen = TopScreen(
            origin: session.socket, isUnicode: console.style.isUnicode, filter: filter ?? "")
        screen.order(by: sort.flatMap(TopColumn.init) ?? .name)
        screen.fold(fold.flatMap(TopScreen.Folding.init) ?? .none)
        guard console.isTerminal, !["dumb", ""].contains(Console.variable("TERM") ?? "") else {
            try picture(screen, known, &session)
            return .success
        }
        let reach = try session.reach
        let printer = session
        // Its own connections from here on: this one would only wait.
        session.startAnew()
        let style = Style(isUnicode: console.style.isUnicode, users: console.style.users)
        try LiveTop(
            screen, of: names.isEmpty ? nil : names,
            in: .init(
                connect: { () throws(Failure) in try reach.polled() }, isLocal: session.host == nil,
                isColoured: console.style.isColoured,
                status: { StatusView($0.worker, at: .local).rendered(style) },
                why: { WhyView($0).rendered(style) },
                outputElsewhere: { printer.lines(at: $0, 500) })
        ).run()
        return .success
    }

    /// How wide a picture is that goes to no terminal.
    private static let usualWidth = 120

    /// So many changes of the last hour are looked at, the newest.
    private static let mostChanges = 10_000

    /// What the last hour was, for the wakes in it and for the states before the present ones.
    private func remember(names: [String], in screen: inout TopScreen, over session: inout Session) {
        var past: [SupervisorInterface.HistoryEntry] = []
        let filter = HistoryFilter(names: names, since: KernelClock.wall - 3_600_000_000, kinds: [.changed])
        do throws(Failure) {
            try HistoryReading(filter, lines: .newest(Self.mostChanges)).read(over: &session) { reply in
                past += reply.entries
            }
        } catch {
            // `torpor run` has no history.
            return
        }
        screen.remembered(past)
    }

    /// Prints what the screen would show, with all rows: after two samples, so that CPU is known.
    private func picture(
        _ screen: TopScreen, _ known: SupervisorInterface.List.Reply, _ session: inout Session
    ) throws(Failure) {
        var screen = screen
        screen.isPicture = true
        screen.began(with: known.workers, at: KernelClock.wall)
        screen.told(lowPower: known.lowPower)
        remember(names: names, in: &screen, over: &session)
        // Ignoring a failure: torpor run looks at no memory unless it is told to.
        screen.told(try? session.call(SupervisorInterface.Pressure.self, .init()))
        let all = known.workers.map(\.name)
        for round in 0..<2 {
            if round > 0 { session.console.pause(milliseconds: 1000) }
            for start in stride(from: 0, to: all.count, by: 128) {
                let part = Array(all[start..<min(start + 128, all.count)])
                do throws(Failure) {
                    let reply = try session.call(SupervisorInterface.Figures.self, .init(names: part))
                    screen.sampled(reply.workers, of: part, at: KernelClock.wall)
                } catch {
                    guard error.status != .unavailable || error.isNotOffered else { throw error }
                    screen.figuresProblem = LiveTop.words(error)
                }
            }
        }
        let (columns, rows) = (session.console.style.width ?? Self.usualWidth, all.count * 2 + 6)
        screen.resize(columns: columns, rows: rows)
        if session.host == nil {
            screen.counted(OpenConnections.counted(screen.shownProcesses(at: KernelClock.wall)))
        }
        var lines = screen.drawn(at: KernelClock.wall).lines
        while lines.last?.isEmpty ?? false { lines.removeLast() }
        session.console.print(lines.map { $0 + "\n" }.joined())
    }
}

extension SupervisorReach {
    /// How long a supervisor has to accept a connection of a live screen, in microseconds.
    private static let patience: Int64 = 500_000

    /// A connection that never waits, for a screen that goes on without one.
    fileprivate func polled() throws(Failure) -> PolledConnection {
        // Looking starts no supervisor.
        if case .local(let place) = self, place.wouldStart() {
            throw Failure(.unavailable, "\(owner) is not running", isNobodyThere: true)
        }
        do throws(ControlClientError) {
            switch self {
            case .local(let place):
                return try PolledConnection(connectingTo: place.socket, timeout: Self.patience)
            case .remote(let host):
                return try PolledConnection(through: host.withoutQuestions.bridge(mayLaunch: false))
            }
        } catch {
            throw Failure(error, calling: "", at: address)
        }
    }
}
