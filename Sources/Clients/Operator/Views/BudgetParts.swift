package import ControlAPI

/// What `torpor status` says of budgets of wakes and of fetches.
extension SupervisorInterface.WakeBudget {
    /// What was used of what, when it is full again, and what is kept until then.
    var lines: [String] {
        let kept = kept ?? []
        // What is kept although nothing was used waits for the first unlock.
        guard wakeCount > 0 || awakeUsec > 0 || kept.isEmpty else {
            return kept.map { "kept until its protected data is available: \($0.words)" }
        }
        let wakes =
            wakeLimit.map { "\(wakeCount) of \(count(Int(clamping: $0), "wake"))" }
            ?? count(Int(clamping: wakeCount), "wake")
        let awake = span(awakeUsec) + (awakeLimitUsec.map { " of \(span($0))" } ?? "") + " awake"
        let full = fullInUsec.map { "; full again in \(span($0))" } ?? ""
        return ["\(wakes), \(awake) used\(full)"] + kept.map { "kept until then: \($0.words)" }
    }
}

extension SupervisorInterface.KeptWake {
    /// How many wakes of which reason, and what the last was about.
    fileprivate var words: String {
        let one: (String, String) =
            switch reason {
            case .silentNotification: ("silent post", "silent posts")
            case .schedule: ("scheduled post", "scheduled posts")
            case .fetch: ("fetch", "fetches")
            case .path: ("change of a watched path", "changes of watched paths")
            case .device: ("device", "devices")
            case .boot, .prelaunch: ("launch at boot", "launches at boot")
            case .operator, .socket, .url, .notification, .activity, .transfer, .restart, .restore,
                .failure, .processing:
                ("wake", "wakes")
            }
        return "\(count) \(count == 1 ? one.0 : one.1)" + (detail.map { " (\($0.printable))" } ?? "")
    }
}

extension SupervisorInterface.FetchStatus {
    /// The interval, the next fetch, and what came of the last.
    func words(_ clock: WallClock) -> String {
        var text = "every \(span(intervalUsec))"
        if intervalUsec != baseUsec { text += " (FetchIntervalSec= is \(span(baseUsec)))" }
        if let nextInUsec { text += "; next in \(span(nextInUsec))" }
        if let lastResult, let lastAt {
            let result =
                switch lastResult {
                case .newData: "new data"
                case .noData: "no new data"
                case .failed: "failed"
                }
            text += "; last: \(result), \(clock.age(lastAt))"
        }
        return text
    }
}

extension SupervisorInterface.ProcessingStatus {
    /// Whether it is under way, or when it is due, and what is in its way.
    var words: String {
        let due = dueInUsec > 0 ? "due in \(span(dueInUsec))" : "due, at a good time"
        return runningUsec.map { "under way for \(span($0))" } ?? due
            + (obstacle.map { "; " + $0.printable } ?? "")
    }
}

extension SupervisorInterface.GetLowPower.Reply {
    /// Whether it is on, and why.
    package var words: String { "\(on ? "on" : "off"): \(because.printable)" }
}
