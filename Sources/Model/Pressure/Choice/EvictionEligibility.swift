package import Lifecycle

/// What the policy of memory has to know of a worker when it changes: one definition for real and simulated workers.
package struct EvictionEligibility: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It has a process.
    package static let isRunning = EvictionEligibility(rawValue: 1)
    /// It could be evicted now.
    package static let canEvict = EvictionEligibility(rawValue: 2)
    /// It could be warned now.
    package static let canWarn = EvictionEligibility(rawValue: 4)
    /// It runs with a limit of its own, at which it may stall while the machine has plenty.
    package static let isLimited = EvictionEligibility(rawValue: 8)
    /// It runs, and there is a most that it may hold.
    package static let isCapped = EvictionEligibility(rawValue: 16)

    /// A worker as its model stands; `hasLimit` is whether a limit holds in its state, `hasMaximum` whether it has a `MemoryMax=`.
    package init(_ life: borrowing WorkerLifecycle, hasLimit: Bool = false, hasMaximum: Bool = false) {
        self = []
        guard life.pid != nil else { return }
        insert(.isRunning)
        if life.policy.evictable != .no { insert(.canEvict) }
        guard life.state != .suspended else { return }
        insert(.canWarn)
        if hasLimit { insert(.isLimited) }
        if hasMaximum { insert(.isCapped) }
    }
}
