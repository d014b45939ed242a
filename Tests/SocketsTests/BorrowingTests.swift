import Glibc
import Idleness
import Linux
import Sockets
import TestSupport
import Testing

/// A duplicate that is dropped when a test says so.
private final class Held {
    var borrowed: BorrowedDescriptor?

    init(_ borrowed: consuming BorrowedDescriptor) { self.borrowed = consume borrowed }
}

/// Duplicates of descriptors of real processes that are stopped.
@Suite(.timeLimit(.minutes(60)), .requires(.duplicates)) struct `A borrowed descriptor` {
    /// What a process has open, by kind.
    private func descriptors(of worker: Worker) throws -> Inventory.Descriptors {
        try #require(OpenDescriptors.read(of: worker.pid, atMost: 1000))
    }

    /// A duplicate that is expected to be had.
    private func borrow(
        _ number: Int32, of worker: Worker, _ kind: Inventory.Kind
    ) throws -> BorrowedDescriptor {
        guard let borrowed = try BorrowedDescriptor(number, of: worker.pidfd, expecting: kind) else {
            throw TimedOut(description: "descriptor \(number) is not \(kind)")
        }
        return borrowed
    }

    /// Where a process has the socket of this inode.
    private func place(_ inode: UInt32, in worker: Worker) throws -> Int32 {
        let kinds = try descriptors(of: worker).kinds
        return try #require(kinds.first { $0.value == .socket(inode: UInt64(inode)) }).key
    }

    /// The socket that a process has of the connection of `client`, as sock_diag(7) tells.
    private func connection(of client: Client, to port: UInt16) throws -> InetSocket {
        var diag = try SockDiag()
        let sockets = try diag.dump(.connections)
        let other = try #require(sockets.first { $0.inode == client.inode })
        return try #require(
            sockets.first { $0.local == other.remote && $0.remote == other.local && $0.inode != 0 })
    }

    /// A process that answers each connection with one line.
    private func greeter() throws -> (worker: Worker, port: UInt16) {
        let worker = try Worker(
            python: """
                import socket
                s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
                while True:
                    c, _ = s.accept(); c.sendall(b"hello"); c.close()
                """)
        return (worker, UInt16(try #require(worker.numbers().first)))
    }

    @Test(.requires(.python)) func `of a listener tells of a client while its owner is stopped`() throws {
        let (worker, port) = try greeter()
        try worker.stop()
        var diag = try SockDiag()
        let listener = try #require(try diag.dump(.listening).first { $0.local.port == port })
        let number = try place(listener.inode, in: worker)
        let kind = Inventory.Kind.socket(inode: UInt64(listener.inode))
        let borrowed = try borrow(number, of: worker, kind)
        let socket = borrowed.socket
        let facts = try #require(socket)
        #expect(facts.family == .ipv4 && facts.form == .stream && facts.proto == Int32(IPPROTO_TCP))
        #expect(facts.isListening && !facts.lingers && borrowed.kind == kind)
        #expect(fcntl(borrowed.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        #expect(!Waiting.isReadable(borrowed.rawValue, timeout: 0))
        let client = try Client(port: port)
        #expect(Waiting.isReadable(borrowed.rawValue))
        #expect(!client.isReadable)
        _ = consume borrowed
        try worker.resume()
        #expect(try client.receive() == "hello")
        #expect(try client.receive() == "")
    }

    @Test(.requires(.redis))
    func `is not kept to see what waits on a connection, nor had of anything else`() throws {
        let redis = try Redis()
        let client = try Client(port: redis.port)
        #expect(try client.ask("PING\r\n") == "+PONG\r\n")
        try redis.worker.stop()
        let own = try connection(of: client, to: redis.port)
        let number = try place(own.inode, in: redis.worker)
        let inode = UInt64(own.inode)
        func look(_ number: Int32, _ inode: UInt64) -> WakeFacts.Connection? {
            redis.worker.pidfd.connection(at: number, inode: inode)
        }
        #expect(look(number, inode)?.bytes == 0)
        try client.send("QUIT\r\n")
        let found = try #require(look(number, inode))
        #expect(found.bytes == 6 && found.remote == own.remote && found.local == own.local)
        #expect(look(number, inode + 1) == nil && look(9999, inode) == nil)
        // Neither its epoll instance nor its listening socket is a connection; that of the client that waited for redis may be there still.
        let open = try descriptors(of: redis.worker)
        var diag = try SockDiag()
        let connections = Set(try diag.dump(.connections).map { UInt64($0.inode) })
        for case (let other, let kind) in open.kinds where other != number {
            guard case .socket(let inode) = kind else {
                #expect(look(other, inode) == nil)
                continue
            }
            #expect(connections.contains(inode) || look(other, inode) == nil)
        }
        try redis.worker.resume()
        #expect(try client.receive() == "+OK\r\n")
        #expect(try client.receive() == "")
    }

    @Test(.requires(.redis)) func `of an epoll instance tells of data, and keeps no socket open`() throws {
        let redis = try Redis()
        let client = try Client(port: redis.port)
        #expect(try client.ask("PING\r\n") == "+PONG\r\n")
        try redis.worker.stop()
        let number = try #require(try descriptors(of: redis.worker).members.keys.first)
        let borrowed = try borrow(number, of: redis.worker, .eventPoll)
        #expect(borrowed.socket == nil)
        #expect(!Waiting.isReadable(borrowed.rawValue, timeout: 0))
        try client.send("QUIT\r\n")
        #expect(Waiting.isReadable(borrowed.rawValue))
        // Behind the process's own, one of this process tells of it as well.
        let set = try ReadySet()
        try set.add(borrowed.rawValue, as: 7)
        #expect(set.ready() == [7])
        _ = consume set
        // Even held while the process runs it delays no FIN.
        try redis.worker.resume()
        #expect(try client.receive() == "+OK\r\n")
        #expect(try client.receive() == "")
        _ = consume borrowed
    }

    @Test(.requires(.redis))
    func `of an epoll instance is asked which connection has data, and the process hears of it still`() throws
    {
        let redis = try Redis()
        var clients = try (0..<3).map { _ in try Client(port: redis.port) }
        // One that ends is something, too.
        defer { withExtendedLifetime(clients) {} }
        for client in clients { #expect(try client.ask("PING\r\n") == "+PONG\r\n") }
        let systems = try KernelFileSystems.probe()
        for _ in 0..<2 {
            try redis.worker.stop()
            let found = try descriptors(of: redis.worker)
            let (number, some) = try #require(found.members.first)
            let all = try #require(some)
            var diag = try SockDiag()
            let listening = Set(try diag.dump(.listening).map { UInt64($0.inode) })
            let members = try #require(
                PolledMembers(all, listening: listening, sockets: systems.sockets))
            var set = try BorrowedSet()
            try set.add(try borrow(number, of: redis.worker, .eventPoll))
            let before = set.readyMembers(at: 0)
            #expect(before == [])
            try clients[1].send("PING\r\n")
            #expect(Waiting.isReadable(set.rawValue))
            for _ in 0..<3 {
                let ready = set.readyMembers(at: 0) ?? []
                #expect(ready.count == 1)
                let first = try #require(ready.first)
                let member = try #require(members[first])
                let inode = UInt64(try connection(of: clients[1], to: redis.port).inode)
                #expect(member.kind == .socket(inode))
                let one = try borrow(member.descriptor, of: redis.worker, .socket(inode: inode))
                guard case .connection(let facts) = one.news(WakeRules()) else {
                    Issue.record("no connection is found")
                    return
                }
                #expect(facts.bytes == 6 && facts.state == .established && facts.isAccepted)
                #expect(facts.local.port == redis.port && facts.remote.address.isLoopback)
            }
            let new = try Client(port: redis.port)
            clients.append(new)
            #expect(Waiting.isReadable(set.rawValue))
            let ready = (set.readyMembers(at: 0) ?? []).compactMap { members[$0]?.kind }
            #expect(ready.count == 2)
            #expect(ready.contains { if case .listener = $0 { true } else { false } })
            _ = consume set
            try redis.worker.resume()
            #expect(try clients[1].receive() == "+PONG\r\n")
            #expect(try new.ask("PING\r\n") == "+PONG\r\n")
        }
    }

    @Test(.requires(.redis))
    func `of a connection is dropped before the process closes it: else no FIN comes`() throws {
        let redis = try Redis()
        for isDroppedBefore in [true, false] {
            let client = try Client(port: redis.port)
            #expect(try client.ask("PING\r\n") == "+PONG\r\n")
            try redis.worker.stop()
            let inode = try connection(of: client, to: redis.port).inode
            let number = try place(inode, in: redis.worker)
            let kind = Inventory.Kind.socket(inode: UInt64(inode))
            let taken = try borrow(number, of: redis.worker, kind)
            let duplicate = taken.rawValue
            let held = Held(consume taken)
            #expect(!Waiting.isReadable(duplicate, timeout: 0))
            try client.send("QUIT\r\n")
            #expect(Waiting.isReadable(duplicate))
            if isDroppedBefore { held.borrowed = nil }
            try redis.worker.resume()
            #expect(try client.receive() == "+OK\r\n")
            if !isDroppedBefore {
                try eventually("redis has closed it") {
                    try descriptors(of: redis.worker).kinds.values.contains(kind) ? nil : ()
                }
                #expect(!client.isReadable)
                held.borrowed = nil
            }
            #expect(try client.receive() == "")
        }
    }

    @Test(.requires(.python)) func `of a datagram socket tells of each datagram, and of no end`() throws {
        let worker = try Worker(
            python: """
                import socket
                def pair(family):
                    if family == socket.AF_UNIX: return socket.socketpair(family, socket.SOCK_DGRAM)
                    a, b = (socket.socket(family, socket.SOCK_DGRAM) for _ in range(2))
                    for s in (a, b): s.bind(("127.0.0.1", 0))
                    a.connect(b.getsockname()); b.connect(a.getsockname())
                    return a, b
                all = []
                for family in (socket.AF_UNIX, socket.AF_INET):
                    for sent, is_shut in ((None, False), (b"", False), (b"x", False), (None, True), (b"x", True)):
                        a, b = pair(family)
                        if sent is not None: b.send(sent)
                        if is_shut: a.shutdown(socket.SHUT_RD)
                        all += [a, b]
                        print(a.fileno(), flush=True)
                """)
        let numbers = try (0..<10).map { _ in Int32(try #require(worker.numbers().first)) }
        try worker.stop()
        let kinds = try descriptors(of: worker).kinds
        let news = try numbers.map { number in
            try borrow(number, of: worker, #require(kinds[number])).news(WakeRules())
        }
        let (unix, inet) = (SocketNews.other(.unixDatagram), SocketNews.other(.datagram))
        #expect(news == [.nothing, unix, unix, .nothing, unix, .nothing, inet, inet, .nothing, inet])
    }

    @Test(.requires(.python)) func `is one of a set that is gone as a whole, and may be filled again`() throws
    {
        let worker = try Worker(
            python: """
                import socket
                all = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
                for s in all: print(s.fileno(), s.getsockname()[1], flush=True)
                """)
        let listeners = (0..<3).map { _ in worker.numbers() }
        try #require(listeners.allSatisfy { $0.count == 2 })
        try worker.stop()
        let kinds = try descriptors(of: worker).kinds
        var clients: [Client] = []
        for round in 0..<3 {
            var set = try BorrowedSet()
            for listener in listeners {
                try set.add(try borrow(listener[0], of: worker, #require(kinds[listener[0]])))
            }
            #expect(set.count == 3)
            // What has come before is told anew.
            #expect(set.ready().sorted() == Array(0..<round))
            clients.append(try Client(port: UInt16(listeners[round][1])))
            #expect(Waiting.isReadable(set.rawValue))
            // What was told of is not told again.
            #expect(set.ready() == [round])
            _ = consume set
            let own = try #require(OpenDescriptors.read(of: getpid(), atMost: 100_000)).kinds.values
            for listener in listeners { #expect(!own.contains { $0 == kinds[listener[0]] }) }
        }
    }

    @Test(.requires(.python))
    func `of a Unix connection tells the name of its peer, also of one that is gone`()
        throws
    {
        let worker = try Worker(
            python: """
                import os, socket, tempfile
                path = tempfile.mkdtemp() + "/s"; print(path, flush=True)
                l = socket.socket(socket.AF_UNIX); l.bind(path); l.listen(8)
                def client(): c = socket.socket(socket.AF_UNIX); c.connect(path); return c
                gone, spoke, open_ = client(), client(), client()
                l.accept()[0].close()
                s = l.accept()[0]; s.send(b"last words"); s.close()
                kept = l.accept()[0]; unaccepted = client(); left, right = socket.socketpair()
                print(*[c.fileno() for c in (gone, spoke, open_, unaccepted, l, left)], flush=True)
                os.unlink(path); os.rmdir(os.path.dirname(path))
                """)
        let path = Array(worker.line().utf8)
        let numbers = worker.numbers()
        try #require(numbers.count == 6)
        try worker.stop()
        let kinds = try descriptors(of: worker).kinds
        let peers = try numbers.map { try borrow($0, of: worker, #require(kinds[$0])).unixPeer() }
        #expect(
            peers == [
                UnixPeer(name: path, isGone: true, hasBytes: false),
                UnixPeer(name: path, isGone: true, hasBytes: true),
                UnixPeer(name: path, isGone: false, hasBytes: false),
                UnixPeer(name: path, isGone: false, hasBytes: false), nil,
                UnixPeer(name: nil, isGone: false, hasBytes: false),
            ])
    }

    @Test(.requires(.python)) func `is only had of what was found, and of what may be waited for`() throws {
        let worker = try Worker(
            python: """
                import ctypes, os, socket, struct
                mask = (ctypes.c_char * 128)()
                l = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(l.getsockname())
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 100))
                r, w = os.pipe(); n = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
                print(l.fileno(), c.fileno(), r, n.fileno(), ctypes.CDLL(None).signalfd(-1, mask, 0),
                    os.open("/dev/null", os.O_RDONLY), flush=True)
                """)
        let numbers = worker.numbers()
        try #require(numbers.count == 6)
        try worker.stop()
        let kinds = try descriptors(of: worker).kinds
        func isHad(_ number: Int32, _ kind: Inventory.Kind?) throws -> Bool {
            switch try BorrowedDescriptor(number, of: worker.pidfd, expecting: kind ?? .other) {
            case .some: true
            case .none: false
            }
        }
        #expect(try isHad(numbers[0], kinds[numbers[0]]))
        #expect(try isHad(numbers[2], kinds[numbers[2]]))
        // Another socket, a pipe in a socket's place, one that lingers, one of another family, a signalfd, a file.
        #expect(try !isHad(numbers[0], .socket(inode: 1)))
        #expect(try !isHad(numbers[2], kinds[numbers[0]]))
        #expect(try !isHad(numbers[1], kinds[numbers[1]]))
        #expect(try !isHad(numbers[3], kinds[numbers[3]]))
        #expect(kinds[numbers[4]] == .signals)
        #expect(try !isHad(numbers[4], .signals))
        #expect(try !isHad(numbers[4], .eventPoll))
        #expect(try !isHad(numbers[5], .other))
        #expect(try !isHad(numbers[5], .pipe(inode: 1)))
        do {
            _ = try worker.pidfd.duplicate(900)
            Issue.record("there is no such descriptor")
        } catch {
            #expect(error.errno == EBADF)
        }
    }

    @Test func `cannot be had of a process that has ended`() throws {
        let worker = try Worker("/bin/true", [])
        try eventually("it has ended") { worker.pidfd.hasEnded ? () : nil }
        do {
            _ = try worker.pidfd.duplicate(0)
            Issue.record("it has no descriptors any more")
        } catch {
            #expect([ESRCH, EBADF].contains(error.errno))
        }
    }
}
