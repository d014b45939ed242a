internal import ControlAPI
internal import Store
internal import Varlink

/// `Report` and `History`: answered when the store has answered.
extension OperatorService {
    func report(
        _ parameters: API.Report.Parameters, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let daemon = try daemonOnly("torpor run keeps no record of ends")
        if let limit = parameters.limit, limit < 0 { throw .invalidParameter("limit") }
        guard Daemon.isBounded(parameters.names) else { throw .invalidParameter("names") }
        daemon.report(parameters, by: Asker(peer)) { [weak self] reply in
            guard var reply else { return responder.fail(Self.crowded) }
            if reply.reports.isEmpty, let name = self?.stranger(in: parameters.names) {
                return responder.fail(API.noSuchWorker(name: name))
            }
            if !peer.isOperator { reply.reports = reply.reports.map(\.redacted) }
            responder.reply(reply)
        }
    }

    func history(
        _ parameters: API.History.Parameters, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let daemon = try daemonOnly("torpor run keeps no history")
        if let limit = parameters.limit, limit < 0 { throw .invalidParameter("limit") }
        guard Daemon.isBounded(parameters.names) else { throw .invalidParameter("names") }
        daemon.history(parameters, by: Asker(peer)) { [weak self] reply in
            guard var reply else { return responder.fail(Self.crowded) }
            if reply.entries.isEmpty, let name = self?.stranger(in: parameters.names) {
                return responder.fail(API.noSuchWorker(name: name))
            }
            if !peer.isOperator { reply.entries = reply.entries.map(\.redacted) }
            responder.reply(reply)
        }
    }

    private static let crowded = API.tryAgain(
        why: "too many questions about the past wait already; ask again when they are answered")

    /// The first name that is no pattern and no worker's.
    private func stranger(in names: [String]?) -> String? {
        names?.first { !Roster.isPattern($0) && roster[$0] == nil }
    }
}

extension Asker {
    /// The user of a connection.
    fileprivate init(_ peer: Peer) { self = peer.isOperator ? .privileged(peer.uid) : .user(peer.uid) }
}
