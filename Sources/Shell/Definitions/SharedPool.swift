internal import Lifecycle
internal import WorkerFile

/// What many workers can refer to at once, and what it says.
protocol Shareable: AnyObject {
    associatedtype Value: Hashable
    var value: Value { get }
}

extension SharedPolicy: Shareable {}
extension SharedDefinition: Shareable {}

/// What workers have, each once: most of thousands have one of a few.
struct SharedPool<Shared: Shareable> {
    private struct Entry { weak var shared: Shared? }

    /// By the hashes of their values: a copy of each for a key would take as much as is saved.
    private var known: [Int: Entry] = [:]
    /// With so many it is seen which of them no worker has any more.
    private var limit = leastLimit
    private static var leastLimit: Int { 64 }

    /// The one that says the same and that a worker has, or else this one.
    mutating func shared(_ new: Shared) -> Shared {
        let hash = new.value.hashValue
        if let same = known[hash]?.shared, same.value == new.value { return same }
        if known.count >= limit {
            known = known.filter { $0.value.shared != nil }
            limit = max(Self.leastLimit, 2 * known.count)
        }
        known[hash] = Entry(shared: new)
        return new
    }
}
