package import Idleness

/// What is kept open for a worker while it has no process.
package struct HeldDescriptors: Hashable, Sendable {
    /// Sockets that the supervisor opens for it, in the order in which they are passed (`ListenStream=` and its kin).
    package var sockets: [HeldSocket] = []
    /// Their name in `LISTEN_FDNAMES` (`FileDescriptorName=`).
    package var name = ""
    /// Connections to those that are streams are forwarded to where it listens itself: it does not get them (`ForwardTo=`).
    package var isForwarded = false
    /// How many descriptors of its own it may store (`FileDescriptorStoreMax=`).
    package var storeLimit = 0

    /// Nothing.
    package init() {}

    /// Whether anything is.
    package var isEmpty: Bool { sockets.isEmpty && storeLimit == 0 }
}
