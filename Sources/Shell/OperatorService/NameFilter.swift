internal import Glibc
internal import SupervisorPorts

/// Which workers are meant by names and shell patterns (fnmatch(3)); each worker is compared with them once.
final class NameFilter {
    private let names: Set<String>
    private let patterns: [String]
    private var known: [WorkerID: Bool] = [:]

    /// A filter for those that any of `texts` names or matches.
    init(_ texts: [String]) {
        names = Set(texts)
        patterns = texts.filter(WorkerRegistry.isPattern)
    }

    /// Whether the worker of that number, which has this name, is meant.
    func includes(_ worker: WorkerID, _ name: String) -> Bool {
        if let known = known[worker] { return known }
        let isMeant = names.contains(name) || patterns.contains { fnmatch($0, name, 0) == 0 }
        known[worker] = isMeant
        return isMeant
    }

    /// A worker is no more.
    func forget(_ worker: WorkerID) { known[worker] = nil }
}

extension NameFilter {
    /// How many names one question may have: each is looked up by itself.
    static let mostNames = 64
    /// How long each of them may be, in bytes: longer than any worker's.
    static let longestName = 256

    /// Whether a question names no more than is looked up for one.
    static func isBounded(_ names: [String]?) -> Bool {
        names.map { $0.count <= mostNames && $0.allSatisfy { $0.utf8.count <= longestName } } ?? true
    }
}
