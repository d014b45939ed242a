import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// A local user without rights that asks as much as it can, and what others notice of it.
///
/// The bounds here are wide, since tests share their machine: what they tell apart is milliseconds and for ever.
@Suite(.long, .timeLimit(.minutes(60))) struct `A flood by a user without rights` {
    /// What a user floods the control socket with, for so long, over 32 connections.
    private static let flood = """
        import json, os, select, socket, sys, time
        path, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
        os.setgroups([])
        os.setresgid(4201, 4201, 4201)
        os.setresuid(4201, 4201, 4201)
        def call(member, parameters={}, **flags):
            return json.dumps({"method": "io.torpor.Supervisor." + member, "parameters": parameters, **flags}).encode() + b"\\0"
        names = ["*%d*" % number for number in range(32)]
        many = ["w%d*" % number for number in range(900)]
        messages = {
            "ping": call("Ping") * 500, "list": call("List") * 500, "patterns": call("List", {"names": names}) * 100,
            "describe": call("Describe", {"name": "w@1"}) * 500, "doctor": call("Doctor") * 500,
            "pressure": call("Pressure") * 500, "history": call("History", {"names": names, "limit": 1000}) * 100,
            "names": call("History", {"names": many}) * 10, "report": call("Report") * 100,
            "denied": call("Shutdown", oneway=True) * 500, "broken": b"{\\0",
            "watch": call("Watch", {"names": names}, more=True) * 4,
        }
        end = time.monotonic() + seconds
        poll, sockets, left = select.poll(), {}, {}
        def forget(fd):
            poll.unregister(fd)
            sockets.pop(fd).close()
            left.pop(fd)
        while time.monotonic() < end:
            while len(sockets) < 32:
                s = socket.socket(socket.AF_UNIX)
                s.settimeout(1)
                try:
                    s.connect(path)
                except OSError:
                    s.close()
                    break
                s.setblocking(False)
                if kind == "connect":
                    s.close()
                    if time.monotonic() > end:
                        break
                    continue
                sockets[s.fileno()], left[s.fileno()] = s, messages[kind]
                poll.register(s, select.POLLIN | select.POLLOUT)
            for fd, event in poll.poll(10):
                try:
                    if event & select.POLLIN and not sockets[fd].recv(1 << 16):
                        raise ConnectionResetError
                    if event & select.POLLOUT:
                        left[fd] = left[fd][sockets[fd].send(left[fd]):]
                        if not left[fd] and kind == "watch":
                            poll.modify(fd, select.POLLIN)
                        left[fd] = left[fd] or messages[kind]
                except BlockingIOError:
                    pass
                except OSError:
                    forget(fd)
        """

    /// How long each ping takes of a user, in milliseconds, one after the other on connections of their own.
    private static let pings = """
        import os, socket, sys, time
        path, uid, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            begin = time.monotonic()
            s = socket.socket(socket.AF_UNIX)
            # To wait where many others come: a socket with a time limit does not.
            s.connect(path)
            s.settimeout(60)
            s.sendall(b'{"method":"io.torpor.Supervisor.Ping"}\\0')
            answer = b""
            while not answer.endswith(b"\\0"):
                chunk = s.recv(4096)
                if not chunk:
                    sys.exit("the connection was closed")
                answer += chunk
            print((time.monotonic() - begin) * 1000)
            time.sleep(0.005)
        """

    private func python(_ script: String, _ arguments: String...) throws -> Wrapper {
        try Wrapper([], [], line: ["/usr/bin/python3", "-c", script] + arguments)
    }

    /// Kilobytes of the daemon's memory.
    private func memory(_ daemon: DaemonUnderTest) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(daemon.process.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? .max
    }

    @Test(
        .requires(.root),
        arguments: [
            "ping", "list", "patterns", "describe", "doctor", "pressure", "history", "names", "report",
            "denied",
            "broken", "watch", "connect",
        ])
    func `leaves others their answers, the daemon its memory, and the log its lines`(_ kind: String) throws {
        let daemon = try DaemonUnderTest(["w@": "[Worker]\nExecStart=/bin/sleep 1000\n"])
        // Every user may come to the socket.
        chmod(daemon.directory, 0o755)
        let names = (1...30).map { "w@\($0)" }
        let launch = try Wrapper(
            [], [], line: [Wrapper.program, "activate", "--socket", daemon.socket] + names)
        #expect(try DaemonUnderTest.result(of: launch).status == 0)
        let before = try memory(daemon)
        let flood = try python(Self.flood, daemon.socket, kind, "3")
        let pings = try ["0", "4205"].map { try python(Self.pings, daemon.socket, $0, "3") }
        // What the daemon does for its workers goes on, and is told to those that watch.
        #expect(try daemon.torpor("suspend", "w@*").status == 0)
        #expect(try daemon.torpor("activate", "w@*").status == 0)
        for (user, ping) in zip(["root", "another user"], pings) {
            let result = try DaemonUnderTest.result(of: ping)
            #expect(result.status == 0, "\(result.errors)")
            let times = result.output.split(separator: "\n").compactMap { Double($0) }.sorted()
            #expect(times.count > 5, "\(user) was answered \(times.count) times")
            #expect(times.last ?? .infinity < 5000, "\(user) waited")
            let median = times.isEmpty ? .infinity : times[times.count / 2]
            #expect(median < 1000, "\(user) waited half of the time")
        }
        _ = try DaemonUnderTest.result(of: flood)
        let after = try memory(daemon)
        #expect(after - before < 40 << 10, "it has grown by \(after - before) kB")
        daemon.process.send(SIGTERM)
        let lines = try daemon.process.errors.rest().filter { $0.contains("uid 4201") }
        #expect(lines.count < 40, "\(lines.count) lines of the log are the user's")
    }

    @Test(.requires(.root)) func `has sixteen subscriptions, and root as many as it wants`() throws {
        let daemon = try DaemonUnderTest(["w": "[Worker]\nExecStart=/bin/sleep 1000\n"])
        chmod(daemon.directory, 0o755)
        let script = """
            import os, socket, sys
            path, uid = sys.argv[1], int(sys.argv[2])
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            held = []
            for number in range(20):
                s = socket.socket(socket.AF_UNIX)
                s.connect(path)
                s.sendall(b'{"method":"io.torpor.Supervisor.Watch","more":true}\\0')
                answer = b""
                while not answer.endswith(b"\\0"):
                    answer += s.recv(4096)
                print("refused" if b"TooManyConnections" in answer else "watches")
                held.append(s)
            """
        for (user, served) in [("4201", 16), ("0", 20)] {
            let answers = try DaemonUnderTest.result(of: python(script, daemon.socket, user)).output
            #expect(
                answers.split(separator: "\n")
                    == Array(repeating: "watches", count: served)
                    + Array(repeating: "refused", count: 20 - served))
        }
    }
}
