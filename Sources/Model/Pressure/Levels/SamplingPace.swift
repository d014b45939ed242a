internal import Lifecycle

/// How long the machine's figures may be left alone: the longer, the farther they are from a threshold.
enum SamplingPace {
    /// The longest while figures are all that is known, and at twice the warning's threshold.
    static let longest = TimeSpan.seconds(10)
    /// The longest where pressure itself wakes the supervisor, with however much.
    static let idle = TimeSpan.seconds(120)
    /// No machine is thought to lose memory faster, in bytes per second: what is far more than enough may wait the longer.
    static let fastest = 512.0 * 1024 * 1024
    /// So fast memory may go at any time, without having begun before, in bytes per second: where there is little, ten seconds are
    /// too long, however big its share.
    static let sudden = 64.0 * 1024 * 1024
    static let shortest = TimeSpan.milliseconds(50)
    /// The shortest where there is plenty, and falling fast.
    static let soonest = TimeSpan.seconds(1)
    /// While there is a warning, so that its end is noticed.
    static let whileWarning = TimeSpan.seconds(1)
    /// While it is critical and no eviction helps.
    static let whileNoVictim = TimeSpan.seconds(2)
    /// The shortest of that, where there is still some.
    static let whileClearing = TimeSpan.milliseconds(200)

    /// The time until the next look, and how much later it may come.
    static func next(
        _ gauge: PressureGauge, _ settings: PressureSettings, hasNoVictim: Bool, isWoken: Bool
    ) -> (after: TimeSpan, slack: TimeSpan) {
        let after: TimeSpan =
            switch gauge.level {
            case .critical where !hasNoVictim: shortest + shortest
            case .critical where gauge.isCriticalByMemory && !gauge.isJustClearing(settings): whileNoVictim
            // The full stall has another cause, or it is nearly over: memory may run short all the same.
            case .critical:
                min(
                    whileNoVictim,
                    max(
                        whileClearing,
                        untilThreshold(
                            gauge, settings.criticalAvailable, from: settings.warningAvailable * 2)))
            case .warning:
                min(
                    whileWarning,
                    untilThreshold(gauge, settings.criticalAvailable, from: settings.warningAvailable))
            case .normal:
                untilThreshold(
                    gauge, settings.warningAvailable, from: settings.warningAvailable * 2, isWoken: isWoken)
            }
        // A tenth of it may be shared with other wake-ups; all of a second where there is plenty of time.
        return (after, TimeSpan(microseconds: after.microseconds / 10))
    }

    /// From ten seconds at `far` down to the shortest at the threshold, and a quarter of the time that is left at this speed.
    private static func untilThreshold(
        _ gauge: PressureGauge, _ threshold: Double, from far: Double, isWoken: Bool = false
    ) -> TimeSpan {
        guard let memory = gauge.memory, memory.total > 0 else { return longest }
        let percent = memory.availablePercent
        let left = max(0, percent - threshold) / 100 * Double(memory.total)
        guard percent < far else {
            let beyond = (percent - far) / 100 * Double(memory.total)
            let calm = isWoken ? max(longest, min(idle, seconds(beyond / fastest))) : longest
            let rest = min(calm, max(soonest, seconds(left / sudden)))
            // So fast that it will not be that far any more.
            guard gauge.decline > 0 else { return rest }
            return min(rest, max(soonest, seconds(beyond / gauge.decline)))
        }
        let distance = max(0, percent - threshold) / max(far - threshold, 0.001)
        var microseconds = min(Double(longest.microseconds) * min(distance, 1), left / sudden * 1e6)
        if gauge.decline > 0 { microseconds = min(microseconds, left / gauge.decline * 1e6 / 4) }
        return max(shortest, TimeSpan(microseconds: Int64(microseconds)))
    }

    private static func seconds(_ number: Double) -> TimeSpan {
        TimeSpan(microseconds: Int64(min(number, 1e6) * 1e6))
    }
}
