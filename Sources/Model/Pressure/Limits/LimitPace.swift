internal import Lifecycle

/// How long a worker may be left alone, by its distance from its limit and the speed at which it grows.
enum LimitPace {
    /// The longest, far from the limit.
    static let longest = TimeSpan.seconds(10)
    /// The longest near it.
    static let near = TimeSpan.seconds(1)
    static let shortest = TimeSpan.milliseconds(100)
    /// From which share of the limit on it is near.
    static let nearShare = 0.8

    /// The time until the next look at a worker that grows by so many bytes in a second.
    static func next(_ worker: LimitedWorker, growth: Double) -> TimeSpan {
        let share = Double(worker.held) / Double(worker.limit)
        var span = Double(longest.microseconds)
        if share >= nearShare {
            let distance = max(0, 1 - share) / (1 - nearShare)
            span = Double(shortest.microseconds) + Double((near - shortest).microseconds) * distance
        }
        if growth > 0 {
            // A quarter of the time that is left at this speed.
            let left = Double(max(0, worker.limit - worker.held))
            span = min(span, left / growth * 1e6 / 4)
        }
        return max(shortest, TimeSpan(microseconds: Int64(span)))
    }
}
