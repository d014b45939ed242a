import Glibc
import Idleness
import Linux
import Sockets
import TestSupport
import Testing

/// What real processes have open.
@Suite(.timeLimit(.minutes(60))) struct `The descriptors of a process` {
    /// Makes one descriptor of each kind, and writes their numbers in the order of the test.
    private static let everything = """
        import ctypes, os, select, socket
        libc = ctypes.CDLL(None)
        mask = (ctypes.c_char * 128)()
        s = socket.socket(); r, w = os.pipe(); p = select.epoll()
        found = [s.fileno(), r, w, p.fileno(), os.eventfd(0), libc.timerfd_create(1, 0),
            libc.signalfd(-1, mask, 0), libc.inotify_init1(0), os.pidfd_open(os.getpid()),
            os.open("/dev/null", os.O_RDONLY)]
        s.bind(("127.0.0.1", 0)); s.listen()
        for fd in found[:2] + found[4:9]: p.register(fd, select.EPOLLIN)
        print(*found, flush=True)
        """

    @Test(.requires(.python)) func `are told by kind, with what an epoll instance watches`() throws {
        let worker = try Worker(python: Self.everything)
        let numbers = worker.numbers()
        try #require(numbers.count == 10 && numbers.allSatisfy { $0 > 2 })
        let found = try #require(OpenDescriptors.read(of: worker.pid, atMost: 1000))
        #expect(found.process == worker.pid && found.isListed && !found.isCut)
        let kinds = numbers.map { found.kinds[$0] }
        guard case .socket(let socket) = kinds[0], case .pipe(let output) = kinds[1],
            case .pipe(let input) = kinds[2]
        else {
            Issue.record("\(kinds)")
            return
        }
        #expect(socket > 0 && output == input)
        let rest: [Inventory.Kind?] = [
            .eventPoll, .eventCounter, .timer, .signals, .inotify, .pidfd, nil,
        ]
        #expect(Array(kinds[3...]) == rest)
        #expect(found.readable.contains(numbers[1]) && !found.readable.contains(numbers[2]))

        let systems = try KernelFileSystems.probe()
        #expect(Set([systems.sockets, systems.pipes, systems.anonymous]).count == 3)
        let members = try #require(found.members[numbers[3]] ?? nil)
        let devices = Dictionary(uniqueKeysWithValues: members.map { ($0.descriptor, $0.device) })
        #expect(members.count == 7)
        #expect(devices[numbers[0]] == systems.sockets)
        #expect(devices[numbers[1]] == systems.pipes)
        for number in numbers[4...7] { #expect(devices[number] == systems.anonymous) }
        #expect(devices[numbers[8]] == systems.pidfds)
        #expect(members.first { $0.descriptor == numbers[0] }?.inode == socket)
        #expect(members.first { $0.descriptor == numbers[1] }?.inode == output)
    }

    @Test(.requires(.python)) func `are told of a FIFO with a path, and its file system by its number`()
        throws
    {
        try withTemporaryDirectory { path in
            let fifo = "\(path)/fifo"
            try #require(mkfifo(fifo, 0o600) == 0)
            let worker = try Worker(
                python: """
                    import os, select
                    f = os.open("\(fifo)", os.O_RDWR); w = os.open("\(fifo)", os.O_WRONLY)
                    o = os.open("\(fifo)", os.O_PATH); p = select.epoll(); p.register(f, select.EPOLLIN)
                    print(f, w, o, p.fileno(), flush=True)
                    """)
            let numbers = worker.numbers()
            try #require(numbers.count == 4)
            var status = stat()
            try #require(stat(fifo, &status) == 0)
            let found = try #require(OpenDescriptors.read(of: worker.pid, atMost: 1000))
            let kind = Inventory.Kind.pipe(inode: UInt64(status.st_ino))
            #expect(numbers.prefix(3).map { found.kinds[$0] } == [kind, kind, kind])
            #expect(numbers.prefix(3).map { found.readable.contains($0) } == [true, false, false])
            let member = try #require((found.members[numbers[3]] ?? nil)?.first)
            // Here the kernel's number of a device is not the one that stat(2) tells.
            let major = UInt64(status.st_dev >> 8 & 0xfff)
            let minor = UInt64(status.st_dev & 0xff | status.st_dev >> 12 & ~0xff)
            #expect(member.device == major << 20 | minor)
            let systems = try KernelFileSystems.probe()
            #expect(member.device != systems.pipes && member.inode == UInt64(status.st_ino))
        }
    }

    @Test(.requires(.python)) func `are the lowest where there are too many`() throws {
        let worker = try Worker(
            python: """
                import select, socket
                all = [socket.socket() for _ in range(300)]
                p = select.epoll()
                for s in all: p.register(s.fileno(), select.EPOLLIN)
                print(all[0].fileno(), p.fileno(), flush=True)
                """)
        let numbers = worker.numbers()
        let whole = try #require(OpenDescriptors.read(of: worker.pid, atMost: 1000))
        #expect(!whole.isCut && whole.members[numbers[1]]??.count == 300)
        let some = try #require(OpenDescriptors.read(of: worker.pid, atMost: 50))
        #expect(some.isCut && some.isListed && some.kinds.count <= 50)
        #expect(some.kinds[numbers[0]] == whole.kinds[numbers[0]] && some.members.isEmpty)
        // As many descriptors as there are, no fewer members: both bounds are the same.
        let descriptors = Directory.entries(of: "/proc/\(worker.pid)/fd").count
        #expect(OpenDescriptors.read(of: worker.pid, atMost: descriptors)?.isCut == false)
        #expect(OpenDescriptors.read(of: worker.pid, atMost: descriptors - 1)?.isCut == true)
        #expect(OpenDescriptors.read(of: worker.pid, atMost: 0)?.kinds.isEmpty == true)
        // Linux before 6.2 does not tell.
        let told = OpenDescriptors.count(of: worker.pid)
        #expect(told == nil || told == descriptors, "\(told ?? 0)")
    }

    @Test func `are not there where there is no process`() throws {
        #expect(OpenDescriptors.read(of: Int32.max, atMost: 10) == nil)
        #expect(OpenDescriptors.read(of: -1, atMost: 10) == nil)
        #expect(OpenDescriptors.count(of: Int32.max) == nil)
    }

    @Test(.requires(.ordinaryUser)) func `are not listed of a process that may not be looked at`() throws {
        let found = try #require(OpenDescriptors.read(of: 1, atMost: 10))
        #expect(!found.isListed && found.kinds.isEmpty)
    }

    @Test(.requires(.python)) func `are few in an HTTP server of Python, which has no epoll instance`() throws
    {
        let worker = try Worker(
            python: """
                import http.server
                server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
                print(server.server_port, flush=True); server.serve_forever()
                """)
        let port = try #require(worker.numbers().first)
        let found = try #require(OpenDescriptors.read(of: worker.pid, atMost: 1000))
        #expect(found.members.isEmpty)
        var diag = try SockDiag()
        let listener = try #require(try diag.dump(.listening).first { $0.local.port == UInt16(port) })
        #expect(found.kinds.values.contains(.socket(inode: UInt64(listener.inode))))
    }

    @Test(.requires(.redis)) func `have an epoll instance of sockets and pipes in redis`() throws {
        let redis = try Redis()
        let client = try Client(port: redis.port)
        defer { withExtendedLifetime(client) {} }
        #expect(try client.ask("PING\r\n") == "+PONG\r\n")
        let found = try #require(OpenDescriptors.read(of: redis.worker.pid, atMost: 1000))
        let systems = try KernelFileSystems.probe()
        let members = try #require(found.members.values.compactMap(\.self).first)
        #expect(found.members.count == 1)
        #expect(members.allSatisfy { [systems.sockets, systems.pipes].contains($0.device) })
        var diag = try SockDiag()
        let sockets = try diag.dump(.all).filter { $0.local.port == redis.port && $0.inode != 0 }
        #expect(sockets.count == 2)
        for socket in sockets {
            #expect(found.kinds.values.contains(.socket(inode: UInt64(socket.inode))))
            #expect(members.contains { $0.inode == UInt64(socket.inode) })
        }
    }
}
