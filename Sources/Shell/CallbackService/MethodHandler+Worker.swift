internal import ControlAPI
internal import ControlServer
internal import OperatorService
internal import SupervisorPorts
internal import Varlink

extension MethodHandler where Service == WorkerService {
    /// A function of the service that answers the call of a worker's process itself, at once or later.
    init<Method: WorkerInterface.Method>(
        _ method: Method.Type,
        _ body:
            @escaping @Sendable (WorkerService) -> (Method.Parameters, WorkerID, Responder)
            throws(MethodError) -> Void
    ) {
        self.init(Method.member) { (service, call, responder) throws(MethodError) in
            guard let worker = responder.peer.worker else { throw .permissionDenied }
            try body(service)(try call.read(), worker, responder)
        }
    }
}
