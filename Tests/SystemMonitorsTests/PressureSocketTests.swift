import Foundation
import Launching
import Linux
import Processes
import Systemd
import TestSupport
import Testing

@testable import LinuxHost
@testable import Supervisor
@testable import SupervisorPorts
@testable import WorkerIO

/// A small program that follows systemd's memory-pressure protocol to the letter (https://systemd.io/MEMORY_PRESSURE), and writes
/// down what it is told.
enum ProtocolFollower {
    static let script = """
        import base64, os, select, socket, stat, sys
        path = os.environ.get("MEMORY_PRESSURE_WATCH")
        out = open(sys.argv[1], "a", buffering=1)
        if path is None or path == "/dev/null":
            print("told not to watch" if path else "told nothing", file=out)
            sys.exit(0)
        write = base64.b64decode(os.environ.get("MEMORY_PRESSURE_WRITE", ""))
        poll = select.poll()
        if stat.S_ISSOCK(os.stat(path).st_mode):
            end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            end.connect(path)
            if write: end.sendall(write)
            poll.register(end, select.POLLIN)
        else:
            end = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
            if write: os.write(end, write)
            poll.register(end, select.POLLPRI)
        print("watches", file=out)
        while True:
            poll.poll()
            if isinstance(end, socket.socket) and not end.recv(4096):
                print("closed", file=out)
                sys.exit(0)
            print("pressed", file=out)
        """

    /// Starts it with `environment` besides our own, writing to `file`; it is the caller's to reap.
    static func start(_ environment: [String: String], writingTo file: String) throws -> Int32 {
        var all = Environment.current
        for (name, value) in environment { all[name] = ByteString(value) }
        var request = LaunchRequest(
            "python3", ["-c", ByteString(script), ByteString(file)], environment: all)
        request.parentDeathSignal = .kill
        return try request.launch().pid
    }

    /// What it has been told so far.
    static func words(in file: String) -> [String] {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }
}

@Suite(.timeLimit(.minutes(60))) struct `The pressureSocket for memory warnings` {
    @Test func `tells a real program that follows systemd's protocol, once for each warning`() async throws {
        let words = try await Bench.run { bench in
            let (worker, stranger) = (WorkerID(3), WorkerID(4))
            var pid: Int32 = 0
            let address = try UnixSocketAddress(bench.path("memory.pressure"))
            var pressureSocket: PressureSocket? = try PressureSocket(at: address, on: bench.loop) {
                $0.credentials.pid == pid ? worker : nil
            }
            pid = try ProtocolFollower.start(
                [
                    "MEMORY_PRESSURE_WATCH": address.description,
                    "MEMORY_PRESSURE_WRITE": "c29tZSAyMDAwMDAgMjAwMDAwMAA=",
                ],
                writingTo: bench.path("told"))
            var warnings = 0
            try bench.run {
                let words = ProtocolFollower.words(in: bench.path("told"))
                if pressureSocket?.connectionCount(of: worker) == 1, warnings < 3, words.count == warnings + 1
                {
                    pressureSocket?.warn(stranger)
                    pressureSocket?.warn(worker)
                    warnings += 1
                }
                if words.count == 4 { pressureSocket?.close(worker) }
                return words.count == 5
            }
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            #expect(status == 0)
            pressureSocket = nil
            #expect(access(bench.path("memory.pressure"), F_OK) != 0, "its file is still there")
            return ProtocolFollower.words(in: bench.path("told"))
        }
        #expect(words == ["watches", "pressed", "pressed", "pressed", "closed"])
    }

    @Test func `keeps one that connects before its launch is told, and tells it what comes after`()
        async throws
    {
        try await Bench.run { bench in
            let address = try UnixSocketAddress(bench.path("memory.pressure"))
            var (isKnown, isLaunching, looks) = (false, true, 0)
            let pressureSocket = try PressureSocket(
                StreamListener(at: address, access: PressureSocket.access), at: address, on: bench.loop,
                keptBy: nil
            ) { _ in
                looks += 1
                return isKnown ? WorkerID(1) : nil
            } name: { _ in
                nil
            } isLaunching: {
                isLaunching
            }
            let early = try StreamSocket(connectingTo: address)
            var stranger: Connection?
            var room: [UInt8] = [0]
            var step = 0
            try bench.run {
                switch step {
                case 0 where looks == 1:
                    // Another launch is told first.
                    pressureSocket.launchWasTold()
                    #expect(looks == 2 && pressureSocket.connectionCount(of: WorkerID(1)) == 0)
                    isKnown = true
                    pressureSocket.launchWasTold()
                    #expect(looks == 3 && pressureSocket.connectionCount(of: WorkerID(1)) == 1)
                    pressureSocket.warn(WorkerID(1))
                case 1 where (try? early.read(into: &room)) == .some(1):
                    // Where nothing is being launched it is nobody's.
                    (isKnown, isLaunching) = (false, false)
                    do { stranger = Connection(try StreamSocket(connectingTo: address)) } catch {}
                case 2 where stranger.map({ (try? $0.socket.read(into: &room)) == .some(0) }) ?? true: break
                default: return false
                }
                step += 1
                return step == 3
            }
            #expect(stranger != nil)
        }
    }

    @Test func `lets nobody in who is nobody's, and no worker's crowd`() async throws {
        try await Bench.run { bench in
            let address = try UnixSocketAddress(bench.path("memory.pressure"))
            var isKnown = false
            let pressureSocket = try PressureSocket(at: address, on: bench.loop) { _ in
                isKnown ? WorkerID(1) : nil
            }
            let stranger = try StreamSocket(connectingTo: address)
            let crowd = Crowd()
            var room: [UInt8] = [0]
            var step = 0
            var most = 0
            var failure: (any Error)?
            try bench.run {
                let connections = pressureSocket.connectionCount(of: WorkerID(1))
                switch step {
                case 0 where (try? stranger.read(into: &room)) == .some(0):
                    #expect(connections == 0)
                    isKnown = true
                    do {
                        for _ in 0..<40 {
                            crowd.sockets.append(Connection(try StreamSocket(connectingTo: address)))
                        }
                    } catch { failure = error }
                case 1
                where crowd.sockets.last.map({ (try? $0.socket.read(into: &room)) == .some(0) }) ?? true:
                    most = connections
                    // A client that leaves makes room.
                    crowd.sockets = []
                case 2 where connections == 0: break
                default: return false
                }
                step += 1
                return step == 3
            }
            if let failure { throw failure }
            #expect(most == 16)
            #expect(throws: (any Error).self) {
                _ = try PressureSocket(at: UnixSocketAddress("@torpor-test"), on: bench.loop) { _ in nil }
            }
        }
    }

    private final class Crowd { var sockets: [Connection] = [] }

    private final class Connection {
        let socket: StreamSocket

        init(_ socket: consuming StreamSocket) { self.socket = socket }
    }

    @Test(
        arguments: [
            ([], ""), ([0], "AA=="), ([0xff, 0xee], "/+4="), (Array("Man".utf8), "TWFu"),
            (Array("some 200000 2000000\0".utf8), "c29tZSAyMDAwMDAgMjAwMDAwMAA="),
        ] as [([UInt8], String)])
    func `what is to be written is in Base64`(_ bytes: [UInt8], _ text: String) {
        #expect(Base64.text(of: bytes) == text)
        #expect(Base64.bytes(of: text) == bytes)
    }
}
