import Glibc
import Idleness
import Linux
import Sockets
import TestSupport
import Testing

/// What the kernel of this machine tells of sockets that are really there.
@Suite(.timeLimit(.minutes(60))) struct `A dump of sockets` {
    private func listener(_ port: UInt16, in sockets: [InetSocket]) -> InetSocket? {
        sockets.first { $0.state == .listen && $0.local.port == port }
    }

    /// The connections to a port, as its owner has them.
    private func connections(to port: UInt16, _ diag: inout SockDiag) throws -> [InetSocket] {
        try diag.dump(.connections).filter { $0.local.port == port }
    }

    @Test func `has a listener with its inode, its backlog and its cgroup`() throws {
        let own = try Listener(backlog: 7)
        var diag = try SockDiag()
        let found = try #require(listener(own.port, in: try diag.dump(.listening)))
        #expect(found.inode == own.inode)
        #expect(found.local.description == "127.0.0.1:\(own.port)")
        #expect((found.receiveQueue, found.sendQueue) == (0, 7))
        #expect(found.traffic == nil)
        let group = try Pidfd(pid: ThisProcess.pid).groupID
        if let group { #expect(found.cgroup == group) }
        guard let cgroup = found.cgroup else { return }
        #expect(try listener(own.port, in: diag.dump(.listening, cgroup: cgroup)) == found)
        #expect(try diag.dump(.all, cgroup: .max).isEmpty)
    }

    @Test(.requires(.ipv6)) func `has a listener of IPv6`() throws {
        let own = try Listener(ipv6: true)
        var diag = try SockDiag()
        let found = try #require(listener(own.port, in: try diag.dump(.listening)))
        #expect(found.local.description == "[::1]:\(own.port)" && found.inode == own.inode)
    }

    @Test func `has the states that were asked for, and no others`() throws {
        let own = try Listener()
        let client = try Client(port: own.port)
        defer { withExtendedLifetime(client) {} }
        var diag = try SockDiag()
        let listening = try diag.dump(.listening)
        #expect(listener(own.port, in: listening) != nil)
        #expect(listening.allSatisfy { $0.state == .listen })
        for states in [SockDiag.States.others, .connections, .init(.established)] {
            let others = try diag.dump(states)
            #expect(others.contains { $0.inode == client.inode && $0.remote.port == own.port })
            #expect(others.allSatisfy { $0.state != .listen })
        }
        #expect(try diag.dump(.connections).allSatisfy { $0.state != .timeWait })
        let all = try diag.dump(.all)
        #expect(listener(own.port, in: all) != nil && all.contains { $0.inode == client.inode })
    }

    @Test func `tells requests, probes and scans in a backlog apart`() throws {
        let own = try Listener(backlog: 16)
        var diag = try SockDiag()
        let silent = try Client(port: own.port)
        let request = try Client(port: own.port)
        defer { withExtendedLifetime((silent, request)) {} }
        try request.send("PING")
        var probe: Client? = try Client(port: own.port)
        var scanner: Client? = try Client(port: own.port)
        scanner?.resetAtClose()
        let ports = try [silent, request, #require(probe), #require(scanner)].map { client in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(client.descriptor, $0, &length)
                }
            }
            return UInt16(bigEndian: address.sin_port)
        }
        probe = nil
        scanner = nil
        let waiting = try eventually("the probe's FIN has come, and the scanner's reset") {
            let found = try connections(to: own.port, &diag)
            return found.count == 3 && found.contains { $0.state == .closeWait } ? found : nil
        }
        #expect(waiting.allSatisfy { $0.inode == 0 })
        let facts = Dictionary(uniqueKeysWithValues: waiting.map { ($0.remote.port, $0) })
        #expect(facts[ports[0]]?.state == .established && facts[ports[0]]?.receiveQueue == 0)
        #expect(facts[ports[1]]?.state == .established && facts[ports[1]]?.receiveQueue == 4)
        #expect(facts[ports[2]]?.state == .closeWait && facts[ports[2]]?.receiveQueue == 1)
        #expect(facts[ports[3]] == nil)
        // The one that was reset counts still.
        #expect(try listener(own.port, in: diag.dump(.listening))?.receiveQueue == 4)
        #expect(waiting.map(\.cgroup).allSatisfy { $0 == waiting[0].cgroup })
    }

    @Test func `has what passed through a connection, where it is asked for`() throws {
        let own = try Listener()
        let client = try Client(port: own.port)
        defer { withExtendedLifetime(client) {} }
        let accepted = accept(own.descriptor, nil, nil)
        try #require(accepted >= 0)
        defer { close(accepted) }
        try client.send("12345")
        #expect(Waiting.isReadable(accepted))
        var diag = try SockDiag()
        let found = try diag.dump(.connections, withTraffic: true)
        let end = try #require(found.first { $0.local.port == own.port })
        let traffic = try #require(end.traffic)
        #expect((traffic.received, traffic.sent) == (5, 0))
        #expect(traffic.isOwed)
        #expect(try diag.dump(.connections).allSatisfy { $0.traffic == nil })
    }

    @Test func `has datagrams that wait`() throws {
        let receiver = try TestSocket(AF_INET, SOCK_DGRAM)
        let port = try bindToLoopback(receiver.descriptor)
        var diag = try SockDiag()
        func look() throws -> InetSocket {
            try #require(try diag.dump(.all, of: .udp).first { $0.inode == receiver.inode })
        }
        #expect(try look().receiveQueue == 0)
        #expect(try look().local.port == port)
        let sender = try TestSocket(AF_INET, SOCK_DGRAM)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(sender.descriptor, "x", 1, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(sent == 1 && Waiting.isReadable(receiver.descriptor))
        #expect(try look().receiveQueue > 0)
    }

    @Test func `has Unix sockets with their peers and what waits in them`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { ends.forEach { close($0) } }
        try #require(send(ends[0], "123", 3, 0) == 3)
        let inodes = ends.map { end in
            var status = stat()
            fstat(end, &status)
            return UInt32(truncatingIfNeeded: status.st_ino)
        }
        var diag = try SockDiag()
        let found = try diag.unixSockets()
        let reader = try #require(found.first { $0.inode == inodes[1] })
        #expect(reader.peer == inodes[0] && reader.receiveQueue == 3 && reader.state == .established)
        let writer = try #require(found.first { $0.inode == inodes[0] })
        #expect(writer.peer == inodes[1] && writer.receiveQueue == 0 && writer.sendQueue > 0)
        try withTemporaryDirectory { path in
            let address = try UnixSocketAddress("\(path)/door")
            let listener = try StreamListener(at: address, access: .ours, backlog: 3)
            let client = try StreamSocket(connectingTo: address)
            #expect(
                try diag.unixSockets().contains {
                    $0.state == .listen && $0.receiveQueue == 1 && $0.sendQueue == 3
                })
            _ = consume client
            _ = consume listener
        }
    }

    @Test func `is whole with many sockets`() throws {
        let own = try Listener(backlog: 300)
        let clients = try (0..<300).map { _ in try Client(port: own.port) }
        defer { withExtendedLifetime(clients) {} }
        var diag = try SockDiag()
        for _ in 0..<3 {
            let inodes = Set(try diag.dump(.connections, withTraffic: true).map(\.inode))
            #expect(clients.allSatisfy { inodes.contains($0.inode) })
        }
    }
}
