package import Launching
internal import Linux

/// The user and group that may read saved state.
package struct StateOwner: Hashable, Sendable {
    /// The user.
    package let user: UInt32
    /// The group; nil is that of the supervisor.
    package let group: UInt32?

    /// The user of a worker with these credentials; nil where that is the supervisor's own.
    package init?(_ credentials: LaunchRequest.Credentials) {
        guard let user = credentials.user else { return nil }
        self.init(user: user, group: credentials.group)
    }

    /// This user and group.
    package init(user: UInt32, group: UInt32?) {
        self.user = user
        self.group = group
    }
}

/// State that a worker saves.
package enum SavedState {
    /// How large it may be, in bytes.
    package static let largest = 4 << 20
}
