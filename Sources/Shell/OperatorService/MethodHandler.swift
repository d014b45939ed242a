internal import ControlAPI
internal import ControlServer
internal import SupervisorPorts
internal import Varlink

/// A method of an interface, and the function of `Service` that carries it out.
///
/// Each service has a table of them, which a test compares with the description of its interface.
struct MethodHandler<Service>: Sendable {
    /// The name of the method, without that of the interface.
    let member: String
    let perform: @Sendable (Service, Call, Responder) throws(MethodError) -> Void
}

extension MethodHandler where Service == OperatorService {
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

extension MethodHandler where Service == WorkerService {
    /// A function of the service that answers the call of a worker's process itself, at once or later.
    init<Method: WorkerInterface.Method>(
        _ method: Method.Type,
        _ body:
            @escaping @Sendable (WorkerService) -> (Method.Parameters, WorkerID, Responder)
            throws(MethodError) -> Void
    ) {
        self.init(member: Method.member) { (service, call, responder) throws(MethodError) in
            guard let worker = responder.peer.worker else { throw .permissionDenied }
            try body(service)(try call.read(), worker, responder)
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
