package import Lifecycle

/// How long a worker has slept, and which peers woke it: for as long as its supervisor has known it.
///
/// It is bounded however many peers there are: the one that was seen longest ago is forgotten first.
package struct SleepTally: Hashable, Sendable {
    /// A peer that has woken the worker.
    package struct Peer: Hashable, Sendable {
        package let address: IPAddress
        /// How often it has.
        package fileprivate(set) var count = 0
        /// Its latest wakes, the last one at the end.
        fileprivate var recent: [Wake] = []
    }

    fileprivate struct Wake: Hashable, Sendable {
        var at: Instant
        /// Whether it was for one exchange only; nil where that is not judged yet.
        var isExchange: Bool?
    }

    /// A peer that wakes the worker again and again.
    package struct Regular: Hashable, Sendable {
        package let address: IPAddress
        /// The time between two wakes, on average.
        package let interval: TimeSpan
        /// Whether each wake was for one exchange only.
        package let isExchange: Bool
    }

    /// Since when it is counted.
    package let since: Instant
    /// How long it has slept, in sleeps that are over.
    package private(set) var asleep = TimeSpan.zero
    /// How many sleeps are over.
    package private(set) var sleeps = 0
    /// How often it was launched for a client, without a sleep before.
    package private(set) var launches = 0
    /// How often it was wanted again: resumed, or launched for a client.
    package var wakes: Int { sleeps + launches }
    /// The peers, the one that woke it last at the end.
    package private(set) var peers: [Peer] = []

    /// Counts from `since` on.
    package init(since: Instant) { self.since = since }

    /// How many peers are remembered, and how many wakes of each.
    private static let mostPeers = 16
    private static let mostWakes = 8
    /// From how many wakes on a peer counts as one that comes again and again.
    private static let fewest = 3

    /// A sleep of this length ended at `end`; of it counts what lies after `since`.
    package mutating func slept(_ span: TimeSpan, until end: Instant) {
        asleep = asleep + max(.zero, min(span, end - since))
        sleeps += 1
    }

    /// For how long it has slept so far, with the sleep that has lasted since `began`; nil where it is awake.
    package func asleep(at now: Instant, sleepingSince began: Instant?) -> TimeSpan {
        asleep + (began.map { max(.zero, now - max($0, since)) } ?? .zero)
    }

    /// It was launched for a client.
    package mutating func launched() { launches += 1 }

    /// A peer has woken it.
    package mutating func woke(by address: IPAddress, at now: Instant) {
        var peer = Peer(address: address)
        if let index = peers.firstIndex(where: { $0.address == address }) {
            peer = peers.remove(at: index)
        } else if peers.count == Self.mostPeers {
            peers.removeFirst()
        }
        peer.count += 1
        if peer.recent.count == Self.mostWakes { peer.recent.removeFirst() }
        peer.recent.append(Wake(at: now))
        peers.append(peer)
    }

    /// Whether the latest wake was for one exchange only has been found out.
    package mutating func judged(isExchange: Bool) {
        guard let peer = peers.indices.last, let wake = peers[peer].recent.indices.last,
            peers[peer].recent[wake].isExchange == nil
        else { return }
        peers[peer].recent[wake].isExchange = isExchange
    }

    /// The peer that has woken it again and again up to now; nil where there is none.
    package func regular(at now: Instant) -> Regular? {
        let found = peers.compactMap { peer -> Regular? in
            guard peer.recent.count >= Self.fewest, let first = peer.recent.first, let last = peer.recent.last
            else { return nil }
            let interval = TimeSpan(
                microseconds: (last.at - first.at).microseconds / Int64(peer.recent.count - 1))
            // It has come again and again, and does no more.
            guard (now - last.at).microseconds <= 2 * max(interval.microseconds, 1_000_000) else {
                return nil
            }
            let judged = peer.recent.compactMap(\.isExchange)
            return Regular(
                address: peer.address, interval: interval,
                isExchange: !judged.isEmpty && judged.allSatisfy(\.self))
        }
        return found.min { $0.interval < $1.interval }
    }
}
