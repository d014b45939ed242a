import Cgroups
import Foundation
import Glibc
import Idleness
import Linux
import Sockets
import TestSupport
import Testing

/// A door that a test closes, hands over or leaves.
private final class Door {
    var value: DoorDescriptor?

    init(_ value: consuming DoorDescriptor) { self.value = consume value }

    func share() throws { try value?.share() }

    func migrate() throws {
        guard let door = value.take() else { return }
        try QueueMigration().close(door)
    }
}

private final class Sharing {
    var value: PortSharing?

    init(_ value: consuming PortSharing) { self.value = consume value }
}

/// A client whose connection has begun, and that does not wait for it.
private final class BeginningClient {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)

    init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == -1 && errno == EINPROGRESS)
    }

    deinit { close(descriptor) }

    private func isReady(within milliseconds: Int32) -> Bool {
        var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&look, 1, milliseconds) == 1
    }

    /// Whether it is neither connected nor refused.
    var isWaiting: Bool {
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&look, 1, 0) == 0
    }

    var port: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    func answer() -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = isReady(within: 60_000) ? recv(descriptor, &bytes, bytes.count, 0) : 0
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Sockets of real processes that are kept open when these are gone.
@Suite(.timeLimit(.minutes(60)), .requires(.duplicates), .requires(.python)) struct `A kept door` {
    private static let server = """
        import socket, sys
        s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else PORT)); s.listen(100)
        print(s.getsockname()[1], flush=True)
        while True:
            c, a = s.accept(); c.sendall(b"%d" % a[1]); c.close()
        """

    private func door(of worker: Worker, _ place: (DoorPlace) -> Bool) throws -> Door {
        let kinds = try #require(OpenDescriptors.read(of: worker.pid, atMost: 1000)).kinds
        for (number, kind) in kinds {
            guard case .socket(let inode) = kind else { continue }
            guard let found = try DoorDescriptor(number, of: worker.pidfd, expecting: inode) else { continue }
            if place(found.place) { return Door(found) }
        }
        throw TimedOut(description: "no such socket")
    }

    private func end(_ worker: Worker) throws {
        kill(worker.pid, SIGKILL)
        try eventually("it is gone") { worker.pidfd.hasEnded ? () : nil }
    }

    @Test func `takes clients when its process is gone, and refuses them once it is shut`() throws {
        let worker = try Worker(python: Self.server.replacing("PORT", with: "0"))
        let port = UInt16(try #require(worker.numbers().first))
        let endpoint = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: port)
        let door = try door(of: worker) { $0 == .tcp(endpoint) }
        let shares = door.value?.sharesPort
        #expect(shares == false)
        try end(worker)
        let client = try Client(port: port)
        let accepted = [door.value?.accept()?.rawValue, door.value?.accept()?.rawValue]
        #expect(accepted[0] != nil && accepted[1] == nil)
        door.value.take()?.shut()
        #expect((try? Client(port: port)) == nil)
        withExtendedLifetime(client) {}
    }

    @Test func `that admits no more leaves a new client waiting for what listens next`() throws {
        let worker = try Worker(python: Self.server.replacing("PORT", with: "0"))
        let port = UInt16(try #require(worker.numbers().first))
        let endpoint = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: port)
        let door = try door(of: worker) { $0 == .tcp(endpoint) }
        try end(worker)
        let first = try Client(port: port)
        door.value?.admitNoMore()
        // Its connection begins before connect(2) returns.
        let late = try BeginningClient(port: port)
        let accepted = [door.value?.accept()?.rawValue, door.value?.accept()?.rawValue]
        #expect(accepted[0] != nil && accepted[1] == nil)
        let awaitsLast = door.value?.awaitsLast()
        #expect(awaitsLast == false && late.isWaiting)
        door.value.take()?.shut()
        #expect(late.isWaiting)
        let next = try Worker(python: Self.server.replacing("PORT", with: "\(port)"))
        #expect(next.numbers() == [Int32(port)])
        #expect(late.answer() == "\(late.port)")
        withExtendedLifetime(first) {}
    }

    @Test func `is a listening or a datagram socket with an address, and no connection`() throws {
        let worker = try Worker(
            python: """
                import os, socket
                path = "/tmp/torpor-test-door-%d" % os.getpid()
                a = socket.socket(socket.AF_UNIX); a.bind(path); a.listen()
                b = socket.socket(socket.AF_UNIX); b.bind("\\0" + path); b.listen()
                c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); c.bind(("127.0.0.1", 0))
                d = socket.create_server(("127.0.0.1", 0))
                e = socket.create_connection(d.getsockname())
                f = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); f.connect(c.getsockname())
                g, h = socket.socketpair()
                os.unlink(path)
                print(os.getpid(), c.getsockname()[1], d.getsockname()[1], flush=True)
                """)
        let numbers = worker.numbers()
        var places: Set<DoorPlace> = []
        for (number, kind) in try #require(OpenDescriptors.read(of: worker.pid, atMost: 100)).kinds {
            guard case .socket(let inode) = kind else { continue }
            if let door = try DoorDescriptor(number, of: worker.pidfd, expecting: inode) {
                places.insert(door.place)
            }
        }
        let path = "/tmp/torpor-test-door-\(numbers[0])"
        func endpoint(_ port: Int32) -> Endpoint {
            Endpoint(IPAddress(ipv4: 0x7f00_0001), port: UInt16(port))
        }
        #expect(
            places == [
                .unix(path), .unix("@" + path), .udp(endpoint(numbers[1])), .tcp(endpoint(numbers[2])),
            ])
    }

    @Test(.requires(.root), .requires(.cgroupV2Writable))
    func `hands what waits over to the next process, whose port is its own then`() throws {
        guard case .moved = DoorProspect.probe(hasGroups: true).attempt else {
            return print("skipped: no bpf(2)")
        }
        guard case .cgroup(let tree) = FreezeMethod.detect() else { return }
        let name = try #require(CgroupName("torpor-test-door-\(getpid())"))
        let group = try tree.base.makeChild(name)
        defer { try? group.remove(patience: 5_000_000) }
        let first = try Worker(python: Self.server.replacing("PORT", with: "0"))
        let port = UInt16(try #require(first.numbers().first))
        let endpoint = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: port)
        let door = try door(of: first) { $0 == .tcp(endpoint) }
        try end(first)
        let clients = try (0..<20).map { _ in try Client(port: port) }
        try door.share()
        let sharing = Sharing(try PortSharing(of: [port], in: group.path))
        let entering = "import os; open('\(group.path)/cgroup.procs', 'w').write('0')\n"
        let second = try Worker(python: entering + Self.server.replacing("PORT", with: "\(port)"))
        #expect(second.numbers() == [Int32(port)])
        try door.migrate()
        sharing.value = nil
        for client in clients {
            let own = try #require(Endpoint(of: client.descriptor)).port
            #expect(try client.receive() == "\(own)")
        }
        var diag = try SockDiag()
        let listener = try #require(diag.dump(.listening).first { $0.local == endpoint })
        func settle(_ remains: QueueMigration.Remains) -> String? {
            QueueMigration.settle(remains, of: UInt64(listener.inode), in: [second.pid], atMost: 100)
        }
        for remains in [QueueMigration.Remains.sharing, .program, .sharing, .program] {
            #expect(settle(remains) == nil)
        }
        #expect(throws: (any Error).self) { try TestListener(sharing: port) }
        try end(second)
    }
}

/// A listener that would share its port.
private final class TestListener {
    private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

    init(sharing port: UInt16) throws {
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 1) == 0 else { throw TimedOut(description: "bind: \(errno)") }
    }

    deinit { close(descriptor) }
}
