internal import ConfigurationSyntax
package import Lifecycle

/// Callbacks that workers have answered after a change, in words: the history tells them with the next one.
///
/// What was answered in the very moment of a change, as willEnterForeground before it becomes inactive, is told with that one.
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
        all[worker, default: []].append(Self.words(callback, completion, took))
    }

    /// That a worker has answered a callback after so long, as `willResignActive took 3ms`.
    package static func words(_ callback: Callback, _ completion: Completion, _ took: TimeSpan) -> String {
        let verb =
            switch completion {
            case .done: "took"
            case .refused: "was refused after"
            case .failed: "failed after"
            }
        return "\(callback.rawValue) \(verb) \(took.legible)"
    }

    /// What a worker has answered since the change before, as `before it, didBecomeActive took 508ms`; nil for nothing.
    ///
    /// It is told once.
    package mutating func take(of worker: String) -> String? {
        guard !all.isEmpty, let words = all.removeValue(forKey: worker) else { return nil }
        return "before it, " + words.joined(separator: ", ")
    }
}
