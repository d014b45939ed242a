public import Varlink

extension SupervisorInterface {
    /// No worker has that name, or matches that pattern.
    public static func noSuchWorker(name: String) -> MethodError {
        MethodError("io.torpor.Supervisor.NoSuchWorker", ["name": .string(name)])
    }

    /// That cannot be the name of a worker.
    public static func invalidName(name: String, why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.InvalidName", ["name": .string(name), "why": .string(why)])
    }

    /// The worker is masked: its file is a link to /dev/null.
    public static func workerMasked(name: String, file: String) -> MethodError {
        MethodError("io.torpor.Supervisor.WorkerMasked", ["name": .string(name), "file": .string(file)])
    }

    /// The definition does not hold.
    public static func badDefinition(name: String, file: String?, line: Int64?, key: String?, message: String)
        -> MethodError
    {
        var parameters: JSON.Object = ["name": .string(name), "message": .string(message)]
        parameters["file"] = file.map { .string($0) }
        parameters["line"] = line.map { .int($0) }
        parameters["key"] = key.map { .string($0) }
        return MethodError("io.torpor.Supervisor.BadDefinition", parameters)
    }

    /// The goal was not reached in time, or became unreachable.
    public static func goalNotReached(name: String, goal: Goal, state: State, why: String) -> MethodError {
        MethodError(
            "io.torpor.Supervisor.GoalNotReached",
            [
                "name": .string(name), "goal": .string(goal.rawValue), "state": .string(state.rawValue),
                "why": .string(why),
            ])
    }

    /// No process came to be, and none will until what is in the way is mended.
    public static func launchFailed(name: String, why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.LaunchFailed", ["name": .string(name), "why": .string(why)])
    }

    /// The worker cannot do that as it is now.
    public static func refused(name: String, why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.Refused", ["name": .string(name), "why": .string(why)])
    }

    /// The worker cannot do that, and will not be able to as long as its definition is what it is.
    public static func unsupported(name: String, why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.Unsupported", ["name": .string(name), "why": .string(why)])
    }

    /// The goal is reached, but a hook of the worker failed on the way.
    public static func hookFailed(name: String, why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.HookFailed", ["name": .string(name), "why": .string(why)])
    }

    /// The supervisor has enough of this kind to do for the caller already.
    public static func tryAgain(why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.TryAgain", ["why": .string(why)])
    }

    /// No worker opens URLs of that kind.
    public static func noSuchScheme(scheme: String) -> MethodError {
        MethodError("io.torpor.Supervisor.NoSuchScheme", ["scheme": .string(scheme)])
    }

    /// There is a worker of that name.
    public static func alreadyExists(name: String) -> MethodError {
        MethodError("io.torpor.Supervisor.AlreadyExists", ["name": .string(name)])
    }

    /// The supervisor is about to end, and starts nothing any more.
    public static let shuttingDown = MethodError("io.torpor.Supervisor.ShuttingDown")

    /// The supervisor was not replaced, and goes on as it is.
    public static func notReplaced(why: String) -> MethodError {
        MethodError("io.torpor.Supervisor.NotReplaced", ["why": .string(why)])
    }

    /// The caller has too many connections.
    ///
    /// The last thing said on this one.
    public static func tooManyConnections(limit: Int64) -> MethodError {
        MethodError("io.torpor.Supervisor.TooManyConnections", ["limit": .int(limit)])
    }

    /// The caller does not read, and too much waits for it.
    ///
    /// The last thing said on this connection.
    public static func slowReader(limit: Int64) -> MethodError {
        MethodError("io.torpor.Supervisor.SlowReader", ["limit": .int(limit)])
    }
}
