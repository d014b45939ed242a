/// What an epoll instance of a sleeper watches, found again by what epoll_wait(2) tells of it: so that it is known which of a thousand
/// connections has data, at the price of that one.
///
/// Only where every member is level-triggered: then asking leaves it as it was. An edge is told once, so that the worker would miss it.
package struct PolledMembers: Hashable, Sendable {
    /// One member.
    package struct Member: Hashable, Sendable {
        /// What the process has given the kernel for it.
        package let data: UInt64
        /// Its number in the process.
        package let descriptor: Int32
        package let kind: Kind

        /// What it is, as far as it matters for a wake.
        package enum Kind: Hashable, Sendable {
            /// A socket of TCP that listens, of this inode.
            case listener(UInt64)
            /// Another socket, of this inode.
            case socket(UInt64)
            /// A pipe, a counter and what else an epoll instance may watch.
            case other
        }
    }

    /// In the order of their data, no two of which are the same.
    private let members: [Member]

    // linux/eventpoll.h
    private static let oneShot: UInt32 = 1 << 30
    private static let edgeTriggered: UInt32 = 1 << 31

    /// Of all members of an instance, where sockets have the file system `sockets`; nil where one would miss what was asked for, or two
    /// cannot be told apart.
    package init?(_ all: [EpollMember], listening: Set<UInt64>, sockets: UInt64) {
        var members: [Member] = []
        members.reserveCapacity(all.count)
        for one in all {
            guard one.events & (Self.oneShot | Self.edgeTriggered) == 0 else { return nil }
            let kind: Member.Kind =
                one.device != sockets
                ? .other : listening.contains(one.inode) ? .listener(one.inode) : .socket(one.inode)
            members.append(Member(data: one.data, descriptor: one.descriptor, kind: kind))
        }
        members.sort { $0.data < $1.data }
        for (one, next) in zip(members, members.dropFirst()) where one.data == next.data { return nil }
        self.members = members
    }

    /// The member of which epoll_wait(2) tells by this; nil where there was none when they were read.
    package subscript(data: UInt64) -> Member? {
        var range = members.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if members[middle].data == data { return members[middle] }
            range =
                members[middle].data < data
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
