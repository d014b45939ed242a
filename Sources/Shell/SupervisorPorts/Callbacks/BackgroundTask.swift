package import Lifecycle

/// A background task that keeps a worker awake (1.4).
package struct BackgroundTask: Hashable, Sendable {
    /// As it was named.
    package let name: String
    /// When it began.
    package let since: Instant
    /// The requester that holds it.
    package let requester: Requester

    package init(name: String, since: Instant, requester: Requester) {
        self.name = name
        self.since = since
        self.requester = requester
    }
}
