internal import ControlAPI
package import Lifecycle
package import Varlink

/// What a server says to clients that it cuts off.
package struct ControlErrors: Sendable {
    /// So many connections are the limit, or all descriptors are in use.
    package let tooManyConnections: @Sendable (ConnectionBound) -> MethodError
    /// So many bytes may wait for a client that does not read.
    package let slowReader: @Sendable (Int64) -> MethodError
    /// So many bytes of messages that have not come whole may be kept for a user or a worker.
    package let tooMuch: @Sendable (Int64) -> MethodError

    /// The errors of `io.torpor.Supervisor`.
    package static let supervisor = ControlErrors(
        tooManyConnections: {
            SupervisorInterface.tooManyConnections(
                limit: Int64($0.connections), why: $0.shortage?.description)
        },
        slowReader: { SupervisorInterface.slowReader(limit: $0) },
        tooMuch: { SupervisorInterface.slowReader(limit: $0) })
    /// The errors of `io.torpor.Worker`.
    package static let worker = ControlErrors(
        tooManyConnections: { WorkerInterface.tooManyConnections(limit: Int64($0.connections)) },
        slowReader: { _ in WorkerInterface.notNow(why: "it does not read its messages") },
        tooMuch: {
            WorkerInterface.notNow(why: "its concurrent messages exceed \($0) bytes")
        })
}

/// What a connection met that was turned away.
package struct ConnectionBound: Hashable, Sendable, CustomStringConvertible {
    /// What there is too little of, where it is no limit of connections that was met.
    package enum Shortage: Hashable, Sendable, CustomStringConvertible {
        /// This process may have so many files open (RLIMIT_NOFILE; EMFILE), and nearly all are.
        case ofProcess(Int)
        /// The system has no file left (fs.file-max; ENFILE).
        case ofSystem

        /// What is short and what to do, as a clause.
        package var description: String {
            switch self {
            case .ofProcess(let limit):
                "it may have \(limit) open files, and nearly all are in use; close some connections, or raise the LimitNOFILE= "
                    + "of its unit ('ulimit -Hn' where a shell starts it) and restart it"
            case .ofSystem:
                "the system has too many open files; close some, or raise the setting fs.file-max (sysctl(8))"
            }
        }
    }

    /// How many connections the client's user, or all clients, may have; how many there are, where no descriptor is left.
    package let connections: Int
    /// What is short instead; nil where it is ``connections`` that was met.
    package var shortage: Shortage?

    /// In a clause, for a log.
    package var description: String {
        shortage.map { "with \(connections) connections \($0)" } ?? "the limit is \(connections)"
    }
}

/// How much of the server its clients can use.
package struct ControlLimits: Hashable, Sendable {
    /// What is granted to a user.
    package struct Allowance: Hashable, Sendable {
        /// Connections at the same time.
        package var connections: Int
        /// What each of them can use.
        package var connection: ServerConnection.Limits

        /// Everything at once.
        package init(connections: Int, connection: ServerConnection.Limits) {
            self.connections = connections
            self.connection = connection
        }
    }

    /// Connections of all users at the same time, as far as a quarter of our descriptors reaches.
    package var connections = 1024
    /// The part of ``connections`` that is kept for operators, so that other users cannot shut them out.
    package var reserved = 64
    /// What an operator's user gets.
    package var operators = Allowance(connections: 256, connection: ServerConnection.Limits())
    /// What any other user gets.
    package var others: Allowance
    /// What the connections of one operators' user hold, and those of all of them.
    var operatorsAllotment = Allotment(account: 64 << 20, total: 256 << 20)
    /// What the connections of any other user hold, and those of all other users.
    package var othersAllotment = Allotment(account: 2 << 20, total: 8 << 20)
    /// How long calls of operators are carried out before anything else gets its turn.
    package var operatorsTurn = TurnLimits(slice: .milliseconds(5), turn: .milliseconds(10))
    /// How long those of other users are.
    package var othersTurn = TurnLimits(
        slice: TimeSpan(microseconds: 500), turn: .milliseconds(2), percent: 25)
    /// How long a client may leave what waits for it untouched; then it is cut off.
    package var patience = TimeSpan.seconds(30)
    /// Connections that are accepted before anything else gets its turn.
    package var acceptsPerTurn = 16
    /// Calls of one connection that are carried out before anything else gets its turn; of posts that are read by themselves
    /// sixteen times as many.
    package var callsPerTurn = 32

    /// The defaults: a user that is not an operator cannot make the server keep more than some 15 MB, and all of them together no more than
    /// some 40 MB.
    ///
    /// Of one user: 2 MB of calls that have not been carried out, 2 MB of answers, and of 32 connections with subscriptions
    /// 256 KiB each until they are cut off.
    package init() {
        var connection = ServerConnection.Limits()
        connection.message = 16 << 10
        connection.values = 1 << 13
        connection.calls = 64
        connection.subscriptions = 4
        connection.backlog = 256 << 10
        others = Allowance(connections: 32, connection: connection)
    }
}
