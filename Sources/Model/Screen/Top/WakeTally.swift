internal import ControlAPI

/// How often something has happened in the last hour, by the minute.
package struct WakeTally: Hashable, Sendable {
    /// The minutes with any, the latest last: 61 at most.
    private var minutes: [(minute: Int64, count: Int)] = []

    /// Nothing has happened.
    package init() {}

    /// It has happened at that time, in microseconds since 1970; in whatever order that is told.
    package mutating func count(at moment: Int64) {
        let minute = moment / 60_000_000
        guard let latest = minutes.last?.minute else {
            minutes = [(minute, 1)]
            return
        }
        if minute > latest {
            minutes.append((minute, 1))
        } else if let index = minutes.firstIndex(where: { $0.minute >= minute }) {
            if minutes[index].minute == minute {
                minutes[index].count += 1
            } else {
                minutes.insert((minute, 1), at: index)
            }
        }
        if minutes.count > 61 { minutes.removeFirst(minutes.count - 61) }
    }

    /// Takes over what `other` has counted.
    mutating func add(_ other: WakeTally) {
        for entry in other.minutes {
            for _ in 0..<entry.count { count(at: entry.minute * 60_000_000) }
        }
    }

    /// How often in the hour before `now`.
    package func total(at now: Int64) -> Int {
        let first = now / 60_000_000 - 60
        return minutes.reduce(0) { $1.minute > first ? $0 + $1.count : $0 }
    }

    package static func == (one: WakeTally, other: WakeTally) -> Bool {
        one.minutes.elementsEqual(other.minutes) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for entry in minutes { hasher.combine(entry.minute) }
    }

    /// Whether a change is a wake: an event, and no operator and no rule, has resumed or launched the worker.
    static func isWake(
        from: SupervisorInterface.State?, to: SupervisorInterface.State?, reason: String
    ) -> Bool {
        guard let to, to != .suspended, to != .notRunning else { return false }
        switch from {
        case .suspended: return ["woken", "wakeSource", "worker"].contains(reason)
        case .notRunning: return launches.contains(reason)
        case .active, .inactive, .background, nil: return false
        }
    }

    /// The reasons of launches that are events from outside.
    private static let launches: Set<String> = [
        "socket", "url", "notification", "silentNotification", "schedule", "fetch", "path", "device",
        "activity", "transfer",
    ]
}
