internal import ConfigurationSyntax
package import Lifecycle

/// Callbacks that workers have answered since their last change, in words: the history tells them with the next one.
package struct AnsweredCallbacks {
    private var all: [String: [String]] = [:]

    /// So many of one worker are told.
    private static let most = 4
    /// Of so many workers: one that is gone for good may leave what it has answered behind.
    private static let mostWorkers = 4096

    /// None yet.
    package init() {}

    /// A worker has answered a callback after so long.
    package mutating func note(
        _ callback: Callback, _ completion: Completion, _ took: TimeSpan, of worker: String
    ) {
        guard all[worker]?.count ?? 0 < Self.most, all.count < Self.mostWorkers else { return }
        let verb =
            switch completion {
            case .done: "took"
            case .refused: "was refused after"
            case .failed: "failed after"
            }
        all[worker, default: []].append("\(callback.rawValue) \(verb) \(took.legible)")
    }

    /// What a worker has answered, as `willResignActive took 3ms, didEnterBackground took 1.204s`; nil for nothing.
    ///
    /// It is told once.
    package mutating func take(of worker: String) -> String? {
        all.isEmpty ? nil : all.removeValue(forKey: worker)?.joined(separator: ", ")
    }
}
