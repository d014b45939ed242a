internal import Lifecycle

/// What is known of workers whose limits only the supervisor enforces: how fast they grow, and which have been reported.
struct LimitWatch: Hashable, Sendable {
    private struct Seen: Hashable {
        var held: Int64
        var at: Instant
        /// Bytes in a second.
        var growth: Double?
        /// When it was last said that it is over its limit.
        var toldAt: Instant?
        /// Whether it holds so much of its limit that it is to be told.
        var near = Threshold()
    }

    private var seen: [String: Seen] = [:]

    /// Takes in what they hold; returns the workers over their limit, once in a while, those near it without being over it, and when to
    /// look again: nil where none runs.
    ///
    /// From the share `warning` of its limit on a worker is near it, until it holds a quarter less than that.
    mutating func take(
        _ workers: [LimitedWorker], warning: Double = LimitPace.nearShare, at now: Instant
    ) -> (over: [String], near: Set<String>, after: TimeSpan?) {
        var over: [String] = []
        var near: Set<String> = []
        var after: TimeSpan?
        var known: [String: Seen] = [:]
        for worker in workers {
            var this = Seen(held: worker.held, at: now)
            if let before = seen[worker.name] { this = Self.next(worker, after: before, at: now) }
            if worker.held <= worker.limit {
                this.toldAt = nil
            } else if this.toldAt.map({ now - $0 >= LimitPace.longest }) ?? true {
                this.toldAt = now
                over.append(worker.name)
            }
            this.near.take(Double(worker.held), highAt: Double(worker.limit) * warning)
            if this.near.isPassed, worker.held <= worker.limit { near.insert(worker.name) }
            known[worker.name] = this
            guard worker.isAwake else { continue }
            // How fast a new one grows is not known; one that was reported already is known, and its end may take time.
            var pace = LimitPace.near
            if this.toldAt == nil, let growth = this.growth { pace = LimitPace.next(worker, growth: growth) }
            after = min(after ?? pace, pace)
        }
        seen = known
        return (over.sorted(), near, after)
    }

    /// It has ended: another process of its name is another one.
    mutating func forget(_ worker: String) { seen[worker] = nil }

    private static func next(_ worker: LimitedWorker, after before: Seen, at now: Instant) -> Seen {
        var this = before
        this.held = worker.held
        guard now > before.at else { return this }
        let seconds = Double((now - before.at).microseconds) / 1e6
        // It has grown that fast a moment ago, and may again.
        this.growth = max(Double(worker.held - before.held) / seconds, (before.growth ?? 0) / 2)
        this.at = now
        return this
    }
}
