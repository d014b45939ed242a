internal import CLinux

/// The sender of a datagram, as the kernel vouches for it (`SCM_CREDENTIALS`, unix(7)).
package struct PeerCredentials: Hashable, Sendable {
    /// The process, as our pid namespace numbers it.
    package let pid: Int32
    /// Its effective user, unless it was entitled to name another.
    package let uid: UInt32
    /// Its effective group, unless it was entitled to name another.
    package let gid: UInt32

    /// The credentials of a process.
    package init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}

/// One datagram and all that came with it; what is not taken out of it is closed with it.
package struct Datagram: ~Copyable, Sendable {
    /// The bytes, as many as were asked for at most.
    package let bytes: [UInt8]
    /// The length of the whole datagram, even if `bytes` holds less.
    package let length: Int
    /// Whether control data was cut off: descriptors are missing, for want of free numbers for example.
    package let isControlTruncated: Bool
    /// The sender; nil when the kernel told none, or one outside our pid namespace.
    package let credentials: PeerCredentials?
    /// A pidfd of the sender, where the kernel gives one.
    package var pidfd: OwnedDescriptor?
    /// Whether the kernel gives pidfds of senders: without one, the sender has been reaped.
    package let tellsPidfd: Bool
    /// The descriptors that were sent along, in order.
    package var descriptors: DescriptorList

    /// A datagram as the kernel might deliver it, for code that judges datagrams.
    package init(
        bytes: [UInt8], length: Int? = nil, isControlTruncated: Bool = false,
        credentials: PeerCredentials?, descriptors: consuming DescriptorList = DescriptorList()
    ) {
        self.bytes = bytes
        self.length = length ?? bytes.count
        self.isControlTruncated = isControlTruncated
        self.credentials = credentials
        self.descriptors = descriptors
        pidfd = nil
        tellsPidfd = false
    }

    init(bytes: [UInt8], _ received: torpor_datagram) {
        self.bytes = bytes
        length = Int(received.length)
        isControlTruncated = received.control_truncated
        credentials =
            received.has_credentials && received.pid > 0
            ? PeerCredentials(pid: received.pid, uid: received.uid, gid: received.gid) : nil
        pidfd = received.pidfd >= 0 ? OwnedDescriptor(adopting: received.pidfd) : nil
        tellsPidfd = received.tells_pidfd
        let numbers = unsafe withUnsafeBytes(of: received.descriptors) { buffer in
            unsafe Array(buffer.assumingMemoryBound(to: Int32.self).prefix(Int(received.descriptor_count)))
        }
        descriptors = DescriptorList(adopting: numbers)
    }
}
