package import Idleness

/// What is kept open for a worker while it has no process.
package struct HeldDescriptors: Hashable, Sendable {
    /// Sockets that the supervisor opens for it, in the order in which they are passed (`ListenStream=` and its kin).
    package var sockets: [HeldSocket] = []
    /// Their name in `LISTEN_FDNAMES` (`FileDescriptorName=`).
    package var name = ""
    /// How many descriptors of its own it may store (`FileDescriptorStoreMax=`).
    package var storeLimit = 0

    /// Nothing.
    package init() {}

    /// Whether anything is.
    package var isEmpty: Bool { sockets.isEmpty && storeLimit == 0 }
}
