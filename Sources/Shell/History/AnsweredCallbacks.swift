internal import ConfigurationSyntax
package import Lifecycle

/// Callbacks that workers have answered after a change, in words: the history tells them with the next one.
///
/// What was answered in the very moment of a change, as willEnterForeground before it becomes inactive, is told with that one.
package struct AnsweredCallbacks {
    private struct Answered {
        let words: String
        /// Whether it belongs to the state that ends with the change, and not to the way out of it.
        let isEarlier: Bool
    }

    private var all: [String: [Answered]] = [:]

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
        let isEarlier =
            switch callback {
            case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willEnterForeground: true
            default: false
            }
        all[worker, default: []].append(
            Answered(words: Self.words(callback, completion, took), isEarlier: isEarlier))
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

    /// What a worker has answered since the change before, as `didEnterBackground took 1.204s, before it didBecomeActive took 508ms`; nil
    /// for nothing.
    ///
    /// It is told once.
    package mutating func take(of worker: String) -> String? {
        guard !all.isEmpty, let answered = all.removeValue(forKey: worker) else { return nil }
        let earlier = answered.filter(\.isEarlier).map(\.words)
        let own = answered.filter { !$0.isEarlier }.map(\.words)
        return (own + (earlier.isEmpty ? [] : ["before it " + earlier.joined(separator: ", ")])).joined(
            separator: ", ")
    }
}
