package import ConfigurationSyntax
package import Lifecycle

/// An activity that a worker does now and that can be continued elsewhere.
package struct ActivityOffer: Hashable, Sendable {
    /// How it was offered.
    package enum Source: String, Hashable, Sendable, CaseIterable {
        /// By the worker's own connection.
        case connection
        /// By a notify message (`X_TORPOR_USER_ACTIVITY=`).
        case notification
        /// By the file of the worker: a hook tells the state.
        case file
    }

    /// The type.
    package let type: ActivityType
    /// What it is about, for people; nil where that was not said.
    package let title: String?
    /// The state as it was offered, as the text of a JSON object; nil where none was.
    package let state: String?
    /// Whether the worker's connection is asked for the state when it is handed on.
    package let asks: Bool
    /// How it was offered.
    package let source: Source
    /// When it was offered first.
    package let since: Instant

    package init(
        _ type: ActivityType, title: String? = nil, state: String? = nil, asks: Bool = false,
        _ source: Source,
        since: Instant
    ) {
        self.type = type
        self.title = title
        self.state = state
        self.asks = asks
        self.source = source
        self.since = since
    }

    /// About how many bytes it takes.
    package var size: Int { type.text.utf8.count + (title?.utf8.count ?? 0) + (state?.utf8.count ?? 0) }
}
