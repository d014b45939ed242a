package import Pressure

extension PressurePlace {
    /// The place, for a sentence.
    package var words: String {
        switch self {
        case .machine: "the system"
        case .subtree: "all workers together"
        case .worker(let name): "worker \(name)"
        }
    }
}
