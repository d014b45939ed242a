internal import CLinux
internal import Glibc
package import Idleness

/// What has come at a socket of a sleeper.
package enum SocketNews: Hashable, Sendable {
    /// Nothing that counts, as at an end.
    case nothing
    /// A connection waits to be accepted, by TCP.
    case knock
    /// Something may wait on this connection of TCP.
    case connection(WakeFacts.Connection)
    /// Something that counts has come through another socket.
    case other(SocketArrival)
}

extension BorrowedDescriptor {
    /// What has come at this one, a socket, by `rules`.
    package borrowing func news(_ rules: WakeRules) -> SocketNews {
        socket.map { $0.news(at: rawValue, rules) } ?? .nothing
    }
}

extension BorrowedSet {
    /// What has come at the one at `place`, a socket, by `rules`.
    package borrowing func news(at place: Int, _ rules: WakeRules) -> SocketNews {
        let duplicate = duplicates[place]
        return duplicate.socket.map { $0.news(at: duplicate.number, rules) } ?? .nothing
    }

    /// Whether there are bytes to be read at `place`, and not only an end (FIONREAD, ioctl(2)).
    package borrowing func hasBytes(at place: Int) -> Bool {
        SocketFacts.hasBytes(duplicates[place].number)
    }

    /// How many members of an epoll instance are told of at once.
    private static let mostMembers = 64

    /// Which members of the epoll instance at `place` have something, by their data (epoll_wait(2)); nil where there may be more of them.
    ///
    /// Only for one of ``PolledMembers``: it would miss the others' events.
    package borrowing func readyMembers(at place: Int) -> [UInt64]? {
        let ready = unsafe [UInt64](unsafeUninitializedCapacity: Self.mostMembers) { buffer, count in
            count = unsafe max(
                0,
                Int(torpor_epoll_ready(duplicates[place].number, buffer.baseAddress, Int32(Self.mostMembers)))
            )
        }
        return ready.count < Self.mostMembers ? ready : nil
    }
}

extension SocketFacts {
    /// Whether it is a stream of TCP.
    package var isTCP: Bool { form == .stream && (family == .ipv4 || family == .ipv6) }

    fileprivate func news(at descriptor: Int32, _ rules: WakeRules) -> SocketNews {
        if isTCP {
            if isListening { return Self.isReadable(descriptor) ? .knock : .nothing }
            return WakeFacts.Connection(of: descriptor).map { .connection($0) } ?? .nothing
        }
        guard Self.isReadable(descriptor) else { return .nothing }
        let arrival: SocketArrival
        if isListening {
            arrival = .unixConnection
        } else if form == .stream || family == .unix && form == .sequentialPacket {
            // At an end it may be read from, too.
            guard Self.hasBytes(descriptor) else { return .nothing }
            arrival = .unixData
        } else {
            // A datagram may be empty, and its process may have shut the socket for reading.
            guard Self.hasBytes(descriptor) || !Self.isAtEnd(descriptor) else { return .nothing }
            arrival = family == .unix ? .unixDatagram : .datagram
        }
        return arrival.wakes(by: rules) ? .other(arrival) : .nothing
    }

    /// Whether there are bytes to be read, and not only an end (FIONREAD, ioctl(2)).
    static func hasBytes(_ descriptor: Int32) -> Bool {
        var count: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count > 0
    }

    /// Whether it may be read from without waiting, at its end too.
    static func isReadable(_ descriptor: Int32) -> Bool { has(Int16(POLLIN), descriptor) }

    /// Whether nothing comes any more: its other end is gone or sends no more, or its process has shut it for reading (shutdown(2)).
    static func isAtEnd(_ descriptor: Int32) -> Bool {
        // asm-generic/poll.h: POLLRDHUP, which Glibc declares for GNU programs alone.
        has(0x2000 | Int16(POLLHUP), descriptor)
    }

    /// Whether it has one of these events (poll(2)).
    private static func has(_ events: Int16, _ descriptor: Int32) -> Bool {
        var query = pollfd(fd: descriptor, events: events, revents: 0)
        return unsafe poll(&query, 1, 0) == 1 && query.revents & events != 0
    }
}
