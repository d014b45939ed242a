internal import CLinux
internal import Glibc
package import Idleness
package import Linux

/// A duplicate of a socket at which clients of a worker wait, kept on purpose while the worker is gone.
///
/// Unlike a ``BorrowedDescriptor`` it stays open when the process ends: while it is, the kernel goes on taking clients there. It is a
/// listening socket, or one of datagrams, and never a connection, whose end it would keep from the peer.
package struct DoorDescriptor: ~Copyable, Sendable {
    /// Its inode.
    package let inode: UInt64
    /// Where it is bound.
    package let place: DoorPlace
    /// Whether SO_REUSEPORT (socket(7)) is set.
    package let sharesPort: Bool
    /// The user that made it: the kernel lets no other one share its port.
    package let user: UInt32
    private let descriptor: OwnedDescriptor

    /// Duplicates the socket of this inode that the process of `pidfd` has at `number`; nil where there is another file by now, or one at which
    /// no client can wait from here.
    ///
    /// The errors are those of `Pidfd.duplicate`.
    package init?(_ number: Int32, of pidfd: borrowing Pidfd, expecting inode: UInt64) throws(LinuxError) {
        self.init(try pidfd.duplicate(number), expecting: inode)
    }

    /// The one that a predecessor has kept; nil where it is none.
    package init?(inheriting number: Int32) { self.init(OwnedDescriptor(inheriting: number), expecting: nil) }

    private init?(_ descriptor: consuming OwnedDescriptor, expecting inode: UInt64?) {
        // Nothing else is done with it before: what it is now may be a file, whose file system asks a process.
        guard case .socket(let found)? = try? Inventory.Kind(of: descriptor.rawValue),
            found == inode ?? found,
            let facts = try? DoorFacts(of: descriptor.rawValue), facts.isHere, let socket = facts.socket,
            let place = DoorPlace(of: descriptor.rawValue, socket)
        else {
            DescriptorCloser.close([descriptor.release()])
            return nil
        }
        self.inode = found
        self.place = place
        self.descriptor = descriptor
        sharesPort = Self.sharesPort(self.descriptor.rawValue)
        var status = stat()
        user = unsafe fstat(self.descriptor.rawValue, &status) == 0 ? status.st_uid : UInt32.max
    }

    /// The number, borrowed: to wait for clients, and to be handed on.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Whether clients can wait there still: the worker may have shut it down (shutdown(2)) before its end.
    package var isServing: Bool {
        guard let facts = try? SocketFacts(of: rawValue) else { return false }
        return facts.isListening || facts.form == .datagram
    }

    private static func sharesPort(_ socket: Int32) -> Bool {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &value, &length) == 0 && value != 0
    }

    /// Lets other sockets of its user share its port, if they are made to share it, too.
    package borrowing func share() throws(LinuxError) {
        var yes: Int32 = 1
        try check(
            unsafe setsockopt(
                rawValue, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size)),
            "setsockopt", "SO_REUSEPORT")
    }

    /// Closes it for its clients, with what waits there; also where others keep a duplicate of it, as a service manager does (shutdown(2)).
    package consuming func shut() {
        // Ignoring a failure: one of datagrams has nothing to be shut, and is closed.
        _ = Glibc.shutdown(rawValue, Int32(SHUT_RDWR))
    }

    /// Leaves clients alone that come from now on, those of TCP: after a second the kernel of each asks again.
    ///
    /// A client that came between the last ``accept()`` and ``shut()`` would find its connection reset. A failure leaves it at that.
    package borrowing func admitNoMore() { _ = torpor_admit_no_more(rawValue) }

    /// Whether a client waits within 300 µs: after ``admitNoMore()``, one whose connection had begun, which on this machine takes some tens.
    package borrowing func awaitsLast() -> Bool { torpor_has_client(rawValue, 300_000) == 1 }

    /// Accepts a client that waits, without waiting; nil where none does any more, or no descriptor is left for it.
    ///
    /// No process has the socket any more: it is made non-blocking for that.
    package borrowing func accept() -> OwnedDescriptor? {
        let flags = fcntl(rawValue, F_GETFL)
        guard flags >= 0, fcntl(rawValue, F_SETFL, flags | O_NONBLOCK) == 0 else { return nil }
        while true {
            let client = torpor_unix_accept(rawValue)
            if client >= 0 { return OwnedDescriptor(adopting: client) }
            // Of one that is gone already, the next one is taken.
            guard client == -ECONNABORTED || client == -EPROTO else { return nil }
        }
    }
}

extension DoorPlace {
    /// Where a socket of this process is bound; nil where it has no address by which a client could come, and where it has one peer.
    fileprivate init?(of descriptor: Int32, _ socket: SocketFacts) {
        switch socket.family {
        case .unix:
            guard socket.isListening, let name = Self.unixName(of: descriptor) else { return nil }
            self = .unix(name)
        case .ipv4, .ipv6:
            guard let endpoint = Endpoint(of: descriptor), endpoint.port != 0 else { return nil }
            if socket.isListening, socket.isTCP {
                self = .tcp(endpoint)
            } else if socket.form == .datagram, socket.proto == Int32(IPPROTO_UDP), !Self.hasPeer(descriptor)
            {
                self = .udp(endpoint)
            } else {
                return nil
            }
        case .other: return nil
        }
    }

    private static func hasPeer(_ descriptor: Int32) -> Bool {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &length) == 0
            }
        }
    }

    private static func unixName(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        let offset = MemoryLayout<sa_family_t>.size
        guard result == 0, Int(length) > offset else { return nil }
        let bytes = unsafe withUnsafeBytes(of: address.sun_path) {
            unsafe Array($0.prefix(Int(length) - offset))
        }
        // An abstract one begins with a zero, and may have more of them (unix(7)).
        let isAbstract = bytes.first == 0
        let text = isAbstract ? bytes.dropFirst() : bytes.prefix { $0 != 0 }
        return (isAbstract ? "@" : "") + String(decoding: text, as: UTF8.self)
    }
}
