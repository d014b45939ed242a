internal import ConfigurationSyntax
internal import Continuing
internal import ControlAPI
internal import ControlServer
internal import Lifecycle
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import Varlink

/// Activities that workers offer themselves.
extension WorkerService {
    func offerActivity(
        _ parameters: API.OfferActivity.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let type = try OperatorService.type(parameters.type)
        if let title = parameters.title, title.utf8.count > OperatorService.longestTitle {
            throw .invalidParameter("title")
        }
        let state = try parameters.payload.map { (payload) throws(MethodError) in
            try OperatorService.state(payload)
        }
        let refusal = supervisor.settleActivities(
            of: worker,
            .offered(type, title: parameters.title, state: state, asks: parameters.asks ?? false, .connection)
        )
        if let refusal { throw API.notOffered(why: refusal.sentence) }
        responder.reply(API.Nothing())
    }

    func withdrawActivity(
        _ parameters: API.WithdrawActivity.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let type = try parameters.type.map { (type) throws(MethodError) in try OperatorService.type(type) }
        supervisor.settleActivities(of: worker, .withdrawn(type, .connection))
        responder.reply(API.Nothing())
    }

    func answerActivity(
        _ parameters: API.AnswerActivity.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let failure = API.noSuchQuestion(number: parameters.number)
        guard let number = UInt32(exactly: parameters.number) else { throw failure }
        let event: GivingEvent
        if let why = parameters.failure {
            event = .notAnswered(number, String(why.prefix(OperatorService.longestTitle)))
        } else {
            event = .answered(
                number,
                try parameters.payload.map { (payload) throws(MethodError) in
                    try OperatorService.state(payload)
                } ?? "{}")
        }
        guard supervisor.settleActivities(of: worker, event) == nil else { throw failure }
        responder.reply(API.Nothing())
    }
}
