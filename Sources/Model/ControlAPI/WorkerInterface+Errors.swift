public import Varlink

extension WorkerInterface {
    /// Another connection is attached already.
    public static let alreadyAttached = MethodError("io.torpor.Worker.AlreadyAttached")

    /// No callback in flight has this id.
    public static func noSuchCallback(id: Int64) -> MethodError {
        MethodError("io.torpor.Worker.NoSuchCallback", ["id": .int(id)])
    }

    /// No background task has this token.
    public static func noSuchTask(token: Int64) -> MethodError {
        MethodError("io.torpor.Worker.NoSuchTask", ["token": .int(token)])
    }

    /// Nothing may begin now.
    public static func notNow(why: String) -> MethodError {
        MethodError("io.torpor.Worker.NotNow", ["why": .string(why)])
    }

    /// There are too many background tasks.
    public static func tooManyTasks(limit: Int64) -> MethodError {
        MethodError("io.torpor.Worker.TooManyTasks", ["limit": .int(limit)])
    }

    /// The state is too large.
    public static func stateTooLarge(limit: Int64) -> MethodError {
        MethodError("io.torpor.Worker.StateTooLarge", ["limit": .int(limit)])
    }

    /// The state cannot be kept.
    public static func stateNotKept(why: String) -> MethodError {
        MethodError("io.torpor.Worker.StateNotKept", ["why": .string(why)])
    }

    /// The worker has too many connections.
    ///
    /// The last thing said on this one.
    public static func tooManyConnections(limit: Int64) -> MethodError {
        MethodError("io.torpor.Worker.TooManyConnections", ["limit": .int(limit)])
    }
}
