internal import Lifecycle

/// Policies of workers, each once: most of thousands have one of a few.
struct PolicyPool {
    private struct Entry { weak var policy: SharedPolicy? }

    private var known: [Policy: Entry] = [:]
    /// With so many it is seen which of them no worker has any more.
    private var limit = leastLimit
    private static let leastLimit = 64

    /// The policy that equals this one and that a worker has, or else this one.
    mutating func shared(_ policy: SharedPolicy) -> SharedPolicy {
        if let same = known[policy.value]?.policy { return same }
        if known.count >= limit {
            known = known.filter { $0.value.policy != nil }
            limit = max(Self.leastLimit, 2 * known.count)
        }
        known[policy.value] = Entry(policy: policy)
        return policy
    }
}
