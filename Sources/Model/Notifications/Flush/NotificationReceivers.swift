/// What takes the notifications of a worker.
package enum NotificationReceivers: Hashable, Sendable {
    /// Its own connection, which takes all of a flush at once.
    case connection
    /// The hooks of its file, one after the other.
    case hooks(NotificationHooks)
}

/// How the hooks of a worker's file take notifications, by their topics.
package struct NotificationHooks: Hashable, Sendable {
    /// How a hook takes several notifications of its topic.
    package enum Kind: Hashable, Sendable {
        /// The kernel carries it out, also on a process that sleeps: one signal stands for all of a topic.
        case signal
        /// A command or a line: once for each notification.
        case call
    }

    private let kinds: [String: Kind]
    private let others: Kind?

    /// The hooks of topics by their names, and the one for all other topics.
    package init(_ kinds: [String: Kind] = [:], others: Kind? = nil) {
        self.kinds = kinds
        self.others = others
    }

    /// The hook of `topic`; nil where there is none.
    package subscript(topic: Topic) -> Kind? { kinds[topic.name] ?? others }
}
