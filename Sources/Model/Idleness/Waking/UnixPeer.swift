/// The other end of a Unix connection, as the connection itself tells of it: sock_diag(7) tells of none that is gone, or that waits to be
/// accepted.
package struct UnixPeer: Hashable, Sendable {
    /// The name of the socket that was connected to, a path, or a NUL and an abstract name; nil where it has none.
    package let name: [UInt8]?
    /// Whether it is gone.
    package let isGone: Bool
    /// Whether there is something to be read.
    package let hasBytes: Bool

    /// A peer, by its parts.
    package init(name: [UInt8]?, isGone: Bool, hasBytes: Bool) {
        (self.name, self.isGone, self.hasBytes) = (name, isGone, hasBytes)
    }
}
