package import Lifecycle

extension Transition.Cause {
    /// The cause in a word, for programs.
    package var word: String {
        switch self {
        case .launched(let reason): reason.rawValue
        case .goal(let requester): requester.word
        case .woken: "woken"
        case .interruption: "interruption"
        case .reload: "reload"
        case .outside: "outside"
        case .ended(let cause): cause.rawValue
        }
    }
}

extension Requester {
    /// The requester in a word, for programs.
    package var word: String {
        switch self {
        case .operator: "operator"
        case .worker: "worker"
        case .idle: "idle"
        case .handOver: "handOver"
        case .dependency: "dependency"
        case .machine: "machine"
        case .memoryPressure: "memoryPressure"
        case .memoryLimit: "memoryLimit"
        case .wakeSource: "wakeSource"
        case .supervisor: "supervisor"
        }
    }
}
