/// Where the marks of a time axis stand.
package struct Axis: Hashable, Sendable {
    /// One of them.
    package struct Tick: Hashable, Sendable {
        package let at: Int64
        package let label: String
        /// Whether a day begins here.
        package let isDay: Bool
    }

    private static let second: Int64 = 1_000_000
    private static let steps: [Int64] =
        [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]
        + [1, 2, 5, 10, 15, 30].map { $0 * second }
        + [1, 2, 5, 10, 15, 30].map { $0 * 60 * second }
        + [1, 2, 3, 6, 12].map { $0 * 3600 * second }
        + [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].map { $0 * 86_400 * second }

    /// The ticks, in order.
    package let ticks: [Tick]

    /// At most `most` ticks between `start` and `end`, at round times.
    package init(from start: Int64, to end: Int64, most: Int, _ calendar: Calendar) {
        let span = end - start
        guard most > 0, span > 0, let step = Self.steps.first(where: { span / $0 < Int64(most) }) else {
            ticks = []
            return
        }
        let day = 86_400 * Self.second
        // Round as clocks show it, and that may change on the way.
        var ticks: [Tick] = []
        var shown = calendar.local(start).quotient(step) * step
        let offset = calendar.local(start) - start
        while shown - offset <= end {
            let guess = shown - offset
            let at = guess + (shown - calendar.local(guess))
            if at >= start, at <= end, ticks.last.map({ $0.at < at }) ?? true {
                let isDay = !calendar.isSimulated && shown % day == 0
                let label = isDay ? calendar.day(at) : calendar.time(at, step: step)
                ticks.append(Tick(at: at, label: label, isDay: isDay))
            }
            shown += step
        }
        self.ticks = ticks
    }
}
