package import Idleness
package import Lifecycle
package import Notifications
package import Varlink

extension CallerIdentity {
    /// As it is told to a worker with its launch.
    package var json: JSON {
        var object: JSON.Object = ["uid": .int(Int64(uid)), "pid": .int(Int64(pid))]
        object["program"] = program.map { .string($0) }
        return .object(object)
    }

    /// As it is told to operators.
    package var words: String { "uid \(uid), pid \(pid)" + (program.map { " (\($0))" } ?? "") }
}

/// What has woken a worker that slept, or launched it: the event and, where a caller is behind it, which.
package struct WakeOrigin: Hashable, Sendable {
    /// The event.
    package let reason: LaunchReason
    /// What it was about: the topic, the path, the URL, the worker that failed, what came on a socket.
    package var detail: String? {
        switch subject {
        case .text(let text): text
        case .arrival(let arrival): arrival.words
        case nil: nil
        }
    }
    /// The caller behind it.
    package let caller: CallerIdentity?
    private let subject: Subject?

    /// What came on a socket is put into words only where they are read: a client waits while this is told.
    private enum Subject: Hashable, Sendable {
        case text(String)
        case arrival(WakeFilter.Reason)
    }

    /// An event, by its parts.
    package init(_ reason: LaunchReason, _ detail: String? = nil, by caller: CallerIdentity? = nil) {
        self.reason = reason
        subject = detail.map { .text($0) }
        self.caller = caller
    }

    /// Something that came on a socket.
    package init(_ arrival: WakeFilter.Reason) {
        (reason, subject, caller) = (.socket, .arrival(arrival), nil)
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
        case .processing: "a good time for its long work"
        case .path: "a watched path\(details)"
        case .device: "a device\(details)"
        case .socket: withDetails ? detail ?? "input or a connection" : "input or a connection"
        case .failure: "the failure of" + (withDetails ? details : " another worker")
        case .operator:
            ((withDetails ? caller?.words : nil) ?? "an operator")
                + (details.isEmpty ? "" : ", with the options\(details)")
        case .boot, .activity, .transfer, .restart, .restore, .prelaunch: reason.rawValue + details
        }
    }

    private func by(_ withDetails: Bool) -> String {
        guard withDetails, let caller else { return "" }
        return " by " + caller.words
    }
}
