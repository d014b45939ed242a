import ArgumentParser
internal import Continuing
import ControlAPI
internal import Glibc
import Lifecycle
import Linux
import Operator
import Varlink

/// `torpor continue [NAME [TYPE]]`.
struct ContinueCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "continue",
        abstract: "Hand an activity of a worker over to another worker, here or on another machine.",
        usage: """
            torpor continue [--with <worker>] [--to <host>] [--to-socket <path>] [--payload <json>] <name> [<type>]
            torpor continue [<name>]
            """,
        discussion: """
            The worker is asked for the state of the activity; a worker that continues activities of that type (ActivityTypes=) \
            gets it in the foreground, and is launched for it where it does not run. Only when that has taken it, the first \
            leaves the foreground; whatever else happens, the first keeps the activity. Without a name, or with --list, the \
            activities that workers offer and continue are listed.
            """)

    @OptionGroup var options: OperatorOptions

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The machine whose supervisor gets the activity, by ssh.", valueName: "host"))
    var destination: String?

    @Option(
        help: ArgumentHelp(
            "The control socket of the supervisor that gets the activity, on that machine.",
            valueName: "path"),
        completion: .file())
    var toSocket: String?

    @Option(
        help: ArgumentHelp(
            "The worker that continues it; the first by name that continues the type by default.",
            valueName: "worker"), completion: .workers)
    var with: String?

    @Option(
        help: ArgumentHelp(
            "The state, in the place of that of the worker: a JSON object of at most 64 KiB.",
            valueName: "json"))
    var payload: String?

    @Flag(help: "List the activities that workers offer and continue.")
    var list = false

    @Argument(help: "The worker that has the activity.", completion: .workers)
    var name: String?

    @Argument(help: "The type; may be left out where the worker offers one activity.")
    var type: String?

    private var isListing: Bool { list || name == nil }

    func validate() throws {
        if isListing, destination != nil || toSocket != nil || with != nil || payload != nil || type != nil {
            throw ValidationError(
                "no worker whose activity is handed over; usage: torpor continue NAME [TYPE] [--to HOST]")
        }
    }

    func operate(_ session: inout Session) throws(Failure) -> OperatorExit {
        guard !isListing, let name else { return try list(&session) }
        let target = try Session(targetOptions, session.console)
        let end = try Session(options, session.console)
        var way = HandoffWay(
            first: session, second: target, end: end, name: name, isElsewhere: isElsewhere,
            place: toSocket ?? "")
        return try way.carry(type: type, payload: try state, to: with)
    }

    private var isElsewhere: Bool { destination != nil || toSocket != nil }

    /// Where the activity goes: the same supervisor, unless another is named.
    private var targetOptions: OperatorOptions {
        var target = options
        guard isElsewhere else { return target }
        target.host = destination
        target.socket = toSocket
        (target.system, target.user) = (false, false)
        return target
    }

    private var state: JSON? {
        get throws(Failure) {
            guard let payload else { return nil }
            guard let json = try? JSON(parsing: Array(payload.utf8).span), json.object != nil else {
                throw Failure(.usage, "--payload is not a JSON object such as '{\"line\": 1}'")
            }
            return json
        }
    }

    private func list(_ session: inout Session) throws(Failure) -> OperatorExit {
        let reply = try session.call(
            SupervisorInterface.Activities.self, .init(names: name.map { [$0] }))
        let style = session.console.style
        try session.show(reply) { ActivitiesView(reply, clock: .local).rendered(style) }
        return .success
    }
}

/// The way of an activity from one supervisor to another: what ``HandoffCourier`` decides, carried out.
private struct HandoffWay {
    var first: Session
    var second: Session
    /// A second connection to the first supervisor: the call that gives the activity goes on meanwhile.
    var end: Session
    let name: String
    let isElsewhere: Bool
    /// The path of the second supervisor's socket, where that was given; else empty.
    let place: String
    /// Why it did not come to its end, with the exit status for that.
    private var failure: Failure?
    private var worker: String?

