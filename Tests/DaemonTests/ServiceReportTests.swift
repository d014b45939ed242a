import Glibc
import Linux
import Testing

@testable import DaemonCore
@testable import Supervisor
@testable import Systemd

/// A service manager that listens, and the report that it hears.
private final class Manager {
    let loop: EventLoop
    let report: ServiceNotifier
    let socket: Int32
    let path = "/tmp/torpor-manager-\(UInt32.random(in: 0 ... .max))"

    init(watchdog: String? = nil, listens: Bool = true) throws {
        let path = path
        let loop = try EventLoop()
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        if listens {
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
            }
        }
        let variables = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": watchdog].compactMapValues(\.self)
        report = try #require(
            ServiceNotifier(PassedEnvironment(pid: getpid()) { variables[$0] }, on: loop))
        self.loop = loop
        self.socket = socket
    }

    deinit {
        close(socket)
        unlink(path)
    }

    /// What waits at the manager's socket.
    func heard() -> [String] {
        var messages: [String] = []
        var room = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(socket, &room, room.count, Int32(MSG_DONTWAIT)), count >= 0 {
            messages.append(String(decoding: room.prefix(count), as: UTF8.self))
        }
        return messages
    }

    /// Lets the loop run until `condition`, which is asked every few milliseconds, holds.
    func run(until condition: @escaping () -> Bool) throws {
        let box = SourceBox<TimeSource>()
        let deadline = KernelClock.monotonic + 60_000_000
        box.handle = try TimeSource(on: loop) { [loop] _ in
            if condition() || KernelClock.monotonic > deadline { return loop.exit(0) }
            box.handle?.arm(at: KernelClock.monotonic + 5000)
        }
        box.handle?.arm(at: KernelClock.monotonic)
        _ = try loop.run()
        box.handle = nil
    }
}

@Suite(.timeLimit(.minutes(60))) struct `What the service manager hears` {
    @Test func `is READY first, and how the workers stand in the same message`() throws {
        let manager = try Manager()
        manager.report.summary = { "3 active, 2 background, 5 suspended" }
        manager.report.tell([.ready])
        manager.report.tell([.reloading(since: 42)])
        manager.report.tell([.stopping, .status("1 worker stays")])
        #expect(
            manager.heard() == [
                "READY=1\nSTATUS=3 active, 2 background, 5 suspended",
                "RELOADING=1\nMONOTONIC_USEC=42\nSTATUS=3 active, 2 background, 5 suspended",
                "STOPPING=1\nSTATUS=1 worker stays",
            ])
    }

    @Test func `is how the workers stand, once for many changes`() throws {
        let manager = try Manager()
        var active = 0
        manager.report.summary = { "\(active) active" }
        var heard: [String] = []
        for _ in 0..<500 {
            active += 1
            manager.report.workerChanged()
        }
        try manager.run {
            heard += manager.heard()
            // Nothing has changed: nothing is said.
            manager.report.workerChanged()
            return !heard.isEmpty
        }
        #expect(heard == ["STATUS=500 active"])
    }

    @Test func `is a sign of life at half the period, from the first moment on`() throws {
        let manager = try Manager(watchdog: "100000")
        var beats: [Int64] = []
        manager.report.start()
        try manager.run {
            for message in manager.heard() where message == "WATCHDOG=1" {
                beats.append(KernelClock.monotonic)
            }
            return beats.count >= 5
        }
        #expect(beats.count >= 5)
    }

    @Test func `is a request for more time as long as somebody waits`() throws {
        let manager = try Manager()
        manager.report.extendDeadline { false }
        #expect(manager.heard().isEmpty)
        manager.report.extendDeadline { true }
        #expect(manager.heard() == ["EXTEND_TIMEOUT_USEC=15000000"])
    }

    @Test func `is offered again in order where its queue was full`() throws {
        let manager = try Manager()
        manager.report.summary = { "" }
        // The manager reads nothing until the kernel takes no more.
        var sent = 0
        for round in 0..<14 {
            manager.report.tell([.ready, .status("\(round)")])
            sent += 1
        }
        var heard: [String] = []
        try manager.run {
            heard += manager.heard()
            return heard.count >= sent
        }
        #expect(heard == (0..<14).map { "READY=1\nSTATUS=\($0)" })
    }

    @Test func `is told once to be unheard where nobody listens`() throws {
        let manager = try Manager(watchdog: "1000000", listens: false)
        var problems: [String] = []
        manager.report.problem = { problems.append($0) }
        manager.report.start()
        manager.report.tell([.ready])
        manager.report.workerChanged()
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("cannot notify the service manager") == true)
    }

    @Test(arguments: ["", "relative", "vsock:2:1"])
    func `is nothing where the address makes no sense`(_ address: String) throws {
        let loop = try EventLoop()
        let passed = PassedEnvironment(pid: getpid()) { $0 == "NOTIFY_SOCKET" ? address : nil }
        #expect(ServiceNotifier(passed, on: loop) == nil)
    }
}
