/// An error that a method answers: a name and what goes with it.
public struct MethodError: Error, Hashable, Sendable {
    /// The full name, as `org.varlink.service.MethodNotFound`.
    public let name: String
    /// Its parameters, as the interface describes them.
    public let parameters: JSON.Object

    /// An error called `name`.
    public init(_ name: String, _ parameters: JSON.Object = [:]) {
        self.name = name
        self.parameters = parameters
    }
}

/// The errors that every service may answer (varlink.org, "Service Interface").
extension MethodError {
    /// The service has no such interface.
    public static func interfaceNotFound(_ interface: String) -> MethodError {
        MethodError("org.varlink.service.InterfaceNotFound", ["interface": .string(interface)])
    }

    /// The interface has no such method.
    public static func methodNotFound(_ method: String) -> MethodError {
        MethodError("org.varlink.service.MethodNotFound", ["method": .string(method)])
    }

    /// The interface describes the method, but this service does not offer it, or not in the way that was asked for.
    public static func methodNotImplemented(_ method: String) -> MethodError {
        MethodError("org.varlink.service.MethodNotImplemented", ["method": .string(method)])
    }

    /// A parameter is missing, unknown or of the wrong type; `parameter` is its path, as `names[2]`.
    public static func invalidParameter(_ parameter: String) -> MethodError {
        MethodError("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
    }

    /// The caller may not do this.
    public static let permissionDenied = MethodError("org.varlink.service.PermissionDenied")

    /// The method answers more than once and was called without `more`.
    public static let expectedMore = MethodError("org.varlink.service.ExpectedMore")
}
