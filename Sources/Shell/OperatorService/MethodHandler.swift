internal import ControlAPI
internal import ControlServer
internal import Varlink

/// A method of the interface, and what carries it out.
struct MethodHandler: Sendable {
    /// The name of the method, without that of the interface.
    let member: String
    let perform: @Sendable (OperatorService, Call, Responder) throws(MethodError) -> Void
}

extension MethodHandler {
    /// A function of the service that answers the call itself, at once or later.
    init<Method: SupervisorInterface.Method>(
        _ method: Method.Type,
        _ body:
            @escaping @Sendable (OperatorService) -> (Method.Parameters, Responder) throws(MethodError) ->
            Void
    ) {
        self.init(member: Method.member) { (service, call, responder) throws(MethodError) in
            try body(service)(try call.read(), responder)
        }
    }

    /// A function of the service that returns the reply.
    init<Method: SupervisorInterface.Method>(
        _ method: Method.Type,
        returning body:
            @escaping @Sendable (OperatorService) -> (Method.Parameters, Peer) throws(MethodError) ->
            Method.Reply
    ) {
        self.init(member: Method.member) { (service, call, responder) throws(MethodError) in
            responder.reply(try body(service)(try call.read(), responder.peer))
        }
    }
}

extension Call {
    /// The parameters as `parse` reads them, without `Codable`.
    func read<Parameters>(
        _ parse: (JSON.Object) throws(JSON.Mismatch) -> Parameters
    ) throws(MethodError) -> Parameters {
        do throws(JSON.Mismatch) {
            return try parse(parameters)
        } catch {
            throw .invalidParameter(error.path)
        }
    }
}
