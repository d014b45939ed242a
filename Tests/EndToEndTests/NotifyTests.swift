import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// A service manager, as far as a wrapper can see: a notify socket.
final class Manager {
    let address: UnixSocketAddress
    private let socket: SourceSocket

    /// A class may keep what cannot be copied.
    private final class SourceSocket {
        let value: DatagramSocket
        init(_ value: consuming DatagramSocket) { self.value = value }
    }

    init() throws {
        address = try UnixSocketAddress("@torpor-test/\(UUID().uuidString)")
        socket = SourceSocket(
            try DatagramSocket(receivingAt: address, access: .ours, receiveBuffer: 1 << 20))
    }

    var environment: [String: String] { ["NOTIFY_SOCKET": address.description] }

    /// The next message.
    func next() throws -> String {
        var query = pollfd(fd: socket.value.rawValue, events: Int16(POLLIN), revents: 0)
        guard poll(&query, 1, 30_000) == 1 else { throw TimedOut(description: "no message came up") }
        return try waiting() ?? ""
    }

    /// A message that is there already; nil when none is.
    func waiting() throws -> String? {
        guard let datagram = try socket.value.receive(capacity: 4096) else { return nil }
        return String(decoding: datagram.bytes, as: UTF8.self)
    }

    /// The next message, and how many descriptors came with it.
    func nextWithDescriptors() throws -> (text: String, count: Int) {
        var query = pollfd(fd: socket.value.rawValue, events: Int16(POLLIN), revents: 0)
        guard poll(&query, 1, 30_000) == 1, let datagram = try socket.value.receive(capacity: 4096) else {
            throw TimedOut(description: "no message came up")
        }
        return (String(decoding: datagram.bytes, as: UTF8.self), datagram.descriptors.count)
    }

    /// All that is there.
    func rest() throws -> [String] {
        var messages: [String] = []
        while let message = try waiting() { messages.append(message) }
        return messages
    }
}

/// Readiness, and what goes up to a service manager.
@Suite(.timeLimit(.minutes(60)))
struct NotifyTests {
    /// Says each line of its input to its notify socket, then `said` on its output; an empty line ends it.
    private static let talker = [
        "/usr/bin/python3", "-IS", "-c",
        """
        import os, socket, sys
        name = os.environ.get('NOTIFY_SOCKET')
        print('up', os.getpid(), name, flush=True)
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        for message in sys.argv[1:]:
            if message == 'pause':
                import signal
                signal.pthread_sigmask(signal.SIG_BLOCK, {10})
                print('paused', flush=True)
                signal.sigwait({10})
                continue
            if message == 'many':
                zero = os.open('/dev/null', os.O_RDONLY)
                connected = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                connected.connect(name.replace('@', '\\0', 1))
                for count in [253, 47] * 10:
                    while True:
                        try:
                            socket.send_fds(connected, [b'FDSTORE=1'], [zero] * count)
                            break
                        except OSError as error:
                            # So many are on their way that the kernel takes no more yet.
                            if error.errno != 109: raise
                continue
            channel.sendto(eval(message), name.replace('@', '\\0', 1))
        print('said', flush=True)
        """,
    ]

    /// A child that pauses at the ends, so that the test decides when it goes on.
    private func started(
        _ options: [String] = ["-v"], _ manager: Manager?, _ messages: String...
    ) throws -> (wrapper: Wrapper, child: Int32, socket: String) {
        let wrapper = try Wrapper(options, Self.talker + messages, environment: manager?.environment ?? [:])
        let words = try wrapper.output.until("up ").split(separator: " ")
        return (wrapper, Int32(words[1]) ?? 0, String(words[2]))
    }

