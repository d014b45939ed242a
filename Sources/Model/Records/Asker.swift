/// Which client asks the store, for a fair turn of each.
package enum Asker: Hashable, Sendable {
    /// The process that uses the store: bounded by itself, and never refused.
    case ourselves
    /// A user that may do everything.
    case privileged(UInt32)
    /// Any other user.
    case user(UInt32)
}
