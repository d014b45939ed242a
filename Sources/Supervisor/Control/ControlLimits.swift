internal import ControlAPI
public import Lifecycle
public import Varlink

/// What a server says to those whom it cuts off.
public struct ControlErrors: Sendable {
    /// So many connections are the limit.
    public let tooManyConnections: @Sendable (Int64) -> MethodError
    /// So many bytes may wait for a client that does not read.
    public let slowReader: @Sendable (Int64) -> MethodError

    /// The errors of `io.torpor.Supervisor`.
    public static let supervisor = ControlErrors(
        tooManyConnections: { SupervisorInterface.tooManyConnections(limit: $0) },
        slowReader: { SupervisorInterface.slowReader(limit: $0) })
    /// The errors of `io.torpor.Worker`.
    public static let worker = ControlErrors(
        tooManyConnections: { WorkerInterface.tooManyConnections(limit: $0) },
        slowReader: { _ in WorkerInterface.notNow(why: "it does not read what is sent to it") })
}

/// How much of us the clients of a control server can use.
public struct ControlLimits: Hashable, Sendable {
    /// What is granted to a user.
    public struct Allowance: Hashable, Sendable {
        /// Connections at the same time.
        public var connections: Int
        /// What each of them can use.
        public var connection: ServerConnection.Limits

        /// Everything at once.
        public init(connections: Int, connection: ServerConnection.Limits) {
            self.connections = connections
            self.connection = connection
        }
    }

    /// Connections of all users at the same time, as far as a quarter of our descriptors reaches.
    public var connections = 1024
    /// The part of ``connections`` that is kept for operators, so that strangers cannot shut them out.
    public var reserved = 64
    /// What an operator's user gets.
    public var operators = Allowance(connections: 256, connection: ServerConnection.Limits())
    /// What any other user gets.
    public var others: Allowance
    /// How long a client may leave what waits for it untouched; then it is cut off.
    public var patience = TimeSpan.seconds(30)
    /// Connections that are accepted before anything else gets its turn.
    public var acceptsPerTurn = 16
    /// Calls of one connection that are carried out before anything else gets its turn; of posts that are read by themselves
    /// sixteen times as many.
    public var callsPerTurn = 32

    /// The defaults: all strangers of one user together cannot make us keep more than some 40 MB.
    public init() {
        var connection = ServerConnection.Limits()
        connection.message = 64 << 10
        connection.values = 1 << 13
        connection.calls = 1024
        connection.subscriptions = 4
        connection.backlog = 1 << 20
        others = Allowance(connections: 32, connection: connection)
    }
}
