internal import ControlAPI
internal import ControlServer
internal import History
internal import Interrupting
package import Lifecycle
internal import Supervisor
internal import SupervisorPorts
package import Varlink

/// Interruptions that operators begin and end, and alerts that they answer (1.4).
extension OperatorService {
    static let interruptionMethods: [MethodHandler<OperatorService>] = [
        MethodHandler(API.Interrupt.self, OperatorService.interrupt),
        MethodHandler(API.EndInterruption.self, returning: OperatorService.endInterruption),
        MethodHandler(API.Answer.self, returning: OperatorService.answerAlert),
    ]

    /// The most characters of a purpose that are kept.
    private static let longestPurpose = 256

    func interrupt(_ parameters: API.Interrupt.Parameters, _ responder: Responder) throws(MethodError) {
        let entry = try known(parameters.name)
        let (id, peer) = (entry.id, responder.peer)
        let purpose = String((parameters.purpose ?? "").prefix(Self.longestPurpose))
        let kind: Interruption.Kind = responder.mode == .more ? .call(purpose) : .request(purpose)
        let limit = try TimeSpan(limit: parameters.limitUsec, "limitUsec")
        let result = supervisor.interrupt(
            id, kind, by: .operator(uid: peer.uid, pid: peer.pid), limit: limit)
        switch result {
        case .failure(let refusal): throw API.refused(name: entry.name, why: refusal.sentence)
        case .success(let interruption):
            let reply = API.Interrupt.Reply(number: Int64(interruption.number))
            guard responder.mode == .more else { return responder.reply(reply) }
            responder.note = ["number": .int(Int64(interruption.number))]
            keepInterrupting(interruption.number, of: id, responder)
            responder.more(reply)
        }
    }

    /// Goes on with an interruption that a predecessor has begun.
    func interruptOn(
        _ parameters: API.Interrupt.Parameters, _ note: JSON.Object, _ responder: Responder
    ) throws(MethodError) {
        guard responder.mode == .more, let number = note["number"]?.int.flatMap({ UInt32(exactly: $0) })
        else {
            return try interrupt(parameters, responder)
        }
        let id = try known(parameters.name).id
        responder.note = note
        keepInterrupting(number, of: id, responder)
    }

    /// Interrupts a worker until the connection is closed, and says so when that does not last as long.
    private func keepInterrupting(_ number: UInt32, of id: WorkerID, _ responder: Responder) {
        responder.onClose { [weak self] in
            // Kept until then: the call goes on.
            _ = responder
            self?.supervisor.settleInterruptions(of: id, .ended(number))
        }
        supervisor.watchInterruption(number, of: id) { [weak responder] end in
            guard let responder, responder.isOpen else { return }
            responder.reply(API.Interrupt.Reply(number: Int64(number), over: .init(end)))
        }
    }

    func endInterruption(
        _ parameters: API.EndInterruption.Parameters, by peer: Peer
    ) throws(MethodError) -> API.EndInterruption.Reply {
        let over = try settle(
            parameters.name, .endRequested(try number(parameters.number)))
        return API.EndInterruption.Reply(number: Int64(over.number))
    }

    func answerAlert(
        _ parameters: API.Answer.Parameters, by peer: Peer
    ) throws(MethodError) -> API.Answer.Reply {
        let over = try settle(parameters.name, .answered(try number(parameters.number)))
        return API.Answer.Reply(number: Int64(over.number), topic: over.subject)
    }

    private func number(_ number: Int64?) throws(MethodError) -> UInt32? {
        try number.map { (number) throws(MethodError) in
            guard let number = UInt32(exactly: number) else { throw .invalidParameter("number") }
            return number
        }
    }

    private func settle(
        _ name: String, _ event: InterruptionEvent
    ) throws(MethodError) -> Interruption {
        let entry = try known(name)
        let result = supervisor.settleInterruptions(of: entry.id, event)
        switch result {
        case .success(let interruption): return interruption
        case .failure(let refusal):
            throw API.noSuchInterruption(name: entry.name, why: refusal.sentence)
        }
    }
}

extension TimeSpan {
    /// A limit that a caller gives, in microseconds; nil where it gives none.
    package init?(limit: Int64?, _ parameter: String) throws(MethodError) {
        guard let limit else { return nil }
        guard limit > 0 else { throw .invalidParameter(parameter) }
        self.init(microseconds: limit)
    }
}

extension Interruption {
    /// The session, the topic or the purpose.
    var subject: String {
        switch kind {
        case .sessionLock(let text), .call(let text), .request(let text), .worker(let text),
            .alert(let text):
            text
        }
    }
}

extension SupervisorInterface.Interruption {
    init(_ interruption: Interruption, now: Instant) {
        let kind: SupervisorInterface.InterruptionKind =
            switch interruption.kind {
            case .sessionLock: .sessionLock
            case .call: .call
            case .request: .request
            case .worker: .worker
            case .alert: .alert
            }
        self.init(
            number: Int64(interruption.number), kind: kind,
            subject: interruption.subject.isEmpty ? nil : interruption.subject,
            since: WallClock.microseconds(of: interruption.since, now: now),
            remainingUsec: interruption.due.map { max(0, ($0 - now).microseconds) },
            by: SupervisorInterface.Caller(interruption.requester))
    }
}

extension SupervisorInterface.InterruptionEnd {
    fileprivate init(_ end: Interruption.End) {
        self =
            switch end {
            case .ended: .ended
            case .unlocked: .unlocked
            case .answered: .answered
            case .limit: .limit
            case .processEnded: .workerEnded
            case .callLost: .callLost
            }
    }
}
