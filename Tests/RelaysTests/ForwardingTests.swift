import Foundation
import Glibc
import Linux
import Relaying
import Relays
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `A relay that forwards` {
    private struct Way {
        let door: Listener
        let target: Listener
        let relay: RelayUnderTest
    }

    private func way(backlog: Int32 = 100, _ change: (inout RelayRoute) -> Void = { _ in }) throws -> Way {
        let door = try Listener(backlog: 4096)
        let target = try Listener(backlog: backlog)
        var route = RelayRoute(to: target.address)
        change(&route)
        return Way(door: door, target: target, relay: try RelayUnderTest(route, listeners: [door]))
    }

    @Test func `passes bytes, and each end alone`() throws {
        let way = try way()
        for isClientFirst in [true, false] {
            let client = try Client(port: way.door.port)
            try client.send("hello")
            let server = try way.target.accept()
            #expect(try server.receive() == "hello")
            if isClientFirst {
                client.endOutput()
                #expect(try server.receive() == "")
                try server.send("after the end")
                #expect(try client.receive() == "after the end")
                server.close()
                #expect(try client.receive() == "")
            } else {
                try server.send("bye")
                shutdown(server.descriptor, Int32(SHUT_WR))
                #expect(try client.readAll() == "bye")
                try client.send("one more")
                #expect(try server.receive() == "one more")
                client.endOutput()
                #expect(try server.receive() == "")
            }
        }
        try way.relay.awaitCounts { $0.open == 0 && $0.forwarded == 2 }
    }

    @Test func `passes on that a connection was broken`() throws {
        let way = try way()
        var client: Client? = try Client(port: way.door.port)
        try client?.send("a")
        let server = try way.target.accept()
        #expect(try server.receive() == "a")
        client?.resetAtClose()
        client = nil
        var byte: UInt8 = 0
        try #require(Waiting.isReadable(server.descriptor))
        #expect(recv(server.descriptor, &byte, 1, 0) < 0 && errno == ECONNRESET)

        let other = try Client(port: way.door.port)
        try other.send("b")
        let second = try way.target.accept()
        #expect(try second.receive() == "b")
        try second.send("half an ans")
        #expect(try other.receive() == "half an ans")
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(second.descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        second.close()
        #expect(try other.readAll() == nil)
        try way.relay.awaitCounts { $0.open == 0 }
    }

    @Test func `slows the sender down for a receiver that is slow, and loses nothing`() throws {
        let way = try way()
        let client = try Client(port: way.door.port)
        try client.send("x")
        let server = try way.target.accept()
        _ = try server.receive()
        // Both ways at once: neither reads until neither can write.
        let pattern = (0..<65_521).map { UInt8($0 % 251) }
        var written = [0, 0]
        let ends = [client.descriptor, server.descriptor]
        for descriptor in ends { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        var isStuck = false
        while !isStuck {
            isStuck = true
            for (index, descriptor) in ends.enumerated() {
                let offset = written[index] % pattern.count
                let part = Array(pattern[offset...])
                let count = send(descriptor, part, part.count, Int32(MSG_NOSIGNAL))
                if count > 0 {
                    written[index] += count
                    isStuck = false
                }
            }
            // What is in the relay goes on.
            if isStuck {
                var query = ends.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
                isStuck = poll(&query, 2, 300) == 0
            }
        }
        #expect(written.allSatisfy { $0 > 100_000 && $0 < 64 << 20 })
        for (index, descriptor) in ends.enumerated() {
            var (read, buffer) = (0, [UInt8](repeating: 0, count: 65536))
            let sent = written[1 - index]
            while read < sent {
                try #require(Waiting.isReadable(descriptor))
                let count = recv(descriptor, &buffer, buffer.count, 0)
                try #require(count > 0)
                for place in 0..<count where buffer[place] != pattern[(read + place) % pattern.count] {
                    Issue.record("another byte at \(read + place)")
                    return
                }
                read += count
            }
            #expect(read == sent)
        }
    }

    @Test func `has two descriptors for a connection on which nothing happens`() throws {
        let way = try way()
        var pairs: [(Client, Accepted)] = []
        func add() throws {
            let client = try Client(port: way.door.port)
            try client.send("a")
            let server = try way.target.accept()
            #expect(try server.receive() == "a")
            pairs.append((client, server))
        }
        // The pipe of the first stays for those that come.
        try add()
        let before = way.relay.descriptorCount
        for _ in 0..<100 { try add() }
        #expect(way.relay.descriptorCount == before + 200)
        pairs = []
        try way.relay.awaitCounts { $0.open == 0 }
        #expect(way.relay.descriptorCount == before - 2)
    }

    @Test func `accepts no more than it may have, and goes on when one has ended`() throws {
        let way = try way { $0.limit = 2 }
        var clients: [Client] = try (0..<3).map { _ in try Client(port: way.door.port) }
        for client in clients { try client.send("a") }
        let first = try way.target.accept()
        let second = try way.target.accept()
        try way.relay.awaitCounts { $0.open == 2 }
        #expect(!way.target.isReadable)
        #expect(try first.receive() == "a")
        first.close()
        clients[0].endOutput()
        #expect(try clients[0].receive() == "")
        let third = try way.target.accept()
        #expect(try third.receive() == "a")
        _ = second
        clients = []
    }

    @Test func `has no privileges and makes no other system calls`() throws {
        let way = try way()
        let relay = way.relay
        #expect(try relay.field("NoNewPrivs") == "1")
        #expect(try relay.field("Seccomp") == "2")
        #expect(try UInt64(relay.field("CapEff"), radix: 16) == 0)
        #expect(try UInt64(relay.field("CapPrm"), radix: 16) == 0)
        if geteuid() == 0 {
            #expect(try relay.field("Uid").split(separator: "\t").allSatisfy { $0 == "65533" })
            #expect(try relay.field("Gid").split(separator: "\t").allSatisfy { $0 == "65533" })
            #expect(try relay.field("Groups") == "")
        }
    }

    @Test func `gives up a client for which the target refuses for too long`() throws {
        let port = try freePort()
        let door = try Listener()
        let relay = try RelayUnderTest(
            RelayRoute(to: .ipv4(Loopback.address, port: port), patience: 300), listeners: [door])
        let client = try Client(port: door.port)
        try client.send("a")
        #expect(try client.readAll() == nil)
        try relay.awaitReport { $0 == .gaveUp(1, errno: ECONNREFUSED) }
    }

    @Test func `keeps a client for a target that refuses at first`() throws {
        let door = try Listener()
        let target = try TestSocket()
        let port = try bindToLoopback(target.descriptor)
        let relay = try RelayUnderTest(
            RelayRoute(to: .ipv4(Loopback.address, port: port)), listeners: [door])
        let client = try Client(port: door.port)
        try client.send("a")
        try relay.awaitCounts { $0.waiting == 1 }
        try #require(listen(target.descriptor, 5) == 0)
        try #require(Waiting.isReadable(target.descriptor))
        try relay.awaitCounts { $0.waiting == 0 && $0.open == 1 }
    }

    @Test func `serves what it has when its supervisor is gone, and ends with its last connection`() throws {
        let way = try way()
        let client = try Client(port: way.door.port)
        try client.send("a")
        let server = try way.target.accept()
        #expect(try server.receive() == "a")
        way.relay.letGo()
        try server.send("still here")
        #expect(try client.receive() == "still here")
        client.endOutput()
        #expect(try server.receive() == "")
        server.close()
        #expect(try client.receive() == "")
        #expect(way.relay.status() == 0)
    }

    @Test func `drains on SIGTERM, and within a limit where it is told one`() throws {
        let way = try way()
        let client = try Client(port: way.door.port)
        try client.send("a")
        let server = try way.target.accept()
        #expect(try server.receive() == "a")
        kill(way.relay.pid, SIGTERM)
        // It accepts no more: the door's own queue takes this one.
        let late = try Client(port: way.door.port)
        try client.send("b")
        #expect(try server.receive() == "b")
        try way.relay.send(.drain(milliseconds: 50))
        #expect(try client.readAll() == nil)
        #expect(way.relay.status() == 0)
        #expect(!late.isReadable && way.door.isReadable)
    }

    @Test func `that is killed takes its connections with it, and no more`() throws {
        let way = try way()
        let client = try Client(port: way.door.port)
        try client.send("a")
        let server = try way.target.accept()
        #expect(try server.receive() == "a")
        kill(way.relay.pid, SIGKILL)
        #expect(way.relay.status() == 128 + SIGKILL)
        #expect(try client.receive() == "")
        #expect(try server.receive() == "")
        // Its successor serves the same door.
        let successor = try RelayUnderTest(RelayRoute(to: way.target.address), listeners: [way.door])
        let next = try Client(port: way.door.port)
        try next.send("c")
        let other = try way.target.accept()
        #expect(try other.receive() == "c")
        try successor.awaitCounts { $0.open == 1 }
    }

    @Test(.requires(.ownAddress))
    func `lends no client of the network the identity of this machine`() throws {
        let own = try #require(Loopback.otherAddress)
        let door = try Listener()
        let outer = try TestSocket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = own.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(outer.descriptor, $0, length) == 0 && getsockname(outer.descriptor, $0, &length) == 0
            }
        }
        try #require(isBound && listen(outer.descriptor, 5) == 0)
        let target = try Listener()
        let relay = try RelayUnderTest(RelayRoute(to: target.address), listeners: [door, outer])
        let client = try TestSocket()
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client.descriptor, $0, length) == 0
            }
        }
        try #require(isConnected)
        #expect(try target.accept().peer.address == own)
        let local = try Client(port: door.port)
        #expect(try target.accept().peer.address == Loopback.address)
        _ = (local, relay)
    }
}