    @Test func `The status above says that the command sleeps, and is its own again when it wakes`() throws {
        let manager = try Manager()
        let (wrapper, child, _) = try started(
            ["-v"], manager, "b'READY=1'", "pause", "b'STATUS=warm'", "pause")
        #expect(try manager.next() == "READY=1")
        _ = try wrapper.output.until("paused")
        for status in [nil, "warm"] {
            kill(child, SIGSTOP)
            #expect(try manager.next().hasPrefix("STATUS=asleep since "))
            kill(child, SIGCONT)
            let told = try manager.next()
            #expect(status.map { told == "STATUS=\($0)" } ?? told.hasPrefix("STATUS=awake since "))
            guard status == nil else { break }
            kill(child, SIGUSR1)
            #expect(try manager.next() == "STATUS=warm")
            _ = try wrapper.output.until("paused")
        }
        kill(child, SIGUSR1)
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `Without READY nothing is ready; with it the launch is complete, once`() throws {
        let manager = try Manager()
        let (wrapper, child, _) = try started(
            ["-v"], manager, "pause", "b'STATUS=warm\\nREADY=1\\nMAINPID=1'", "pause")
        _ = try wrapper.output.until("paused")
        #expect(try manager.rest() == [])
        kill(child, SIGUSR1)
        try wrapper.errors.until("launched")
        _ = try wrapper.output.until("paused")
        let messages = [try manager.next(), try manager.next()]
        #expect(messages.contains("STATUS=warm") && messages.contains { $0.hasPrefix("READY=1") })
        kill(child, SIGUSR1)
        #expect(try wrapper.wait() == .exited(0))
        let rest = try manager.rest()
        #expect(!(messages + rest).joined().contains("MAINPID"))
        #expect(rest == ["STOPPING=1"])
    }

    @Test func `RELOADING, READY again, STATUS, STOPPING and EXTEND_TIMEOUT_USEC pass up`() throws {
        let manager = try Manager()
        let (wrapper, _, _) = try started(
            ["-v"], manager, "b'READY=1'", "b'RELOADING=1\\nMONOTONIC_USEC=1'", "b'READY=1'", "b'STATUS=x y'",
            "b'EXTEND_TIMEOUT_USEC=5000000'", "b'WATCHDOG=1'", "b'ERRNO=7'", "b'STOPPING=1'")
        #expect(try wrapper.wait() == .exited(0))
        let messages = try manager.rest().map {
            $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") ? "RELOADING" : $0
        }
        #expect(
            messages.prefix(8) == [
                "READY=1", "RELOADING", "READY=1", "STATUS=x y", "EXTEND_TIMEOUT_USEC=5000000", "WATCHDOG=1",
                "ERRNO=7", "STOPPING=1",
            ])
    }

    @Test func `systemd-notify is heard`() throws {
        let manager = try Manager()
        let wrapper = try Wrapper(
            ["-v"], script: "systemd-notify --ready --status=hello; read x < /dev/zero; sleep 1000",
            environment: manager.environment)
        try wrapper.errors.until("launched")
        #expect([try manager.next(), try manager.next()].contains { $0.hasPrefix("READY=1") })
    }

    @Test func `A helper that has ended before it is heard counts all the same`() throws {
        let wrapper = try Wrapper(
            ["-v", "--type=notify"],
            script: """
                /usr/bin/python3 -IS -c '
                import os, socket
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"].replace("@", "\\0", 1))
                '; echo sent; sleep 1000
                """)
        try wrapper.errors.until("launched")
    }

    @Test func `--type=notify waits for READY without a manager too`() throws {
        let (wrapper, child, socket) = try started(
            ["-v", "--type=notify"], nil, "pause", "b'READY=1'", "pause")
        #expect(socket != "None")
        _ = try wrapper.output.until("paused")
        kill(child, SIGUSR1)
        try wrapper.errors.until("launched")
        try wrapper.errors.until("→ active")
    }

    @Test func `Without either the child has no notify socket and is launched at once`() throws {
        let (wrapper, _, socket) = try started(["-v"], nil, "pause")
        #expect(socket == "None")
        try wrapper.errors.until("→ active")
    }

    @Test func `A manager that does not listen holds nothing up`() throws {
        let wrapper = try Wrapper(
            ["-v"], script: "systemd-notify --ready; exit 4",
            environment: ["NOTIFY_SOCKET": "/nowhere/at/all"])
        #expect(try wrapper.wait() == .exited(4))
    }

    @Test func `What is malformed or strange is ignored with a line, and leaks nothing`() throws {
        let (wrapper, child, name) = try started(
            ["-v", "--type=notify"], nil, "pause", "b'x' * 5000", "b'READY=1\\0STATUS=x'", "many", "pause",
            "b'READY=1'", "pause")
        _ = try wrapper.output.until("paused")
        // We are no process of the worker's.
        let socket = try DatagramSocket()
        #expect(try socket.send(Array("READY=1".utf8), to: try UnixSocketAddress(name)))
        try wrapper.errors.until("does not belong to the worker")
        // The wrapper that has printed that has all of its own descriptors open.
        let before = descriptors(of: wrapper.pid)
        kill(child, SIGUSR1)
        try wrapper.errors.until("5000 bytes")
        try wrapper.errors.until("contains a NUL")
        _ = try wrapper.output.until("paused")
        kill(child, SIGUSR1)
        try wrapper.errors.until("launched")
        // It may have one open for a moment as we look.
        _ = try eventually("no descriptor has leaked") { descriptors(of: wrapper.pid) <= before ? true : nil }
        #expect(try wrapper.output.until("paused") == "paused")
    }

