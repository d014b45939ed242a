package import Lifecycle

/// How much CPU time a worker may use in the background (`CPULimit=`, `CPULimitWindowSec=`).
package struct CPUAllowance: Hashable, Sendable {
    /// Ten-thousandths of one CPU.
    package let permyriad: Int
    /// Over which span that is counted.
    package let window: TimeSpan

    /// So many ten-thousandths of one CPU over `window`.
    package init(permyriad: Int, window: TimeSpan) {
        self.permyriad = permyriad
        self.window = window
    }

    /// The most time that may be used in a window.
    package var mostPerWindow: TimeSpan {
        let (whole, overflow) = window.microseconds.multipliedReportingOverflow(by: Int64(permyriad))
        return TimeSpan(microseconds: overflow ? .max : whole / 10_000)
    }

    /// How often it is looked at: six times in a window, and once in a second at the most.
    package var interval: TimeSpan {
        // A window of no length is looked at as often as the shortest.
        max(.milliseconds(10), TimeSpan(microseconds: window.microseconds / 6), min(window, .seconds(1)))
    }
}

/// What was seen of a worker's CPU time since it is awake in the background, as long as a window remembers.
package struct CPUUse: Hashable, Sendable {
    private struct Sample: Hashable, Sendable {
        let at: Instant
        let used: TimeSpan
    }

    private let allowance: CPUAllowance
    private var samples: [Sample] = []

    package init(_ allowance: CPUAllowance) {
        self.allowance = allowance
    }

    /// Whether it has used more than it may, with the time that it has used in all until `now`; it counts afresh then.
    ///
    /// A burst that is more than a whole window allows is enough, however young the window is. Time that went backwards, of a process that has gone with what
    /// it had used, begins anew.
    package mutating func isExceeded(with used: TimeSpan, at now: Instant) -> Bool {
        if let last = samples.last, used < last.used || now < last.at { samples = [] }
        samples.append(Sample(at: now, used: used))
        // The oldest that is needed is the last one from before the window.
        while samples.count > 2, now - samples[1].at >= allowance.window { samples.removeFirst() }
        guard let first = samples.first, used - first.used > allowed(over: now - first.at) else {
            return false
        }
        samples = [Sample(at: now, used: used)]
        return true
    }

    private func allowed(over span: TimeSpan) -> TimeSpan {
        guard span > allowance.window else { return allowance.mostPerWindow }
        let share = Double(span.microseconds) / Double(max(1, allowance.window.microseconds))
        return TimeSpan(clamping: Double(allowance.mostPerWindow.microseconds) * share)
    }
}
