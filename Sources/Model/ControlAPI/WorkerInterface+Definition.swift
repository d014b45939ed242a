public import Varlink

extension WorkerInterface {
    /// The interface, with its description word for word.
    public static let definition = InterfaceDefinition(
        builtIn: String(decoding: PackageResources.io_torpor_Worker_varlink, as: UTF8.self))
}
