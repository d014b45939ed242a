public import Varlink

extension SupervisorInterface {
    /// The interface, with its description word for word.
    public static let definition = InterfaceDefinition(
        builtIn: String(decoding: PackageResources.io_torpor_Supervisor_varlink, as: UTF8.self))

    /// The parameters of the verbs that set a goal.
    public typealias GoalParameters = Activate.Parameters

    /// The reply of the verbs that set a goal.
    public typealias GoalReply = Launch.Reply

    /// The parameters of the methods that are about one notification.
    public typealias NotificationNumber = RetryNotification.Parameters
}

// The bounds that the description of these methods states.

extension SupervisorInterface.Logs {
    /// How many lines an answer has where the caller gives no number.
    public static let usual = 10
}

extension SupervisorInterface.Report {
    /// How many ends an answer has where the caller gives no number, and at most.
    public static let limits = (usual: 10, most: 50)
}

extension SupervisorInterface.History {
    /// How many entries an answer has where the caller gives no number, and at most.
    public static let limits = (usual: 100, most: 1000)
}
