import Idleness
import Testing

@Suite struct `Sockets that are none of TCP` {
    private func unix(
        _ inode: UInt32, _ kind: UnixSocket.Kind = .stream, _ state: InetSocket.State = .established,
        peer: UInt32? = 99,
        name: String? = nil, bytes: UInt32 = 0
    ) -> UnixSocket {
        UnixSocket(
            kind: kind, state: state, inode: inode, peer: peer, name: name.map { Array($0.utf8) },
            receiveQueue: bytes)
    }

    private func udp(_ inode: UInt32, bytes: UInt32, cgroup: UInt64? = nil) -> InetSocket {
        let place = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 53)
        return InetSocket(
            state: .closed, local: place, remote: place, inode: inode, receiveQueue: bytes, sendQueue: 0,
            cgroup: cgroup)
    }

    private func others(unix: [UnixSocket] = [], udp: [InetSocket] = []) -> OtherSockets {
        OtherSockets(unix: unix, udp: udp) { $0 == Array("/run/notify".utf8) }
    }

    private let owner = SocketOwner(inodes: [1, 2, 3])

    @Test func `tell what came for their owner`() {
        let cases: [(OtherSockets, SocketArrival?)] = [
            (others(unix: [unix(1)]), nil),
            (others(unix: [unix(1, bytes: 4)]), .unixData),
            (others(unix: [unix(1, .sequentialPacket, bytes: 4)]), .unixData),
            (others(unix: [unix(1, .datagram, .closed, bytes: 4)]), .unixDatagram),
            (others(unix: [unix(1, .stream, .listen, peer: nil, bytes: 1)]), .unixConnection),
            (others(unix: [unix(7, bytes: 4)]), nil),
            (others(udp: [udp(2, bytes: 768)]), .datagram),
            (others(udp: [udp(2, bytes: 0)]), nil),
            (others(udp: [udp(8, bytes: 768)]), nil),
            // What was said before an end counts, the end does not.
            (others(unix: [unix(1, peer: nil)]), nil),
            (others(unix: [unix(1, peer: nil, bytes: 4)]), .unixData),
            // The other end of a connection to the supervisor.
            (others(unix: [unix(50, peer: 1, name: "/run/notify"), unix(1, peer: 50, bytes: 4)]), nil),
        ]
        for (others, expected) in cases {
            #expect(others.arrival(for: owner, WakeRules()) == expected, "\(others)")
        }
    }

    @Test func `whose other ends are unknown say which these are`() {
        let cases: [(bytes: UInt32, peer: UnixPeer, isLeft: Bool)] = [
            // An answer of a supervisor that was killed, and a connection that the next one has yet to accept.
            (4, UnixPeer(name: Array("/run/notify".utf8), isGone: true, hasBytes: true), true),
            (0, UnixPeer(name: Array("/run/notify".utf8), isGone: false, hasBytes: false), true),
            (0, UnixPeer(name: Array("/run/notify".utf8), isGone: true, hasBytes: false), true),
            // The last words of another program, its end, and one that has yet to accept.
            (4, UnixPeer(name: Array("/run/dbus".utf8), isGone: true, hasBytes: true), false),
            (0, UnixPeer(name: Array("/run/dbus".utf8), isGone: true, hasBytes: false), true),
            (0, UnixPeer(name: Array("/run/dbus".utf8), isGone: false, hasBytes: false), false),
            (4, UnixPeer(name: nil, isGone: true, hasBytes: true), false),
            (0, UnixPeer(name: nil, isGone: true, hasBytes: false), true),
        ]
        for kind in [UnixSocket.Kind.stream, .sequentialPacket] {
            for (bytes, peer, isLeft) in cases {
                var sockets = others(unix: [unix(1, kind, peer: nil, bytes: bytes), unix(2, peer: 9)])
                #expect(sockets.withUnknownPeers == [1])
                // Until it is asked only an end is left out.
                #expect(sockets.left == (bytes == 0 ? [1] : []))
                sockets.learn(peer, of: 1) { $0 == Array("/run/notify".utf8) }
                #expect(sockets.left == (isLeft ? [1] : []), "\(peer)")
                sockets.learn(peer, of: 2) { _ in true }
                #expect(!sockets.left.contains(2))
                let isHeard = sockets.arrival(for: owner, WakeRules()) != nil
                #expect(isHeard == (bytes > 0 && !isLeft), "\(peer)")
            }
        }
    }

    @Test func `count by the cgroup they were made in, where not all of a worker's could be listed`() {
        let sockets = others(udp: [udp(8, bytes: 768, cgroup: 42)])
        #expect(sockets.arrival(for: SocketOwner(cgroup: 42), WakeRules()) == .datagram)
        #expect(sockets.arrival(for: SocketOwner(cgroup: 43), WakeRules()) == nil)
    }

    @Test func `wake only for what the rules name`() {
        let arrivals: [SocketArrival] = [.unixConnection, .unixData, .unixDatagram, .datagram]
        let cases: [(WakeRules.Watching, Set<WakeRules.Kind>, [SocketArrival])] = [
            (.auto, [.connection, .data, .datagram, .input], arrivals),
            (.auto, [.request], [.unixConnection]),
            (.auto, [.data], [.unixData]),
            (.auto, [.datagram], [.unixDatagram, .datagram]),
            (.listen, [.connection, .data, .datagram], [.unixConnection]),
            (.held, [.connection, .data, .datagram], []),
            (.no, [.connection, .data, .datagram], []),
        ]
        for (watching, kinds, expected) in cases {
            var rules = WakeRules()
            (rules.watching, rules.kinds) = (watching, kinds)
            #expect(arrivals.filter { $0.wakes(by: rules) } == expected, "\(watching) \(kinds)")
        }
    }

    @Test func `of two network namespaces are told together`() {
        var both = others(unix: [unix(7)])
        both.add(others(unix: [unix(1, bytes: 3), unix(3, peer: nil)]))
        #expect(both.all == [1, 3, 7] && both.left == [3])
        #expect(both.arrival(for: owner, WakeRules()) == .unixData)
    }
}
