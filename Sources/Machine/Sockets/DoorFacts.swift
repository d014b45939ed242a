internal import CLinux
internal import Glibc
package import Idleness
package import Linux

/// What a descriptor of this process is at which clients of a worker wait.
package struct DoorFacts: Hashable, Sendable {
    /// Its inode.
    package let inode: UInt64
    /// What it is as a socket; nil of a FIFO.
    package let socket: SocketFacts?
    /// Whether it is in the supervisor's own network namespace, whose sockets can be looked at.
    package let isHere: Bool

    /// What an open descriptor is; ENOTSUP for one at which no client can wait.
    package init(of descriptor: Int32) throws(LinuxError) {
        let kind = try Inventory.Kind(of: descriptor)
        if case .pipe(let inode) = kind {
            (self.inode, socket, isHere) = (inode, nil, true)
            return
        }
        guard case .socket(let inode) = kind else { throw Self.unfit(descriptor) }
        let facts = try SocketFacts(of: descriptor)
        guard facts.family != .other, facts.isListening || facts.form == .datagram else {
            throw Self.unfit(descriptor)
        }
        (self.inode, socket) = (inode, facts)
        isHere = facts.family == .unix || Self.isOfOwnNetwork(descriptor)
    }

    private static func unfit(_ descriptor: Int32) -> LinuxError {
        LinuxError(errno: ENOTSUP, call: "fstat", subject: "descriptor \(descriptor)")
    }

    /// SO_NETNS_COOKIE (socket(7), Linux 5.14); a kernel without it tells of no difference.
    static func isOfOwnNetwork(_ descriptor: Int32) -> Bool {
        guard let theirs = cookie(of: descriptor) else { return true }
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let own = Glibc.socket(AF_INET, stream, 0)
        guard own >= 0 else { return true }
        defer { close(own) }
        return cookie(of: own) == theirs
    }

    private static func cookie(of descriptor: Int32) -> UInt64? {
        var cookie: UInt64 = 0
        var length = socklen_t(MemoryLayout<UInt64>.size)
        // asm-generic/socket.h
        let option: Int32 = 71
        let result = unsafe getsockopt(descriptor, SOL_SOCKET, option, &cookie, &length)
        return result == 0 ? cookie : nil
    }

    /// What has come at `descriptor`, which these are the facts of: nothing is read.
    package func news(at descriptor: Int32) -> DoorNews {
        guard let socket else { return SocketFacts.hasBytes(descriptor) ? .input : .nothing }
        guard SocketFacts.isReadable(descriptor) else { return .nothing }
        if socket.isListening { return socket.isTCP ? .knock : .connection }
        return .datagrams(from: socket.family == .unix ? [] : Self.senders(at: descriptor))
    }

    /// How many datagrams are asked for their senders.
    private static let mostDatagrams = 64

    /// Who has sent the datagrams that wait at a socket, the first ones in their order, looked at without reading a byte (MSG_PEEK, SO_PEEK_OFF:
    /// socket(7)).
    private static func senders(at descriptor: Int32) -> [Endpoint] {
        var senders: [Endpoint] = []
        var offset: Int32 = 0
        defer { setPeekOffset(-1, at: descriptor) }
        for _ in 0..<mostDatagrams {
            if offset > 0, !setPeekOffset(offset, at: descriptor) { break }
            var size = -1
            var nothing: UInt8 = 0
            let flags = Int32(MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC)
            let sender = unsafe Endpoint { address, length in
                size = unsafe recvfrom(descriptor, &nothing, 0, flags, address, length)
                return size >= 0
            }
            guard size >= 0 else { break }
            // One that cannot be told hides all behind it.
            guard let sender else { return [] }
            senders.append(sender)
            // An empty one cannot be passed over.
            guard size > 0, Int(offset) + size <= Int(Int32.max) else { break }
            offset += Int32(size)
        }
        return senders
    }

    @discardableResult
    private static func setPeekOffset(_ offset: Int32, at descriptor: Int32) -> Bool {
        var offset = offset
        // asm-generic/socket.h: SO_PEEK_OFF
        let option: Int32 = 42
        return unsafe setsockopt(
            descriptor, SOL_SOCKET, option, &offset, socklen_t(MemoryLayout<Int32>.size)) == 0
    }
}