    private func descriptors(of pid: Int32) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd"))?.count ?? 0
    }

    @Test func `While the child sleeps its watchdog is answered`() throws {
        let manager = try Manager()
        // The shell becomes the wrapper, so that the pid is right.
        let wrapper = try Wrapper(starter: [
            "/bin/sh", "-c",
            "NOTIFY_SOCKET='\(manager.address.description)' WATCHDOG_USEC=200000 WATCHDOG_PID=$$ exec \"$0\" run -- \"$@\"",
            Wrapper.program, "/bin/sh", "-c", "echo $$ $WATCHDOG_USEC $WATCHDOG_PID; exec sleep 1000",
        ])
        let words = try #require(try wrapper.output.next()).split(separator: " ")
        #expect(words.count == 3 && words[1] == "200000" && words[2] == words[0])
        let child = try #require(Int32(words[0]))
        #expect(try manager.rest() == [])
        kill(child, SIGSTOP)
        #expect(try manager.next().hasPrefix("STATUS=asleep since "))
        for _ in 0..<3 { #expect(try manager.next() == "WATCHDOG=1") }
        kill(child, SIGCONT)
    }

    @Test func `Passed descriptors go down to the child, and what it stores goes up`() throws {
        let manager = try Manager()
        let script = """
            import array, os, socket
            mine = os.environ['LISTEN_PID'] == str(os.getpid())
            print(mine, os.environ['LISTEN_FDS'], os.environ['LISTEN_FDNAMES'], os.environ['FDSTORE'], os.readlink('/proc/self/fd/4'), flush=True)
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            name = os.environ['NOTIFY_SOCKET']
            name = '\\0' + name[1:] if name[0] == '@' else name
            def say(text, *files):
                channel.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', files))] if files else [], 0, name)
            say(b'READY=1')
            say(b'FDSTORE=1\\nFDNAME=kept', 3, 4)
            say(b'FDSTOREREMOVE=1\\nFDNAME=kept')
            input()
            """
        // The shell becomes the wrapper, so that the pid is right.
        let wrapper = try Wrapper(starter: [
            "/bin/sh", "-c",
            """
            exec 3</dev/null 4</etc/hostname
            NOTIFY_SOCKET='\(manager.address.description)' FDSTORE=8 LISTEN_FDS=2 LISTEN_PID=$$ LISTEN_FDNAMES=null:host \
            exec "$0" run -- /usr/bin/python3 -IS -c "$1"
            """, Wrapper.program, script,
        ])
        #expect(try wrapper.output.next() == "True 2 null:host 8 /etc/hostname")
        #expect(try manager.next() == "READY=1")
        let stored = try manager.nextWithDescriptors()
        #expect(stored.text == "FDSTORE=1\nFDNAME=kept" && stored.count == 2)
        #expect(try manager.next() == "FDSTOREREMOVE=1\nFDNAME=kept")
    }

    @Test func `MAINPID moves supervision to another process of the worker`() throws {
        let wrapper = try Wrapper(
            ["-v", "--type=notify"],
            script: """
                (exec sh -c 'echo $$; read x < /dev/null; trap "exit 9" USR1; while :; do sleep 1000 & wait; done') &
                systemd-notify --ready --pid=$!; sleep 1000
                """)
        let main = try #require(Int32(try wrapper.output.next() ?? ""))
        try wrapper.errors.until("launched")
        kill(main, SIGKILL)
        // Its parent is another process, which the kernel may tell nothing but the end of it.
        let ending = try wrapper.wait()
        #expect(ending == .exited(137) || ending == .exited(1))
    }

    @Test(.requires(.program("/usr/bin/redis-server")))
    func `redis-server is ready when it says so, and ends well on SIGTERM`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let manager = try Manager()
            let wrapper = try Wrapper(
                ["-v", "--type=notify"],
                [
                    "/usr/bin/redis-server", "--supervised", "systemd", "--port", "0", "--unixsocket",
                    "\(directory)/socket", "--dir", directory, "--save", "",
                ], environment: manager.environment)
            try wrapper.errors.until("launched")
            var messages: [String] = []
            while !messages.contains(where: { $0.hasPrefix("READY=1") }) {
                messages.append(try manager.next())
            }
            #expect(access("\(directory)/socket", F_OK) == 0)
            wrapper.send(SIGTERM)
            _ = try wrapper.output.rest()
            #expect(try wrapper.wait() == .exited(0))
        }
    }
}
