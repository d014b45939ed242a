import ArgumentParser
import Operator
import Picture

/// `torpor graph [NAME]`.
struct GraphCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract:
            "Show the states of a worker and the ways between them, or how workers depend on each other.",
        discussion: """
            With the name of a worker: its states as configured, with hooks, deadlines and what wakes it, and the state \
            that it is in. With several names, a pattern or none: what each worker requires, excludes and is woken by.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        help: ArgumentHelp("Write an SVG picture to this file; '-' is standard output.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var svg: String?

    @Flag(help: "Print the graph for Graphviz: torpor graph --dot | dot -Tsvg.")
    var dot = false

    @Argument(help: "Names of workers, or shell patterns; all by default.", completion: .workers)
    var names: [String] = []

    func validate() throws {
        if dot, svg != nil { throw ValidationError("--dot and --svg are mutually exclusive") }
        if options.json != nil || options.wantsJSON {
            throw ValidationError("graph has no JSON; see 'torpor cat --json=short'")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        let console = session.console
        if names.count == 1, let name = names.first, !name.isShellPattern {
            let diagram = try GraphReading.diagram(of: name, over: &session)
            if let svg { try PictureFile.write(StateDiagramSVG(diagram).rendered(), to: svg, console) }
            if dot { console.print(diagram.dot) }
            if svg == nil, !dot { console.print(GraphView.rendered(diagram, console.style)) }
            return .success
        }
        let graph = try GraphReading.graph(of: names, over: &session)
        if let svg {
            let picture = WorkerGraphSVG(graph, title: "Workers")
            try PictureFile.write(picture.rendered(), to: svg, console)
        }
        if dot { console.print(graph.dot) }
        if svg == nil, !dot { console.print(GraphView.rendered(graph, console.style)) }
        guard let missing = names.first, graph.nodes.isEmpty else { return .success }
        throw Failure(
            .noSuchWorker, "no worker matches “\(missing)”; see 'torpor list'", isNoSuchWorker: true)
    }
}
