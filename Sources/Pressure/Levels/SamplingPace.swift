internal import Lifecycle

/// How long the machine's figures may be left alone: the longer, the farther they are from a threshold (2.3).
enum SamplingPace {
    /// The longest, above twice the warning's threshold.
    static let longest = TimeSpan.seconds(10)
    /// The shortest.
    static let shortest = TimeSpan.milliseconds(50)
    /// The shortest where there is plenty, and falling fast.
    static let soonest = TimeSpan.seconds(1)
    /// While there is a warning, so that its end is noticed.
    static let whileWarning = TimeSpan.seconds(1)
    /// While it is critical and nothing of ours helps.
    static let whileHelpless = TimeSpan.seconds(2)

    /// The time until the next look, and how much later it may come.
    static func next(
        _ gauge: PressureGauge, _ settings: PressureSettings, isHelpless: Bool
    ) -> (after: TimeSpan, slack: TimeSpan) {
        let after: TimeSpan =
            switch gauge.level {
            case .critical: isHelpless ? whileHelpless : shortest + shortest
            case .warning:
                min(
                    whileWarning,
                    untilThreshold(gauge, settings.criticalAvailable, from: settings.warningAvailable))
            case .normal:
                untilThreshold(gauge, settings.warningAvailable, from: settings.warningAvailable * 2)
            }
        // A tenth of it may be shared with other wake-ups; all of a second where there is plenty of time.
        return (after, TimeSpan(microseconds: after.microseconds / 10))
    }

    /// From ten seconds at `far` down to the shortest at the threshold, and a quarter of the time that is left at this speed.
    private static func untilThreshold(_ gauge: PressureGauge, _ threshold: Double, from far: Double)
        -> TimeSpan
    {
        guard let memory = gauge.memory, memory.total > 0 else { return longest }
        let percent = memory.availablePercent
        guard percent < far else {
            // So fast that it will not be that far any more.
            guard gauge.decline > 0 else { return longest }
            let left = (percent - far) / 100 * Double(memory.total) / gauge.decline * 1e6
            return min(longest, max(soonest, TimeSpan(microseconds: Int64(min(left, 1e9)))))
        }
        let distance = max(0, percent - threshold) / max(far - threshold, 0.001)
        var microseconds = Double(longest.microseconds) * min(distance, 1)
        if gauge.decline > 0 {
            let left = max(0, percent - threshold) / 100 * Double(memory.total)
            microseconds = min(microseconds, left / gauge.decline * 1e6 / 4)
        }
        return max(shortest, TimeSpan(microseconds: Int64(microseconds)))
    }
}
