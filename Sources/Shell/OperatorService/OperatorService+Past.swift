internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import Records
internal import Systemd
internal import Varlink

/// A question to the store that waits for its turn: it is asked, and says when it has been answered.
package struct StoreQuestion {
    let responder: Responder
    let ask: (_ answered: @escaping () -> Void) -> Void
}

/// `Report` and `History`: answered when the store has answered.
///
/// Few questions are under way at once, so that no user fills the store's line; the others wait here, where their bytes count
/// against their client.
extension OperatorService {
    static let pastMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Report.self, OperatorService.report),
        MethodHandler(API.History.self, OperatorService.history),
    ]

    func report(_ parameters: API.Report.Parameters, _ responder: Responder) throws(MethodError) {
        let peer = responder.peer
        let daemon = try daemonOnly("torpor run keeps no termination records")
        if let limit = parameters.limit, limit < 0 { throw .invalidParameter("limit") }
        guard NameFilter.isBounded(parameters.names) else { throw .invalidParameter("names") }
        try AnswersForOthers.check(parameters.names, by: peer)
        ask(by: peer, responder) { [weak self] answered in
            daemon.report(parameters, by: Asker(peer)) { reply in
                answered()
                guard var reply else { return responder.fail(Self.crowded) }
                if reply.reports.isEmpty, let name = self?.stranger(in: parameters.names) {
                    return responder.fail(
                        self?.missing(name, isForOperator: peer.isOperator) ?? API.noSuchWorker(name: name))
                }
                if !peer.isOperator { reply.reports = reply.reports.map(\.redacted) }
                responder.reply(reply)
            }
        }
    }

    func history(_ parameters: API.History.Parameters, _ responder: Responder) throws(MethodError) {
        let peer = responder.peer
        let daemon = try daemonOnly("torpor run keeps no history")
        if let limit = parameters.limit, limit < 0 { throw .invalidParameter("limit") }
        guard NameFilter.isBounded(parameters.names) else { throw .invalidParameter("names") }
        if let reasons = parameters.reasons {
            guard reasons.count <= 64, reasons.allSatisfy({ $0.utf8.count <= 64 && !$0.contains(",") }) else {
                throw .invalidParameter("reasons")
            }
        }
        try AnswersForOthers.check(parameters.names, by: peer)
        var parameters = parameters
        if !peer.isOperator, let limit = parameters.limit {
            parameters.limit = min(limit, Self.mostEntriesForOthers)
        }
        ask(by: peer, responder) { [weak self, parameters] answered in
            daemon.history(parameters, by: Asker(peer)) { reply in
                answered()
                guard var reply else { return responder.fail(Self.crowded) }
                if reply.entries.isEmpty, let name = self?.stranger(in: parameters.names) {
                    return responder.fail(
                        self?.missing(name, isForOperator: peer.isOperator) ?? API.noSuchWorker(name: name))
                }
                if !peer.isOperator { reply.entries = reply.entries.map(\.redacted) }
                responder.reply(reply)
            }
        }
    }

    /// Entries of the history in one answer to a caller that is no operator; it reads on by `before`.
    private static let mostEntriesForOthers: Int64 = 200

    // MARK: questions

    private func ask(
        by peer: Peer, _ responder: Responder, _ body: @escaping (_ answered: @escaping () -> Void) -> Void
    ) {
        // Known to be open for as long as it waits.
        let question = StoreQuestion(responder: responder, ask: body)
        questions[peer.lane]?.append(question, of: peer.account)
        askNext(peer.lane)
    }

    private func askNext(_ lane: ControlLane) {
        while let (account, question) = questions[lane]?.next() {
            // A caller that went away meanwhile has no question any more.
            guard question.responder.isOpen else {
                questions[lane]?.answered(account)
                continue
            }
            question.ask { [weak self] in
                guard let self else { return }
                questions[lane]?.answered(account)
                loop.callSoon { [weak self] in self?.askNext(lane) }
            }
        }
    }

    private static let crowded = API.tryAgain(
        why: "too many queries of the history are pending; try again later")

    /// The first name that is no pattern and no worker's.
    private func stranger(in names: [String]?) -> String? {
        names?.first { !WorkerRegistry.isPattern($0) && registry[$0] == nil }
    }
}

extension Asker {
    /// The user of a connection.
    fileprivate init(_ peer: Peer) { self = peer.isOperator ? .privileged(peer.uid) : .user(peer.uid) }
}
