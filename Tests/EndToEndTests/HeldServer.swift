import Foundation
import Glibc
import TestSupport

/// A program that takes over the sockets it is passed, and clients of it.
enum HeldServer {
    /// Serves every socket that it is passed: answers each line of a connection in capitals, writes down what comes through the others.
    ///
    /// `LOG` is where it writes; `EXIT=1` has it end at once, `SLOW` waits before it serves, `STORE=1` stores a file under a name.
    static let program = """
        import os, socket, select, stat, sys, threading, time
        def log(*words):
            with open(os.environ["LOG"], "a") as f: print(*words, file=f, flush=True)
        count = int(os.environ.get("LISTEN_FDS", "0"))
        assert not count or int(os.environ["LISTEN_PID"]) == os.getpid()
        names = os.environ.get("LISTEN_FDNAMES", "").split(":")
        log("launched", os.environ.get("TORPOR_LAUNCH_REASON", "-"), count, ",".join(names))
        if os.environ.get("EXIT"): sys.exit(3)
        time.sleep(float(os.environ.get("SLOW", "0")))
        def notify(text, fds=[]):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.connect(os.environ["NOTIFY_SOCKET"].replace("@", "\\0", 1))
            socket.send_fds(s, [text.encode()], fds)
            s.close()
        def serve(c):
            try:
                while True:
                    data = c.recv(4096)
                    if not data: break
                    if data == b"grow\\n": held.append(b"x" * (400 << 20))
                    c.sendall(data.upper())
            except OSError: pass
            c.close()
        held = []
        poll = select.poll()
        kinds = {}
        for number in range(3, 3 + count):
            name = names[number - 3]
            mode = os.fstat(number).st_mode
            if stat.S_ISFIFO(mode): kinds[number] = ("fifo", None)
            elif stat.S_ISSOCK(mode):
                s = socket.socket(fileno=number)
                listens = s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
                kinds[number] = ("listener" if listens else "datagram", s)
            else:
                os.lseek(number, 0, os.SEEK_SET)
                log("stored", name, os.read(number, 100).decode())
                continue
            poll.register(number, select.POLLIN)
        if os.environ.get("STORE") and not any(name == "memory" for name in names):
            file = os.memfd_create("stored")
            os.write(file, b"remembered")
            notify("FDSTORE=1\\nFDNAME=memory\\nFDPOLL=0", [file])
        while True:
            for number, _ in poll.poll():
                kind, s = kinds[number]
                if kind == "listener":
                    c, _ = s.accept()
                    threading.Thread(target=serve, args=(c,), daemon=True).start()
                elif kind == "datagram":
                    data, peer = s.recvfrom(4096)
                    log("datagram", data.decode())
                    if peer: s.sendto(data.upper(), peer)
                else: log("input", os.read(number, 4096).decode().strip())
        """

    /// A worker that runs it, with these lines of `[Worker]` and `[Foreground]`.
    static func worker(_ foreground: String, worker: String = "", log: String = "log") -> String {
        """
        [Worker]
        ExecStart=/usr/bin/python3 -ISu DIRECTORY/server.py
        Environment=LOG=DIRECTORY/\(log)
        \(worker)
        [Foreground]
        \(foreground)
        """
    }

    /// A daemon for these workers, with the program in its directory.
    static func daemon(_ files: [String: String], through prefix: [String] = []) throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest(files, through: prefix)
        try program.write(toFile: "\(daemon.directory)/server.py", atomically: true, encoding: .utf8)
        return daemon
    }

    /// A client every 5 ms, each with a request of its own, until its standard input tells the end; each line there begins a phase.
    ///
    /// A phase begins when the clients of the one before have left, so that what happens to each is counted where it belongs. For each phase
    /// it prints how many came, how many were refused, and how many were accepted and cut off before their answer.
    static let storm = """
        import collections, json, socket, sys, threading, time
        port = int(sys.argv[1])
        phase = "none"
        sums = collections.defaultdict(lambda: dict(clients=0, refused=0, cut=0))
        lock = threading.Lock()
        def client(phase):
            result = None
            try:
                c = socket.create_connection(("127.0.0.1", port), timeout=60)
                c.sendall(b"x\\n")
                if c.recv(10) != b"X\\n": result = "cut"
                c.close()
            except ConnectionRefusedError: result = "refused"
            except OSError: result = "cut"
            with lock:
                sums[phase]["clients"] += 1
                if result: sums[phase][result] += 1
        done, turn = threading.Event(), threading.Lock()
        threads = []
        def rain():
            due = time.monotonic()
            while not done.is_set():
                with turn:
                    t = threading.Thread(target=client, args=(phase,)); t.start(); threads.append(t)
                due += 0.005
                time.sleep(max(0, due - time.monotonic()))
        rainer = threading.Thread(target=rain)
        for line in sys.stdin:
            if phase == "none": phase = line.strip(); rainer.start()
            with turn: phase, before = line.strip(), list(threads)
            for t in before: t.join()
            print("phase", phase, flush=True)
            if phase == "end": break
        done.set(); rainer.join()
        for t in threads: t.join()
        print(json.dumps(sums), flush=True)
        """
}

/// A storm of clients that is told its phases.
final class Storm {
    struct Sum: Codable {
        var clients: Int
        var refused: Int
        var cut: Int
    }

    private let process: Wrapper
    private let input: Int32

    init(port: UInt16) throws {
        let (read, write) = try makePipe()
        process = try Wrapper(
            [], [], line: ["/usr/bin/python3", "-ISc", HeldServer.storm, "\(port)"], input: read)
        close(read)
        input = write
    }

    deinit { close(input) }

    /// From now on clients are counted under this name.
    func begin(_ phase: String) throws {
        let line = phase + "\n"
        guard write(input, line, line.utf8.count) == line.utf8.count else {
            throw TimedOut(description: "the storm is over")
        }
        try process.output.until("phase \(phase)")
    }

    /// Ends it, and counts.
    func end() throws -> [String: Sum] {
        try begin("end")
        let text = try process.output.until("{")
        return try JSONDecoder().decode([String: Sum].self, from: Data(text.utf8))
    }
}
