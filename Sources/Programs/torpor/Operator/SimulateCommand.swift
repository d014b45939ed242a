import ArgumentParser
import Operator
import Places
import Simulation
import SimulationText
import Supervisor
import WorkerFile

/// `torpor simulate SCENARIO`, which needs no supervisor and runs nothing.
struct SimulateCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Try a policy in virtual time, without running anything.",
        discussion: """
            A scenario is a file in the syntax of worker files: [Worker NAME] with File= or the directives \
            themselves, [Program NAME] with the behaviour of its program, and [Events] with events and their times. \
            State changes are printed as they happen, followed by a summary; with --quiet only the summary is \
            printed. Examples are in packaging/examples. Exits with 78 if the scenario is invalid.
            """)

    @OptionGroup var options: OperatorOptions

    @Argument(help: "A scenario.", completion: .file(extensions: ["scenario"]))
    var scenario: String

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        try session.requireHere("scenarios of this machine are read")
        let console = session.console
        let reading = ScenarioReading(scenario, from: DiskFileSource(), place: .here())
        for problem in reading.problems { console.note("torpor: \(problem)") }
        guard let scenario = reading.scenario else { return .configuration }
        if !console.isQuiet { for warning in reading.warnings { console.note("warning: \(warning)") } }
        var world = World(scenario)
        var view = SimulationView(scenario)
        var text = ""
        while true {
            let step = world.next()
            guard !console.isQuiet else {
                guard let step else { break }
                view.take(step)
                continue
            }
            text +=
                console.json == .off
                ? view.rendered(world.decisions, console.style)
                    + view.rendered(world.flushNotes, console.style)
                    + view.rendered(world.handoffNotes, console.style)
                : view.documents(world.decisions, console.json)
                    + view.documents(world.flushNotes, console.json)
                    + view.documents(world.handoffNotes, console.json)
            guard let step else { break }
            text +=
                console.json == .off
                ? view.rendered(step, console.style) : view.document(step, console.json)
            // In pieces: a day of many workers is long.
            if text.utf8.count > 1 << 16 {
                console.print(text)
                text = ""
            }
        }
        guard console.json == .off else {
            console.print(text + view.summary(of: world, console.json))
            return .success
        }
        // The summary is all that is asked for with --quiet, and has its header then too.
        var style = console.style
        style.hasLegend = !options.noLegend
        console.print(text + (text.isEmpty ? "" : "\n") + view.summary(of: world, style))
        return .success
    }
}
