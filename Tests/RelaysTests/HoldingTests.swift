import Foundation
import Glibc
import Idleness
import Linux
import Relaying
import Relays
import Sockets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `A relay that holds connections` {
    /// A relay that has no target yet, with a door of its own where the worker will listen.
    private func held(_ door: Listener) throws -> RelayUnderTest {
        try RelayUnderTest(RelayRoute(to: nil, limit: 6000), listeners: [door], isOpen: false)
    }

    @Test func `connects them where they came to, once a worker listens there`() throws {
        // As the listeners of servers, it may be bound while connections to it are left (SO_REUSEADDR).
        var door: Listener? = try Listener(backlog: 100, port: freePort())
        let port = try #require(door?.port)
        let relay = try held(try #require(door))
        var clients = try (0..<34).map { number in
            let client = try Client(port: port)
            try client.send("\(number)")
            return client
        }
        guard
            case .knocked(let peer) = try relay.awaitReport({ if case .knocked = $0 { true } else { false } })
        else {
            return
        }
        #expect(peer.hasPrefix("127.0.0.1:"))
        try relay.send(.release)
        try relay.awaitReport { $0 == .released(waiting: 34) }
        // The port is free for the worker's own socket.
        door = nil
        // A child that another test makes in this moment has a copy of the door until it executes its program.
        let worker = try eventually("the port to be free") { try? Listener(backlog: 5, port: port) }
        try relay.send(.open)
        var seen: Set<String> = []
        for _ in clients {
            let (length, limit) = try worker.queue()
            #expect(length <= limit)
            let connection = try worker.accept()
            #expect(connection.peer.address == Loopback.address)
            let number = try connection.receive()
            try connection.send("answer to " + number)
            seen.insert(number)
        }
        #expect(seen.count == 34)
        for (number, client) in clients.enumerated() {
            #expect(try client.readAll() == "answer to \(number)")
        }
        // They leave now; by themselves they would where the compiler lets go of them.
        clients = []
        try relay.awaitCounts { $0.forwarded == 34 && $0.open == 0 }
    }

    @Test func `forgets a client that leaves`() throws {
        let door = try Listener(backlog: 100)
        let relay = try held(door)
        let staying = try Client(port: door.port)
        let asked = try Client(port: door.port)
        try asked.send("request")
        asked.endOutput()
        var leaving: [Client] = try (0..<20).map { _ in try Client(port: door.port) }
        try relay.awaitCounts { $0.waiting == 22 }
        for client in leaving[..<10] { client.resetAtClose() }
        leaving = []
        // One that has asked and ended its side waits for its answer.
        try relay.awaitCounts { $0.waiting == 2 }
        _ = staying
    }

    @Test func `takes connections that were accepted already`() throws {
        let door = try Listener()
        let target = try Listener()
        let relay = try RelayUnderTest(RelayRoute(to: target.address), isOpen: false)
        let client = try Client(port: door.port)
        try client.send("early")
        let accepted = try door.accept()
        try relay.send(.take, [accepted.descriptor])
        accepted.close()
        try relay.awaitCounts { $0.waiting == 1 }
        #expect(!target.isReadable)
        try relay.send(.open)
        let server = try target.accept()
        #expect(try server.receive() == "early")
        try server.send("late")
        #expect(try client.receive() == "late")
        // Nothing of the connection is left with anyone else.
        server.close()
        #expect(try client.receive() == "")
    }

    @Test func `closes a Unix client: connected by another process, it would seem to be that one`() throws {
        let directory = try OwnDirectory()
        let path = directory.path + "/door"
        let door = try TestSocket(AF_UNIX)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        try #require(with { bind(door.descriptor, $0, $1) } == 0 && Glibc.listen(door.descriptor, 5) == 0)
        let relay = try RelayUnderTest(RelayRoute(to: nil), listeners: [door], isOpen: false)
        let client = try TestSocket(AF_UNIX)
        try #require(with { connect(client.descriptor, $0, $1) } == 0)
        #expect(try client.receive() == "")
        _ = relay
    }

    @Test(.requires(.manyDescriptors)) func `keeps five thousand clients, and serves each`() throws {
        let door = try Listener(backlog: 4096)
        let target = try Listener(backlog: 128)
        let relay = try RelayUnderTest(
            RelayRoute(to: target.address, limit: 3000), listeners: [door], isOpen: false)
        // Beyond what it may have they wait at the door; what it has told is read meanwhile.
        let clients = try (0..<5000).map { number in
            let client = try Client(port: door.port)
            try client.send("\(number)")
            return client
        }
        try relay.awaitCounts { $0.waiting == 3000 }
        try relay.send(.open)
        for _ in clients {
            let connection = try target.accept()
            let number = try connection.receive()
            try connection.send(number)
            // It makes room for another one.
            let client = clients[try #require(Int(number))]
            #expect(try client.receive() == number)
            client.endOutput()
        }
        try relay.awaitCounts { $0.forwarded == 5000 }
    }

    @Test func `breaks those that wait when it is drained without a target`() throws {
        let door = try Listener()
        let relay = try held(door)
        let client = try Client(port: door.port)
        try client.send("a")
        try relay.awaitCounts { $0.waiting == 1 }
        try relay.send(.drain(milliseconds: nil))
        #expect(try client.readAll() == nil)
        #expect(relay.status() == 0)
    }

    @Test func `gives those that wait a chance when its supervisor is gone`() throws {
        let door = try Listener()
        let target = try Listener()
        let relay = try RelayUnderTest(RelayRoute(to: target.address), listeners: [door], isOpen: false)
        let client = try Client(port: door.port)
        try client.send("a")
        try relay.awaitCounts { $0.waiting == 1 }
        relay.letGo()
        let server = try target.accept()
        #expect(try server.receive() == "a")
        server.close()
        #expect(try client.readAll() == "")
        client.endOutput()
        #expect(relay.status() == 0)
    }
}

@Suite(.timeLimit(.minutes(60))) struct `A relay with a page` {
    private static let page = RelayPage(
        head: Array("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n".utf8),
        body: Array("page\n".utf8))
    private static let browser = "GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n"

    private struct Way {
        let door: Listener
        let target: Listener
        let relay: RelayUnderTest
    }

    private func way(page: RelayPage? = page) throws -> Way {
        let door = try Listener(backlog: 100)
        let target = try Listener()
        let relay = try RelayUnderTest(
            RelayRoute(to: target.address), listeners: [door], isOpen: false)
        try relay.send(.page(page))
        return Way(door: door, target: target, relay: relay)
    }

    @Test func `shows it to a browser, and lets all others wait for the worker`() throws {
        let way = try way()
        let browser = try Client(port: way.door.port)
        try browser.send(Self.browser)
        #expect(
            try browser.readAll() == "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\npage\n")
        let head = try Client(port: way.door.port)
        try head.send(Self.browser.replacingOccurrences(of: "GET", with: "HEAD"))
        #expect(try head.readAll() == "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n")
        let others = [
            "GET / HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n", "PING\r\n",
            Self.browser + Self.browser, "",
        ]
        let clients = try others.map { text in
            let client = try Client(port: way.door.port)
            if !text.isEmpty { try client.send(text) }
            return client
        }
        try way.relay.awaitCounts { $0.pages == 2 && $0.waiting == 4 }
        try way.relay.send(.page(nil))
        try way.relay.send(.open)
        for (text, client) in zip(others, clients) {
            let server = try way.target.accept()
            if !text.isEmpty { #expect(try server.receive() == text) }
            try server.send("from the worker")
            #expect(try client.receive() == "from the worker")
        }
    }

    @Test func `knows a browser whose request comes in parts, and one that came before`() throws {
        let way = try way(page: nil)
        let early = try Client(port: way.door.port)
        try early.send(Self.browser)
        let slow = try Client(port: way.door.port)
        try slow.send("GET / HT")
        try way.relay.awaitCounts { $0.waiting == 2 }
        try way.relay.send(.page(Self.page))
        #expect(try early.readAll()?.hasSuffix("page\n") == true)
        try way.relay.awaitCounts { $0.waiting == 1 }
        try slow.send("TP/1.1\r\nAccept: text/ht")
        try slow.send("ml\r\n\r\n")
        #expect(try slow.readAll()?.hasSuffix("page\n") == true)
    }

    @Test func `sends a large one whole to a slow reader`() throws {
        let body = String(repeating: "0123456789abcdef", count: 6000)
        let way = try way(page: RelayPage(head: Array("HTTP/1.1 503 -\r\n\r\n".utf8), body: Array(body.utf8)))
        let clients = try (0..<20).map { _ in
            let client = try Client(port: way.door.port)
            try client.send(Self.browser)
            return client
        }
        try way.relay.awaitCounts { $0.pages == 20 }
        for client in clients { #expect(try client.readAll() == "HTTP/1.1 503 -\r\n\r\n" + body) }
    }

    @Test func `shows none once the worker is there`() throws {
        let way = try way()
        try way.relay.send(.open)
        let browser = try Client(port: way.door.port)
        try browser.send(Self.browser)
        let server = try way.target.accept()
        #expect(try server.receive() == Self.browser)
    }
}

extension Listener {
    /// How many connections wait to be accepted, and how many may.
    fileprivate func queue() throws -> (length: UInt32, limit: UInt32) {
        var diag = try SockDiag()
        let own = try diag.dump(.listening).first { $0.inode == inode }
        let found = try #require(own)
        return (found.receiveQueue, found.sendQueue)
    }
}
