package import Lifecycle

/// What sleep would have given of a worker that is only observed (`Idle=observe`), or gave of one that slept.
///
/// It is told when the worker is looked at, once each idle delay: sleeps shorter than that are not counted.
package struct SleepGain: Hashable, Sendable {
    /// For how long of that it would have slept.
    package private(set) var asleep = TimeSpan.zero
    /// How often it would have been woken.
    package private(set) var wakes = 0
    /// How often by each peer, without its port.
    package private(set) var peers: [String: Int] = [:]
    /// When it was looked at first.
    private var since: Instant?
    /// Since when it would sleep now.
    private var sleepsSince: Instant?

    /// Nothing was observed yet.
    package init() {}

    /// How many peers are told apart.
    private static let most = 64

    /// Takes a look at the latest use of a worker that sleeps `delay` after it.
    package mutating func judged(_ use: Use?, at now: Instant, delay: TimeSpan) {
        since = since ?? now
        let isIdle = use.map { now - $0.at >= delay } ?? true
        if let begun = sleepsSince {
            if let use, use.at > begun {
                // It was woken at that moment, or before.
                asleep = asleep + max(.zero, use.at - begun)
                wakes += 1
                if let peer = use.peer, peers.count < Self.most || peers[peer] != nil {
                    peers[peer, default: 0] += 1
                }
                sleepsSince = isIdle ? use.at + delay : nil
            }
        } else if isIdle {
            sleepsSince = now
        }
    }

    /// For how long it has been observed.
    package func observed(at now: Instant) -> TimeSpan { since.map { max(.zero, now - $0) } ?? .zero }

    /// For how long it would have slept so far, with the sleep that lasts.
    package func asleep(at now: Instant) -> TimeSpan {
        asleep + (sleepsSince.map { max(.zero, now - $0) } ?? .zero)
    }
}

extension Use {
    /// The address of the other end, without its port; nil where there is none.
    fileprivate var peer: String? {
        switch kind {
        case .owes(let peer, _), .connected(let peer), .spoke(let peer):
            peer.lastIndex(of: ":").map { String(peer[..<$0]) } ?? peer
        case .said, .unwakeable, .held, .computes, .passed: nil
        }
    }
}
