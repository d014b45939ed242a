package import ConfigurationSyntax
internal import Continuing
internal import ControlAPI
internal import ControlServer
internal import History
internal import Lifecycle
internal import Notifications
internal import Supervisor
internal import SupervisorPorts
package import Varlink

/// Activities that are handed over: the caller carries them from one worker to another, here or on another machine.
extension OperatorService {
    static let activityMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Activities.self, returning: OperatorService.activities),
        MethodHandler(API.GiveActivity.self, OperatorService.giveActivity),
        MethodHandler(API.EndHandoff.self, returning: OperatorService.endHandoff),
        MethodHandler(API.TakeActivity.self, OperatorService.takeActivity),
    ]

    /// The most bytes of a title, of a worker's name elsewhere, and of an id.
    package static let longestTitle = 256
    private static let longestID = 64

    func activities(
        _ parameters: API.Activities.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Activities.Reply {
        guard NameFilter.isBounded(parameters.names) else { throw .invalidParameter("names") }
        var reply = API.Activities.Reply(offers: [], takers: [])
        for entry in registry.matching(anyOf: parameters.names) {
            guard let view = supervisor.view(of: entry.id) else { continue }
            reply.offers += API.ActivityOffer.all(of: view, named: entry.name, now: now)
            guard !entry.isOrphaned else { continue }
            reply.takers += supervisor.continuedTypes(of: entry.id).map {
                API.ActivityTaker(worker: entry.name, type: $0.text)
            }
        }
        return reply
    }

    // MARK: the worker that has the activity

    func giveActivity(
        _ parameters: API.GiveActivity.Parameters, _ responder: Responder
    ) throws(MethodError) {
        guard responder.mode == .more else { throw .expectedMore }
        let entry = try known(parameters.name)
        let type = try parameters.type.map { (type) throws(MethodError) in try Self.type(type) }
        let state = try parameters.payload.map { (payload) throws(MethodError) in try Self.state(payload) }
        var random = SystemRandomNumberGenerator()
        let handoff = Self.hex(random.next()) + Self.hex(random.next())
        let peer = responder.peer
        let request = HandoffRequest(
            id: handoff, type, state: state, by: .operator(uid: peer.uid, pid: peer.pid))
        responder.note = ["handoff": .string(handoff)]
        let refusal = supervisor.handOver(request, of: entry.id, call(responder, of: entry))
        switch refusal {
        case nil:
            let id = entry.id
            responder.onClose { [weak self] in
                // Kept until then: the call goes on.
                _ = responder
                self?.supervisor.settleActivities(of: id, .callEnded(handoff))
            }
        case .severalOffered, .notOffered, .noneOffered:
            throw API.unsupported(name: entry.name, why: refusal?.sentence ?? "")
        case let refusal?: throw API.refused(name: entry.name, why: refusal.sentence)
        }
    }

    /// Goes on with a handoff that a predecessor has begun.
    func giveActivityOn(
        _ parameters: API.GiveActivity.Parameters, _ note: JSON.Object, _ responder: Responder
    ) throws(MethodError) {
        let entry = try known(parameters.name)
        let id = entry.id
        guard let handoff = note["handoff"]?.string,
            supervisor.goOn(withHandoff: handoff, of: id, call(responder, of: entry))
        else {
            throw API.hookFailed(name: entry.name, why: "the supervisor was replaced in the meantime")
        }
        responder.note = note
        responder.onClose { [weak self] in
            _ = responder
            self?.supervisor.settleActivities(of: id, .callEnded(handoff))
        }
    }

    /// Tells a caller the state, and how the handoff is over.
    private func call(_ responder: Responder, of entry: RegisteredWorker) -> HandoffCall {
        let name = entry.name
        return HandoffCall { [weak responder] handoff, state in
            responder?.more(
                API.GiveActivity.Reply(
                    handoff: handoff.id, type: handoff.type.text, title: handoff.title,
                    payload: .object(ActivityState.object(of: state))))
        } over: { [weak responder] handoff, end in
            guard let responder, responder.isOpen else { return }
            switch end {
            case .notTold, .askingOverran: responder.fail(API.hookFailed(name: name, why: end.words))
            case .taken, .notTaken, .carryingOverran, .callLost, .processEnded:
                responder.reply(
                    API.GiveActivity.Reply(
                        handoff: handoff.id, type: handoff.type.text, title: handoff.title, over: end.words))
            }
        }
    }

    func endHandoff(
        _ parameters: API.EndHandoff.Parameters, by peer: Peer
    ) throws(MethodError) -> API.EndHandoff.Reply {
        let handoff = parameters.handoff
        guard let id = supervisor.giver(of: handoff), let name = registry[id]?.name else {
            throw API.noSuchHandoff(handoff: handoff)
        }
        let taken = parameters.taken.map { String($0.prefix(Self.longestTitle)) }
        let why = String((parameters.why ?? "no worker has taken it").prefix(Self.longestTitle))
        let event: GivingEvent = taken.map { .taken(handoff, by: $0) } ?? .notTaken(handoff, why: why)
        guard supervisor.settleActivities(of: id, event) == nil else {
            throw API.noSuchHandoff(handoff: handoff)
        }
        return API.EndHandoff.Reply(worker: name)
    }

    // MARK: the worker that is to have it

    func takeActivity(
        _ parameters: API.TakeActivity.Parameters, _ responder: Responder
    ) throws(MethodError) {
        let activity = try Self.activity(parameters)
        let entry = try taker(of: activity, named: parameters.name)
        try reopen()
        responder.note = ["worker": .string(entry.name)]
        let isBrought = supervisor.bring(
            activity, to: entry.id, named: entry.name, by: CallerIdentity(responder.peer)
        ) { name, outcome in
            Self.answer(outcome, name, responder)
        }
        guard isBrought else { throw API.tryAgain(why: "too many activities are being handed over") }
    }

    /// Waits on for what becomes of an activity.
    func takeActivityOn(
        _ parameters: API.TakeActivity.Parameters, _ note: JSON.Object, _ responder: Responder
    ) throws(MethodError) {
        guard let name = note["worker"]?.string, let entry = registry[name] else { throw API.shuttingDown }
        let isThere = supervisor.awaitOutcome(
            of: try Self.activity(parameters), for: entry.id, named: name
        ) { outcome in
            Self.answer(outcome, name, responder)
        }
        guard isThere else {
            throw API.refused(name: name, why: "the supervisor was replaced in the meantime")
        }
        responder.note = note
    }

    private static func answer(_ outcome: DeliveryOutcome, _ name: String, _ responder: Responder) {
        switch outcome {
        case .taken: responder.reply(API.TakeActivity.Reply(worker: name))
        case .failed: responder.fail(API.refused(name: name, why: "it did not accept the activity"))
        case .refused(.noReceiver):
            responder.fail(
                API.unsupported(
                    name: name,
                    why:
                        "it is already running, and takes an activity only at launch; add ContinueActivity= or "
                        + "Type=app with a receiver"))
        case .refused(let refusal): responder.fail(API.refused(name: name, why: refusal.sentence))
        }
    }

    /// The worker that is to continue an activity: the one of that name, or the first by name that continues its type and does
    /// not have it now.
    private func taker(
        of activity: BroughtActivity, named name: String?
    ) throws(MethodError) -> RegisteredWorker {
        let giver = supervisor.giver(of: activity.handoff)
        // After a restart of the supervisor the giver is known by its name alone; one of another supervisor has its host behind it.
        func gives(_ entry: RegisteredWorker) -> Bool { entry.id == giver || entry.name == activity.from }
        if let name {
            let entry = try known(name)
            guard !gives(entry) else {
                throw API.unsupported(name: entry.name, why: "it is the worker that gives the activity")
            }
            guard supervisor.continuedTypes(of: entry.id).contains(activity.type) else {
                throw API.unsupported(
                    name: entry.name,
                    why: "it does not continue activities of the type \(activity.type); see ActivityTypes=")
            }
            return entry
        }
        let entry = registry.all.first {
            !$0.isOrphaned && !gives($0)
                && supervisor.continuedTypes(of: $0.id).contains(activity.type)
        }
        guard let entry else { throw API.noTaker(type: activity.type.text) }
        return entry
    }

    // MARK: what is read

    private static func activity(
        _ parameters: API.TakeActivity.Parameters
    ) throws(MethodError) -> BroughtActivity {
        let handoff = parameters.handoff
        guard !handoff.isEmpty, handoff.utf8.count <= longestID,
            handoff.utf8.allSatisfy({ byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || byte == UInt8(ascii: "-")
            })
        else { throw .invalidParameter("handoff") }
        let payload = parameters.payload?.object ?? [:]
        guard ActivityState.text(of: payload) != nil else { throw .invalidParameter("payload") }
        return BroughtActivity(
            handoff: handoff, try type(parameters.type),
            title: parameters.title.map { String($0.prefix(longestTitle)) }, payload: payload,
            from: parameters.from.map { String($0.prefix(longestTitle)) })
    }

    package static func type(_ text: String) throws(MethodError) -> ActivityType {
        guard let type = try? ActivityType(parsing: text) else { throw .invalidParameter("type") }
        return type
    }

    /// The text of a state that a caller gives.
    package static func state(_ payload: JSON) throws(MethodError) -> String {
        guard let object = payload.object, let text = ActivityState.text(of: object) else {
            throw .invalidParameter("payload")
        }
        return text
    }

    private static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}

extension SupervisorInterface.ActivityOffer {
    /// What a worker offers as it stands.
    static func all(of view: WorkerView, named name: String, now: Instant) -> [Self] {
        let giving = view.giving
        return giving.types(view.givingStanding).map { type in
            let offer = giving.offer(of: type)
            let source: SupervisorInterface.ActivitySource =
                switch offer?.source {
                case .connection: .connection
                case .notification: .notification
                case .file, nil: .file
                }
            return Self(
                worker: name, type: type.text, title: offer?.title, source: source,
                since: offer.map { WallClock.microseconds(of: $0.since, now: now) },
                inHandoff: giving.current?.type == type)
        }
    }
}
