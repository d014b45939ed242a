package import Lifecycle

/// What workers did over a time, as it is drawn: a lane for each, and the memory of the machine above them.
package struct Timeline: Hashable, Sendable {
    /// A time in one state.
    package struct Interval: Hashable, Sendable {
        package var state: State
        /// From here, in microseconds.
        package var start: Int64
        /// To here.
        package var end: Int64
        /// Why the state was entered; empty where that is not known.
        package var why: String
        /// How many changes of state are too close together to be shown: the interval then has the state that lasted longest.
        package var folded = 0
    }

    /// What happened at a moment, the gravest first.
    package enum MarkKind: String, CaseIterable, Hashable, Sendable {
        /// A process failed, or was not started.
        case crash
        /// A process was ended for memory.
        case eviction
        /// A problem, or a warning that memory is short.
        case warning
        /// An event resumed or launched the worker.
        case wake
        /// A launch was complete.
        case launch
        /// The supervisor started or ended, or the clock was set.
        case supervisor
    }

    /// What happened at a moment.
    package struct Mark: Hashable, Sendable {
        package var kind: MarkKind
        /// When, in microseconds.
        package var at: Int64
        /// What happened, in words.
        package var text: String
        /// How many of the kind happened so close together that they are shown as one.
        package var count = 1
    }

    /// How short memory was.
    package enum Shortage: String, CaseIterable, Hashable, Sendable {
        case warning
        case critical
    }

    /// A time in which memory was short.
    package struct Pressure: Hashable, Sendable {
        package var level: Shortage
        package var start: Int64
        package var end: Int64
    }

    /// One worker.
    package struct Lane: Hashable, Sendable {
        package var name: String
        /// In order, without overlap; what is not covered is not known.
        package var intervals: [Interval]
        /// In order.
        package var marks: [Mark]
    }

    /// What stands above it all.
    package var title: String
    /// The beginning, in microseconds: since 1970, or since the beginning of a simulation.
    package var start: Int64
    /// The end; later than the beginning.
    package var end: Int64
    /// Ordered by name.
    package var lanes: [Lane]
    /// When memory was short, in order.
    package var pressure: [Pressure]
    /// What concerned no single worker, in order.
    package var marks: [Mark]
    /// How times are written.
    package var calendar: Calendar

    /// The share of each state in the time that is known of a lane.
    package static func share(of state: State, in lane: Lane) -> Int64 {
        lane.intervals.reduce(0) { $1.state == state ? $0 + $1.end - $1.start : $0 }
    }
}

/// How a timeline's moments are written.
package struct Calendar: Hashable, Sendable {
    /// From that second on, clocks are so many seconds ahead of UTC.
    package struct Zone: Hashable, Sendable {
        package let from: Int64
        package let offset: Int64

        /// From second `from` on, clocks are `offset` seconds ahead of UTC.
        package init(from: Int64, offset: Int64) {
            self.from = from
            self.offset = offset
        }
    }

    /// In order; without any, moments are counted from the beginning of a simulation.
    package let zones: [Zone]

    /// A calendar with these offsets, in order.
    package init(zones: [Zone]) {
        self.zones = zones
    }

    /// Moments since the beginning of a simulation.
    package static let simulated = Calendar(zones: [])

    /// Whether moments are counted from a beginning.
    package var isSimulated: Bool { zones.isEmpty }

    /// What clocks show at `moment`, in microseconds as if it were UTC.
    func local(_ moment: Int64) -> Int64 {
        let zone = zones.last { $0.from <= moment.quotient(1_000_000) } ?? zones.first
        return moment + (zone?.offset ?? 0) * 1_000_000
    }

    /// The time of day, or since the beginning, as fine as `step` makes sensible.
    package func time(_ moment: Int64, step: Int64 = 1_000_000) -> String {
        let local = local(moment)
        let second = local.quotient(1_000_000)
        let ofDay = isSimulated ? second : second - second.quotient(86_400) * 86_400
        var text = Self.two(ofDay / 3600) + ":" + Self.two(ofDay / 60 % 60)
        if step < 60_000_000 { text += ":" + Self.two(ofDay % 60) }
        if step < 1_000_000 {
            let milliseconds = String((local - second * 1_000_000) / 1000)
            text += "." + String(repeating: "0", count: 3 - milliseconds.utf8.count) + milliseconds
        }
        return text
    }

    /// The day as `2025-11-21`; empty in a simulation.
    package func day(_ moment: Int64) -> String {
        guard !isSimulated else { return "" }
        // Days are counted from March of the year 0, so that leap days come last.
        let shifted = local(moment).quotient(86_400_000_000) + 719_468
        let era = shifted.quotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let day = dayOfYear - (153 * march + 2) / 5 + 1
        return "\(year + era * 400 + (month <= 2 ? 1 : 0))-\(Self.two(month))-\(Self.two(day))"
    }

    /// Day and time to the second.
    package func moment(_ moment: Int64) -> String {
        isSimulated ? time(moment) : day(moment) + " " + time(moment)
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The quotient, rounded down.
    func quotient(_ divisor: Int64) -> Int64 { self / divisor - (self % divisor < 0 ? 1 : 0) }
}