    init(
        first: Session, second: Session, end: Session, name: String, isElsewhere: Bool, place: String
    ) {
        (self.first, self.second, self.end) = (first, second, end)
        (self.name, self.isElsewhere, self.place) = (name, isElsewhere, place)
    }

    mutating func carry(type: String?, payload: JSON?, to taker: String?) throws(Failure) -> OperatorExit {
        var courier = HandoffCourier()
        // The way there is long: it begins while the worker is asked for its state.
        second.reachOut(for: SupervisorInterface.TakeActivity.self)
        let given: SupervisorInterface.GiveActivity.Reply
        do throws(Failure) {
            given = try give(type, payload)
        } catch {
            second.startAnew()
            throw error
        }
        let parameters = SupervisorInterface.TakeActivity.Parameters(
            handoff: given.handoff, type: given.type, title: given.title, payload: given.payload, name: taker,
            from: isElsewhere ? "\(name)@\(first.host?.name ?? Self.hostName)" : name)
        var order = courier.handle(.given)
        while let next = order {
            switch next {
            case .carry: order = courier.handle(bring(parameters))
            case .carryAgain:
                second.startAnew()
                order = courier.handle(bring(parameters))
            case .tellTaken(let worker):
                order = courier.handle(tell(.init(handoff: given.handoff, taken: worker)))
            case .tellNotTaken(let why):
                order = courier.handle(tell(.init(handoff: given.handoff, why: why)))
            case .finish(let result): return try finish(result, given)
            }
        }
        return .success
    }

    /// Asks the worker for its state; what this fails with is said as it is, since nothing has happened yet.
    private mutating func give(
        _ type: String?, _ payload: JSON?
    ) throws(Failure) -> SupervisorInterface.GiveActivity.Reply {
        let given = try first.first(
            SupervisorInterface.GiveActivity.self, .init(name: name, type: type, payload: payload))
        guard let given, given.over == nil else {
            throw Failure(.tryAgain, "\(name) keeps the activity: \(given?.over ?? "no state came")")
        }
        return given
    }

    private mutating func bring(
        _ parameters: SupervisorInterface.TakeActivity.Parameters
    ) -> HandoffCourier.Event {
        do throws(Failure) {
            let reply = try second.call(SupervisorInterface.TakeActivity.self, parameters)
            worker = reply.worker
            return .taken(by: place(of: reply.worker))
        } catch {
            failure = error
            return second.mayHaveBeenDone ? .silent(error.description) : .notTaken(error.description)
        }
    }

    private mutating func tell(
        _ parameters: SupervisorInterface.EndHandoff.Parameters
    ) -> HandoffCourier.Event {
        do throws(Failure) {
            _ = try end.call(SupervisorInterface.EndHandoff.self, parameters)
            return .told
        } catch {
            return .notTold(error.description)
        }
    }

    private func finish(
        _ result: HandoffCourier.Result, _ given: SupervisorInterface.GiveActivity.Reply
    ) throws(Failure) -> OperatorExit {
        switch result {
        case .done(let taker):
            let isQuiet = first.console.isQuiet
            try first.show(SupervisorInterface.TakeActivity.Reply(worker: worker ?? taker)) {
                isQuiet ? "" : "\(taker) continues \(given.type) of \(name).\n"
            }
            return .success
        case .kept(let why):
            throw Failure(failure?.status ?? .tryAgain, "\(name) keeps \(given.type): \(why)")
        case .unknown(let why):
            throw Failure(
                failure?.status ?? .tryAgain,
                "\(name) keeps \(given.type), and the other supervisor may have given it to a worker too: \(why)"
            )
        case .both(let taker, let why):
            throw Failure(
                .tryAgain,
                "\(taker) continues \(given.type), and \(name), which could not be told, may have it too: \(why)"
            )
        }
    }

    private func place(of worker: String) -> String {
        guard isElsewhere else { return worker }
        return second.host.map { "\(worker)@\($0.name)" } ?? "\(worker) (\(place))"
    }

    private static var hostName: String {
        var room = [CChar](repeating: 0, count: 256)
        guard gethostname(&room, room.count - 1) == 0 else { return "localhost" }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
