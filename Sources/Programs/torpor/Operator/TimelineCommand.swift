import ArgumentParser
import ControlAPI
import Operator
import Picture
import Places
import Simulation
import SimulationText
import Supervisor
import WorkerFile

/// `torpor timeline [NAME…]`.
struct TimelineCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "Show the states of workers over time, one line per worker.",
        discussion: """
            The states are those of the history, with launches, wakes, evictions, failures, warnings and memory \
            pressure. With --svg or --html a picture or a page is written instead; the page needs no network. \
            With --simulate the states are those of a scenario; given twice, the two are shown side by side.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        name: [.customShort("S", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Begin at this time, such as 'today', '2h ago' or '10:30'; 24h ago by default.", valueName: "time"
        ))
    var since: String?

    @Option(
        name: [.customShort("U"), .long], parsing: .unconditional,
        help: ArgumentHelp("End at this time; now by default.", valueName: "time"))
    var until: String?

    @Option(
        help: ArgumentHelp("Write an SVG picture to this file; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var svg: String?

    @Option(
        help: ArgumentHelp("Write an HTML page to this file; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var html: String?

    @Option(
        help: ArgumentHelp("Run a scenario and show that; may be given twice.", valueName: "scenario"),
        completion: .file(extensions: ["scenario"]))
    var simulate: [String] = []

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        try Period.validate(since: since, until: until)
        if !simulate.isEmpty, since != nil || until != nil || !names.isEmpty {
            throw ValidationError("--simulate takes no names, --since or --until")
        }
        if options.json != nil || options.wantsJSON {
            throw ValidationError("timeline has no JSON; see 'torpor history --json=short'")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        let timeline: Timeline
        if simulate.isEmpty {
            timeline = try read(&session)
        } else {
            guard let scenarios = scenarios(console) else { return .configuration }
            timeline = SimulatedTimeline(scenarios).run()
        }
        if let svg { try PictureFile.write(TimelineSVG(timeline).rendered(), to: svg, console) }
        if let html { try PictureFile.write(TimelinePage(timeline).rendered(), to: html, console) }
        if svg == nil, html == nil { console.print(TimelineView(timeline).rendered(console.style)) }
        return .success
    }

    private func read(_ session: inout Session) throws(Failure) -> Timeline {
        let clock = WallClock.local
        let console = session.console
        // What is to come is not known.
        let end = min(until.flatMap(clock.moment) ?? clock.now, clock.now)
        let start = since.flatMap(clock.moment) ?? end - 86_400_000_000
        guard start < end else {
            throw Failure(.usage, "--since is not before \(until == nil ? "now" : "--until")")
        }
        let (timeline, problem) = try TimelineReading(
            names: names, from: start, to: end, users: console.style.users
        ).read(over: &session, at: clock)
        if let problem, !console.isQuiet {
            console.note("torpor: cannot read the stored history, output is incomplete: \(problem)")
        }
        if timeline.lanes.isEmpty, let name = names.first {
            throw Failure(
                .noSuchWorker, "no worker matches “\(name)”; see 'torpor list'", isNoSuchWorker: true)
        }
        return timeline
    }

    /// The scenarios, labelled by their files; nil where one of them is invalid, which is reported.
    private func scenarios(_ console: Console) -> [(label: String, scenario: Scenario)]? {
        var scenarios: [(label: String, scenario: Scenario)] = []
        for path in simulate {
            let reading = ScenarioReading(path, from: DiskFileSource(), place: .here())
            for problem in reading.problems { console.note("torpor: \(problem)") }
            guard let scenario = reading.scenario else { return nil }
            if !console.isQuiet { for warning in reading.warnings { console.note("warning: \(warning)") } }
            let file = path.split(separator: "/").last.map(String.init) ?? path
            let label = file.hasSuffix(".scenario") ? String(file.dropLast(9)) : file
            let isTaken = scenarios.contains { $0.label == label }
            scenarios.append((isTaken ? "\(label) \(scenarios.count + 1)" : label, scenario))
        }
        return scenarios
    }
}
