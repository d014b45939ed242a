package import Lifecycle

/// When a post interrupts its worker as an alert (1.4).
package enum AlertRule {
    /// How long an alert interrupts whose poster gives no time.
    package static let usualLimit = TimeSpan.seconds(300)

    /// Why an alert is refused.
    package enum Refusal: Hashable, Sendable {
        /// `Alerts=` of the worker does not name the topic.
        case notAllowed
        /// The worker does not run: there is nothing to interrupt.
        case notRunning

        /// The same in a clause.
        package var words: String {
            switch self {
            case .notAllowed:
                "its file allows no alert about this topic; name the topic in Alerts= of [Notifications]"
            case .notRunning: "it is not running, so an alert has nothing to interrupt"
            }
        }
    }

    /// Why an alert is refused, by what `Alerts=` says of its topic and by the worker's life; nil where it is not.
    ///
    /// A worker that sleeps is there: it finds the alert when it wakes, and is not woken for it.
    package static func refusal(isAllowed: Bool, _ life: WorkerLifecycle) -> Refusal? {
        guard isAllowed else { return .notAllowed }
        return life.state == .notRunning ? .notRunning : nil
    }
}
