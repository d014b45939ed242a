internal import Lifecycle

extension WakeBudget.Kept {
    /// What waits, in a clause; without what it is about, where `withDetails` is false.
    package func words(withDetails: Bool = true) -> String {
        let about = withDetails ? detail.map { " (\($0))" } ?? "" : ""
        func counted(_ one: String, _ many: String) -> String {
            count == 1 ? "one \(one)" : "\(count) \(many)"
        }
        return switch reason {
        case .silentNotification: counted("silent post", "silent posts") + about
        case .schedule: counted("scheduled post", "scheduled posts") + about
        case .fetch: counted("fetch", "fetches")
        case .path: counted("change of a watched path", "changes of watched paths") + about
        case .device: counted("device", "devices") + about
        case .boot, .prelaunch: "its launch at boot"
        case .operator, .socket, .url, .notification, .activity, .transfer, .restart, .restore,
            .failure, .processing:
            counted("wake", "wakes") + about
        }
    }
}
