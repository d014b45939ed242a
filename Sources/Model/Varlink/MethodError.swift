/// An error reply of a method: a name and parameters.
public struct MethodError: Error, Hashable, Sendable {
    /// The full name, such as `org.varlink.service.MethodNotFound`.
    public let name: String
    /// The parameters, as described by the interface.
    public let parameters: JSON.Object

    /// Creates an error named `name`.
    public init(_ name: String, _ parameters: JSON.Object = [:]) {
        self.name = name
        self.parameters = parameters
    }
}

/// The errors that every service may return (varlink.org, "Service Interface").
extension MethodError {
    /// The service has no such interface.
    public static func interfaceNotFound(_ interface: String) -> MethodError {
        MethodError("org.varlink.service.InterfaceNotFound", ["interface": .string(interface)])
    }

    /// The interface has no such method.
    public static func methodNotFound(_ method: String) -> MethodError {
        MethodError("org.varlink.service.MethodNotFound", ["method": .string(method)])
    }

    /// The interface describes the method, but this service does not implement it, or not in the requested way.
    public static func methodNotImplemented(_ method: String) -> MethodError {
        MethodError("org.varlink.service.MethodNotImplemented", ["method": .string(method)])
    }

    /// A parameter is missing, unknown or of the wrong type; `parameter` is its path, as `names[2]`.
    public static func invalidParameter(_ parameter: String) -> MethodError {
        MethodError("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
    }

    /// Permission denied.
    public static let permissionDenied = MethodError("org.varlink.service.PermissionDenied")

    /// The method answers more than once and was called without `more`.
    public static let expectedMore = MethodError("org.varlink.service.ExpectedMore")
}
