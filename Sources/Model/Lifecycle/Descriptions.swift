// The words in which people read the life cycle: in logs, on the terminal and in answers.

extension State: CustomStringConvertible {
    /// The state's name.
    public var description: String { rawValue }
}

extension Goal: CustomStringConvertible {
    /// The goal's name.
    public var description: String { rawValue }
}

extension CallbackSet: CustomStringConvertible {
    /// The callbacks' names, in the order of their declaration.
    public var description: String {
        Callback.allCases.filter { contains($0) }.map(\.rawValue).joined(separator: ", ")
    }
}

extension Requester: CustomStringConvertible {
    /// The requester, in words.
    public var description: String {
        switch self {
        case .operator(let uid, let pid): "operator, uid \(uid), pid \(pid)"
        case .worker: "the worker itself"
        case .idle: "idle"
        case .handOver: "hand-over"
        case .dependency: "dependency"
        case .machine: "the machine"
        case .memoryPressure: "memory pressure"
        case .memoryLimit: "memory limit"
        case .wakeSource: "wake source"
        case .supervisor: "supervisor"
        }
    }
}

extension Transition.Cause: CustomStringConvertible {
    /// The cause, in words.
    public var description: String {
        switch self {
        case .launched(let reason): "launch: \(reason.rawValue)"
        case .goal(let requester): "\(requester)"
        case .woken: "woken"
        case .interruption: "interruption"
        case .reload: "reload"
        case .outside: "another program"
        case .ended(let cause): cause.rawValue
        }
    }
}

extension Warning: CustomStringConvertible {
    /// The warning, in words.
    public var description: String {
        switch self {
        case .overrun(let callback): "\(callback.rawValue) took too long and was abandoned"
        case .holdsResource: "it holds a resource while it is suspended"
        case .freezeFailed: "it could not be frozen and stays in the background"
        case .thawFailed: "it could not be thawed to be asked to end, and is killed while it is suspended"
        case .cannotBeKilled: "SIGKILL did not end it"
        case .startLimitHit: "it was started too often and is not restarted"
        }
    }
}

extension ExitStatus: CustomStringConvertible {
    /// The exit status, in words.
    public var description: String {
        switch self {
        case .exited(let code): "status \(code)"
        case .killed(let signal, let coreDumped): "signal \(signal)\(coreDumped ? ", core dumped" : "")"
        case .unknown: "status unknown"
        }
    }
}
