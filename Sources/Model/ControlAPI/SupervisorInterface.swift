public import Varlink

/// `io.torpor.Supervisor`: the interface at the control socket, and the Swift types of everything in it.
///
/// The file `io.torpor.Supervisor.varlink` is the contract; the types here follow it field by field, which a test checks.
public enum SupervisorInterface {
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
        List.self, Describe.self, Why.self, Open.self, Hold.self, Post.self, Notifications.self,
        RetryNotification.self, DropNotification.self, Cancel.self, Cat.self, Logs.self, Send.self,
        Watch.self, Report.self,
        History.self, Launch.self, LaunchTransient.self, Activate.self, Resign.self, Background.self,
        Suspend.self, Resume.self, Restart.self, Terminate.self, Kill.self,
        Shutdown.self, Pressure.self, Doctor.self, Reload.self, ReloadWorker.self, Reexec.self,
        SetLogLevel.self,
        GetLogLevel.self, Ping.self,
    ]

    /// The interface, with its description word for word.
    public static let definition = InterfaceDefinition(
        builtIn: String(decoding: PackageResources.io_torpor_Supervisor_varlink, as: UTF8.self))

    /// The methods that make no sense without `more`, by their full names.
    public static let requiringMore: Set<String> = [Watch.name, Hold.name]

    /// The methods that anybody may call, by their full names; the others are for operators (spec 3.4).
    public static let open: Set<String> = [
        List.name, Describe.name, Why.name, Watch.name, Report.name, History.name, Pressure.name,
        Doctor.name,
        GetLogLevel.name, Ping.name,
    ]

    /// The methods that say what runs, and so as which user, by their full names: root's, by all that it matters, and not every
    /// operator's.
    public static let defining: Set<String> = [LaunchTransient.name]
}

extension SupervisorInterface.Method {
    /// The full name, as `io.torpor.Supervisor.List`.
    public static var name: String { "io.torpor.Supervisor." + member }
}
