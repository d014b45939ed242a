internal import ControlAPI
package import ControlServer
package import Varlink

/// A method of an interface, and the function of `Service` that carries it out.
///
/// Each service has a table of them, which a test compares with the description of its interface.
package struct MethodHandler<Service>: Sendable {
    /// The name of the method, without that of the interface.
    package let member: String
    package let perform: @Sendable (Service, Call, Responder) throws(MethodError) -> Void

    /// A method of this name, without that of the interface.
    package init(
        _ member: String,
        _ perform: @escaping @Sendable (Service, Call, Responder) throws(MethodError) -> Void
    ) {
        (self.member, self.perform) = (member, perform)
    }
}

extension MethodHandler where Service == OperatorService {
    /// A function of the service that answers the call itself, at once or later.
    init<Method: SupervisorInterface.Method>(
        _ method: Method.Type,
        _ body:
            @escaping @Sendable (OperatorService) -> (Method.Parameters, Responder) throws(MethodError) ->
            Void
    ) {
        self.init(Method.member) { (service, call, responder) throws(MethodError) in
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
        self.init(Method.member) { (service, call, responder) throws(MethodError) in
            responder.reply(try body(service)(try call.read(), responder.peer))
        }
    }
}

extension Call {
    /// The parameters, as their type.
    package func read<Parameters: JSONConvertible>() throws(MethodError) -> Parameters {
        do throws(JSON.Mismatch) {
            return try Parameters(json: .object(parameters))
        } catch {
            throw .invalidParameter(error.path)
        }
    }

    /// The parameters as `parse` reads them.
    package func read<Parameters>(
        _ parse: (JSON.Object) throws(JSON.Mismatch) -> Parameters
    ) throws(MethodError) -> Parameters {
        do throws(JSON.Mismatch) {
            return try parse(parameters)
        } catch {
            throw .invalidParameter(error.path)
        }
    }
}
