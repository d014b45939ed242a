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
        MethodHandler(API.CanOpen.self, OperatorService.canOpen),
        MethodHandler(API.Open.self, OperatorService.open),
        MethodHandler(API.Hold.self, OperatorService.hold),
    ]

    // MARK: URLs

    /// Says which workers would be asked.
    func canOpen(_ parameters: API.CanOpen.Parameters, _ responder: Responder) throws(MethodError) {
        responder.reply(API.CanOpen.Reply(workers: try openers(of: parameters.url).map(\.name)))
    }

    func open(_ parameters: API.Open.Parameters, _ responder: Responder) throws(MethodError) {
        let openers = try openers(of: parameters.url)
        try reopen()
        ask(openers[...], to: parameters.url, instead: nil, responder)
    }

    /// The workers that open a URL, in the order in which they are asked.
    private func openers(of url: String) throws(MethodError) -> [RegisteredWorker] {
        guard let scheme = URLText(url)?.scheme else { throw .invalidParameter("url") }
        let openers = registry.openers(of: scheme)
        guard !openers.isEmpty else { throw API.noSuchScheme(scheme: scheme) }
        return openers
    }

    /// Asks one worker after the other to open a URL; `failure` is what came of the first, and is told where none does.
    private func ask(
        _ openers: ArraySlice<RegisteredWorker>, to url: String, instead failure: MethodError?,
        _ responder: Responder
    ) {
        guard let entry = openers.first else {
            if let failure { responder.fail(failure) }
            return
        }
        responder.note = ["worker": .string(entry.name)]
        supervisor.open(url, with: entry.id, by: CallerIdentity(responder.peer)) {
            [weak self, id = entry.id] outcome in
            guard let problem = Self.problem(outcome, entry) else {
                return responder.reply(API.Open.Reply(worker: entry.name))
            }
            let first = failure ?? problem
            // What the caller does not wait for any more is not opened with another one.
            guard let self, responder.isOpen, registry[id] != nil else { return responder.fail(first) }
            ask(openers.dropFirst(), to: url, instead: first, responder)
        }
    }

    /// Why a worker has not opened a URL; nil where it has.
    private static func problem(_ outcome: DeliveryOutcome, _ entry: RegisteredWorker) -> MethodError? {
        switch outcome {
        case .taken: nil
        case .failed: API.refused(name: entry.name, why: "it did not accept the URL")
        case .refused(let refusal): unopened(by: entry, refusal)
        }
    }

    /// Waits on for what becomes of a URL.
    func openOn(
        _ parameters: API.Open.Parameters, _ note: JSON.Object, _ responder: Responder
    ) throws(MethodError) {
        guard let name = note["worker"]?.string, let entry = registry[name] else { throw API.shuttingDown }
        let (id, url) = (entry.id, parameters.url)
        let answer: (DeliveryOutcome) -> Void = { [weak self] outcome in
            guard let problem = Self.problem(outcome, entry) else {
                return responder.reply(API.Open.Reply(worker: name))
            }
            // Those before it have been asked by the supervisor that was replaced.
            let openers = (try? self?.openers(of: url)) ?? []
            guard let self, responder.isOpen, let index = openers.firstIndex(where: { $0.id == id }) else {
                return responder.fail(problem)
            }
            ask(openers[(index + 1)...], to: url, instead: problem, responder)
        }
        let isThere = supervisor.awaitOutcome(of: .url(url, source: nil), for: id, then: answer)
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
