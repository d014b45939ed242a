public import Varlink

/// `io.torpor.Worker`: the interface at `$TORPOR_SOCKET`, and the Swift types of everything in it.
///
/// The file `io.torpor.Worker.varlink` is the contract; the types here follow it field by field, which a test checks.
public enum WorkerInterface {
    /// A method: its name, and the types of what goes in and comes out.
    public protocol Method: Sendable {
        /// The parameters of a call.
        associatedtype Parameters: Codable & Hashable & Sendable
        /// The parameters of a reply.
        associatedtype Reply: Codable & Hashable & Sendable
        /// The name without the interface's.
        static var member: String { get }
    }

    /// All methods, as the interface's file has them.
    public static let methods: [any Method.Type] = [
        Attach.self, Complete.self, BeginBackgroundTask.self, EndBackgroundTask.self,
        BackgroundTimeRemaining.self, GetState.self, SaveState.self, Post.self, Schedule.self, Cancel.self,
        RequestActivation.self,
    ]

    /// The interface, with its description word for word.
    public static let definition = InterfaceDefinition(
        builtIn: String(decoding: PackageResources.io_torpor_Worker_varlink, as: UTF8.self))

    /// The methods that make no sense without `more`, by their full names.
    public static let requiringMore: Set<String> = [Attach.name]

    /// The five states of a worker, the same as the operators'.
    public typealias State = SupervisorInterface.State

    /// What a worker was launched for, the same as the operators'.
    public typealias LaunchReason = SupervisorInterface.LaunchReason

    /// No parameters, or no reply.
    public struct Nothing: Codable, Hashable, Sendable {
        /// Nothing.
        public init() {}
    }
}

extension WorkerInterface.Method {
    /// The full name, as `io.torpor.Worker.Attach`.
    public static var name: String { "io.torpor.Worker." + member }
}
