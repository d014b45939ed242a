internal import ConfigurationSyntax
internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import Notifications
internal import Supervisor
internal import SupervisorPorts
internal import Varlink
internal import WorkerFile

/// What operators hand to workers: URLs, and time.
extension OperatorService {
    static let handingMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Open.self, OperatorService.open),
        MethodHandler(API.Hold.self, OperatorService.hold),
    ]

    // MARK: URLs

    func open(_ parameters: API.Open.Parameters, _ responder: Responder) throws(MethodError) {
        let url = parameters.url
        guard let scheme = URLText(url)?.scheme else { throw .invalidParameter("url") }
        guard let entry = registry.opener(of: scheme) else { throw API.noSuchScheme(scheme: scheme) }
        try reopen()
        let name = entry.name
        let answer: (DeliveryOutcome) -> Void = { outcome in
            switch outcome {
            case .taken: responder.reply(API.Open.Reply(worker: name))
            case .failed: responder.fail(API.refused(name: name, why: "it did not accept the URL"))
            case .refused(let refusal): responder.fail(Self.unopened(by: entry, refusal))
            }
        }
        let id = entry.id
        responder.note = ["worker": .string(name)]
        let caller = CallerIdentity(responder.peer)
        supervisor.open(url, with: id, by: caller, then: answer)
    }

    /// Waits on for what becomes of a URL.
    func openOn(
        _ parameters: API.Open.Parameters, _ note: JSON.Object, _ responder: Responder
    ) throws(MethodError) {
        guard let name = note["worker"]?.string, let entry = registry[name] else { throw API.shuttingDown }
        let (id, url) = (entry.id, parameters.url)
        let answer: (DeliveryOutcome) -> Void = { outcome in
            switch outcome {
            case .taken: responder.reply(API.Open.Reply(worker: name))
            case .failed: responder.fail(API.refused(name: name, why: "it did not accept the URL"))
            case .refused(let refusal): responder.fail(Self.unopened(by: entry, refusal))
            }
        }
        let isThere = supervisor.awaitOutcome(of: .url(url), for: id, then: answer)
        guard isThere else {
            throw API.refused(name: name, why: "the supervisor was replaced in the meantime")
        }
    }

    /// Why a worker does not open a URL that its file says it opens.
    private static func unopened(by entry: RegisteredWorker, _ refusal: Refusal) -> MethodError {
        guard refusal == .noReceiver else {
            return API.refused(name: entry.name, why: refusal.sentence)
        }
        if entry.loaded?.definition.command?.contains(marker: UInt8(ascii: "u")) ?? false {
            return API.refused(
                name: entry.name, why: "it is already running, and accepts a URL only at launch")
        }
        return API.unsupported(
            name: entry.name,
            why:
                "it has URLSchemes= but no receiver for URLs; add OpenURL=, %u in ExecStart= or "
                + "Type=app with a receiver")
    }

    // MARK: holding

    /// Goes on holding.
    func holdOn(
        _ parameters: API.Hold.Parameters, _ note: JSON.Object, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let id = try known(parameters.name).id
        guard let token = note["token"]?.int.flatMap({ UInt32(exactly: $0) }) else {
            return try hold(parameters, responder)
        }
        responder.note = note
        keepHolding(token, of: id, by: Requester.operator(uid: peer.uid, pid: peer.pid), responder)
    }

    /// Holds a worker until the connection is closed, and says so when that does not last as long.
    private func keepHolding(
        _ token: UInt32, of id: WorkerID, by requester: Requester, _ responder: Responder
    ) {
        responder.onClose { [weak self] in
            // Kept until then: the call goes on.
            _ = responder
            self?.supervisor.endTask(token, of: id, by: requester)
        }
        supervisor.watchHold(token, of: id) { [weak responder] end, record in
            responder?.reply(
                API.Hold.Reply(
                    over: .init(end), reason: record.map { "it \(StatusPrinter.sentence($0))" }))
        }
    }

    func hold(_ parameters: API.Hold.Parameters, _ responder: Responder) throws(MethodError) {
        let peer = responder.peer
        let entry = try known(parameters.name)
        let (id, name) = (entry.id, entry.name)
        let requester = Requester.operator(uid: peer.uid, pid: peer.pid)
        let answer: (TaskAnswer, UInt32, TimeSpan?, Int) -> Void = {
            [weak self] answer, token, left, limit in
            switch answer {
            case .began:
                responder.note = ["token": .int(Int64(token))]
                self?.keepHolding(token, of: id, by: requester, responder)
                responder.more(API.Hold.Reply(remainingUsec: left?.microseconds))
            case .tooMany:
                responder.fail(
                    API.refused(name: name, why: "it has the maximum of \(limit) background tasks"))
            case .ending: responder.fail(API.refused(name: name, why: "it is ending"))
            case .notRunning, .duplicate, .noSuchTask, .ended:
                responder.fail(API.refused(name: name, why: Refusal.notRunning.sentence))
            }
        }
        let purpose = String((parameters.purpose ?? "hold").prefix(256))
        let limit = try parameters.limitUsec.map { (limit) throws(MethodError) in
            guard limit > 0 else { throw .invalidParameter("limitUsec") }
            return TimeSpan(microseconds: limit)
        }
        supervisor.beginTask(purpose, of: id, by: requester, limit: limit, then: answer)
    }
}

extension SupervisorInterface.HoldEnd {
    fileprivate init(_ end: Lifecycle.HoldEnd) {
        self =
            switch end {
            case .limit: .limit
            case .workerEnded: .workerEnded
            }
    }
}

/// A URL, as far as it has to be understood to find the worker that opens it (RFC 3986).
struct URLText {
    /// The scheme, in lower case.
    let scheme: String

    /// Nil for what is no URL: no scheme before a colon, characters that no URL has, more than 64 KiB.
    init?(_ text: String) {
        guard text.utf8.count <= 64 << 10, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy({ byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
            })
        else { return nil }
        self.scheme = scheme
    }
}
