import Glibc
import TestSupport
import Testing

/// Sleepers whose sockets are none of TCP, or in a network namespace of their own.
@Suite(.long, .timeLimit(.minutes(60))) struct `Sleepers with other sockets wake` {
    /// Whether sockets are duplicated, or sampled.
    enum Watching: CaseIterable {
        case duplicates
        case samples

        var starter: [String] { self == .samples ? ["python3", "-c", Refusal.script] : [] }
        var words: String { self == .samples ? "sampled" : "(its sockets)" }
    }

    @Test(arguments: Watching.allCases)
    func `by a Unix socket, a connection there, and a datagram`(_ way: Watching) throws {
        try withTemporaryDirectory { directory in
            let server = try Wrapper(
                ["-v"], ["python3", "-c", Self.server, "\(directory)/socket"], through: way.starter)
            let socket = try server.controlSocket()
            let port = try #require(try server.output.next())
            let client = try Caller(["\(directory)/socket", port])
            // The first is the one that is kept, of each second round.
            for (what, words) in [
                ("unix", "a connection to its Unix socket"), ("unix", "data on a Unix socket"),
                ("datagram", "a datagram"), ("unix", "data on a Unix socket"), ("datagram", "a datagram"),
            ] {
                #expect(try server.suspend(at: socket).contains(way.words))
                #expect(try client.ask(what) == what)
                #expect(try server.errors.until("woken by").contains(words))
            }
        }
    }

    @Test(.requires(.networkNamespaces), arguments: Watching.allCases)
    func `in a network namespace of its own, where one in use stays awake`(_ way: Watching) throws {
        try withTemporaryDirectory { directory in
            let server = try Wrapper(
                ["-v", "--idle", "1s"],
                [
                    "unshare", "-n", "python3", "-c", Self.server, "\(directory)/socket",
                ], through: way.starter)
            let port = try #require(try server.output.next())
            let process = try #require(try server.output.next())
            let client = try Caller(
                ["\(directory)/socket", port], through: ["nsenter", "-t", process, "-n"])
            for _ in 0..<10 {
                #expect(try client.ask("tcp") == "tcp")
                usleep(300_000)
            }
            #expect(try !server.errors.arrived().contains("→ suspended"))
            try server.errors.until("wakes by")
            #expect(try client.ask("tcp") == "tcp")
            #expect(try server.errors.until("woken by").contains("data from 127.0.0.1:"))
            try server.errors.until("wakes by")
            #expect(try client.ask("new") == "new")
            // Peers are looked up once in a second at most: it may be named by where it came to alone.
            let woken = try server.errors.until("woken by")
            #expect(
                woken.contains("a connection from 127.0.0.1:")
                    || woken.contains("a connection to 127.0.0.1:"),
                "\(woken)")
        }
    }

    /// Tells its port and its process, and answers what comes there and at a Unix socket, by poll(2).
    private static let server = """
        import fcntl, os, selectors, socket, struct, sys
        up = struct.pack('16sH14x', b'lo', 0x41)
        with socket.socket() as lo:
            try: fcntl.ioctl(lo, 0x8914, up)
            except OSError: pass
        tcp = socket.socket(); tcp.bind(('127.0.0.1', 0)); tcp.listen(64)
        port = tcp.getsockname()[1]
        unix = socket.socket(socket.AF_UNIX); unix.bind(sys.argv[1]); unix.listen(64)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(('127.0.0.1', port))
        print(port, os.getpid(), sep='\\n', flush=True)
        poll = selectors.PollSelector()
        for one in tcp, unix, udp: poll.register(one, selectors.EVENT_READ)
        while True:
            for key, _ in poll.select():
                s = key.fileobj
                if s is udp:
                    text, peer = s.recvfrom(100); s.sendto(text, peer)
                elif s in (tcp, unix): poll.register(s.accept()[0], selectors.EVENT_READ)
                else:
                    text = s.recv(100)
                    if text: s.sendall(text)
                    else: poll.unregister(s); s.close()
        """
}

/// A client of the server, which says what is answered to each line that it is given.
private final class Caller {
    private let process: Wrapper
    private let input: Int32

    init(_ arguments: [String], through prefix: [String] = []) throws {
        let (read, write) = try makePipe()
        defer { close(read) }
        input = write
        process = try Wrapper([], [], line: prefix + ["python3", "-c", Self.script] + arguments, input: read)
    }

    deinit { close(input) }

    func ask(_ what: String) throws -> String? {
        let line = what + "\n"
        try #require(write(input, line, line.utf8.count) == line.utf8.count)
        return try process.output.next()
    }

    private static let script = """
        import socket, sys
        at = ('127.0.0.1', int(sys.argv[2]))
        kept = {}
        def ask(s, what): s.sendall(what); return s.recv(100).decode()
        for line in sys.stdin:
            what = line.strip()
            if what == 'unix':
                if what not in kept:
                    kept[what] = socket.socket(socket.AF_UNIX); kept[what].connect(sys.argv[1])
                answer = ask(kept[what], what.encode())
            elif what == 'tcp':
                if what not in kept: kept[what] = socket.create_connection(at)
                answer = ask(kept[what], what.encode())
            elif what == 'new':
                # Kept open: it is looked for when it has woken the server.
                kept[what] = socket.create_connection(at); answer = ask(kept[what], what.encode())
            else:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                    udp.connect(at); answer = ask(udp, what.encode())
            print(answer, flush=True)
        """
}
