package import Lifecycle
internal import Linux
package import Notifications
internal import SupervisorPorts
internal import Varlink

extension CallerIdentity {
    /// As it is told to a worker with its launch.
    var json: JSON {
        var object: JSON.Object = ["uid": .int(Int64(uid)), "pid": .int(Int64(pid))]
        object["program"] = program.map { .string($0) }
        return .object(object)
    }

    /// As it is told to operators.
    package var words: String { "uid \(uid), pid \(pid)" + (program.map { " (\($0))" } ?? "") }
}

/// What has woken a worker that slept, or launched it: the event and, where a caller is behind it, which (1.6).
package struct WakeOrigin: Hashable, Sendable {
    /// The event.
    package let reason: LaunchReason
    /// What it was about: the topic, the path, the URL, the worker that failed.
    package let detail: String?
    /// The caller behind it.
    package let caller: CallerIdentity?

    /// An event, by its parts.
    package init(_ reason: LaunchReason, _ detail: String? = nil, by caller: CallerIdentity? = nil) {
        self.reason = reason
        self.detail = detail
        self.caller = caller
    }

    /// The event in words; with its details, which are for operators.
    package func words(withDetails: Bool) -> String {
        let details = withDetails ? (detail.map { " \($0)" } ?? "") : ""
        return switch reason {
        case .url: "the URL\(details)" + by(withDetails)
        case .notification, .silentNotification:
            "a post\(details.isEmpty ? "" : " to topic\(details)")" + by(withDetails)
        case .schedule: "a scheduled post\(details.isEmpty ? "" : " to topic\(details)")" + by(withDetails)
        case .fetch: "a background fetch"
        case .path: "a watched path\(details)"
        case .device: "a device\(details)"
        case .socket: "input or a connection"
        case .failure: "the failure of" + (withDetails ? details : " another worker")
        case .operator, .boot, .activity, .transfer, .restart, .restore, .prelaunch: reason.rawValue + details
        }
    }

    private func by(_ withDetails: Bool) -> String {
        guard withDetails, let caller else { return "" }
        return " by " + caller.words
    }
}

extension Supervisor {
    /// Gives the model of a worker a wake, and says what it was that woke or launched the worker.
    package func rouse(_ worker: Worker, _ wake: Wake, _ origin: WakeOrigin) {
        if isRoused(worker, intoForeground: wake.intoForeground) { sayWoken(worker, origin) }
        submit(.woken(wake), to: worker)
    }

    /// Whether an event wakes a worker as it stands, or launches it.
    func isRoused(_ worker: Worker, intoForeground: Bool) -> Bool {
        // It will be refused.
        guard !isClosed, !worker.life.isEnding else { return false }
        let sleeps = worker.life.state == .suspended && !worker.life.isHeld
        let rests =
            worker.life.currentLaunch == nil && (intoForeground || worker.life.restReason != .forceQuit)
        return sleeps || rests
    }

    /// Says what woke or launched a worker.
    func sayWoken(_ worker: Worker, _ origin: WakeOrigin) {
        worker.lastWake = (origin, host.now)
        notify(worker, .woken(origin))
    }

    /// What a worker finds with its launch of a post: the topic, the payload, and the caller.
    static func options(of post: Post, by caller: CallerIdentity?, schedule: UInt64? = nil) -> JSON.Object {
        var content: JSON.Object = ["topic": .string(post.topic.name)]
        if let schedule { content["id"] = .int(Int64(clamping: schedule)) }
        // execve(2) takes no variable of more than 128 KiB: a longer payload comes with the notification alone.
        if let payload = post.payload, payload.count <= 32 << 10 {
            content["payload"] = try? JSON(parsing: payload.span)
        }
        var options = JSON.Object()
        options[schedule == nil ? "notification" : "schedule"] = .object(content)
        options["postedBy"] = caller?.json
        return options
    }
}
