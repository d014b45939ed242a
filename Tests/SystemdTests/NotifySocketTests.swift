import Glibc
import Linux
import TestSupport
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(60))) struct `Notify socket` {
    @Test func `tells who sent what, at a path and at an abstract name`() throws {
        let directory = try TemporaryDirectory()
        for place in [directory.path + "/notify", "@torpor-test-\(getpid())-\(directory.path)"] {
            let address = try UnixSocketAddress(place)
            let socket = try NotifySocket(at: address)
            try post(Array("READY=1".utf8), to: address)
            guard case .message(let received) = try socket.receive() else {
                Issue.record("no message at \(place)")
                continue
            }
            let (message, sender, hasPidfd) = (received.message, received.sender, received.hasPidfd)
            #expect(message.phase == .ready)
            #expect(sender == PeerCredentials(pid: getpid(), uid: getuid(), gid: getgid()))
            print("a pidfd of the sender comes along: \(hasPidfd)")
            let drained = socket.isDrained()
            #expect(drained)
        }
    }

    @Test func `takes the place of a predecessor that was killed, but of nothing else`() throws {
        let directory = try TemporaryDirectory()
        let address = try UnixSocketAddress(directory.path + "/notify")
        let left = try NotifySocket(at: address)
        let heir = try NotifySocket(at: address, access: SocketAccess(mode: 0o622))
        // The predecessor's end does not take the successor's file away.
        discard(left)
        try post(Array("READY=1".utf8), to: address)
        let deaf = heir.isDrained()
        #expect(!deaf)
        var status = stat()
        #expect(lstat(directory.path + "/notify", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o622)
        discard(heir)
        #expect(lstat(directory.path + "/notify", &status) == -1 && errno == ENOENT)

        close(open(directory.path + "/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        let file = try UnixSocketAddress(directory.path + "/file")
        #expect(throws: LinuxError(errno: EADDRINUSE, call: "bind", subject: file.description)) {
            _ = try NotifySocket(at: file)
        }
        #expect(access(directory.path + "/file", F_OK) == 0)
    }

    /// A datagram that is dropped whole, and why.
    struct Dropped: CustomTestStringConvertible {
        let bytes: [UInt8]
        let descriptors: Int
        let reason: NotifyDrop
        var testDescription: String { "\(reason)" }
    }

    static let dropped: [Dropped] = [
        Dropped(bytes: Array(repeating: 0x41, count: 4097), descriptors: 3, reason: .tooLong(bytes: 4097)),
        Dropped(
            bytes: Array(repeating: 0x41, count: 100_000), descriptors: 1, reason: .tooLong(bytes: 100_000)),
        Dropped(bytes: Array("FDSTORE=1\0\nREADY=1".utf8), descriptors: 3, reason: .innerNUL),
        Dropped(bytes: Array("BARRIER=1\nREADY=1".utf8), descriptors: 1, reason: .barrierNotAlone),
        Dropped(bytes: Array("BARRIER=1".utf8), descriptors: 2, reason: .barrierDescriptors(count: 2)),
        Dropped(bytes: Array("BARRIER=1".utf8), descriptors: 0, reason: .barrierDescriptors(count: 0)),
    ]

    @Test(arguments: dropped)
    func `drops a bad message whole and closes its descriptors`(bad: Dropped) throws {
        let socket = try NotifySocket(at: .unique())
        var channel = try Channel()
        let copies = Array(repeating: channel.givenNumber, count: bad.descriptors)
        try post(bad.bytes, descriptors: copies, to: socket.address)
        channel.closeGiven()
        guard case .dropped(let reason, let sender) = try socket.receive() else {
            Issue.record("not dropped")
            return
        }
        #expect(reason == bad.reason)
        #expect(sender?.pid == getpid())
        let closed = channel.isClosedElsewhere()
        #expect(closed)
    }

    @Test func `drops what has no sender or lost control data, and closes its descriptors`() throws {
        for (truncated, credentials, expected) in [
            (false, nil, .missingCredentials),
            (true, PeerCredentials(pid: 1, uid: 0, gid: 0), .truncatedControlData),
        ] as [(Bool, PeerCredentials?, NotifyDrop)] {
            var channel = try Channel()
            let datagram = Datagram(
                bytes: Array("FDSTORE=1".utf8), isControlTruncated: truncated, credentials: credentials,
                descriptors: DescriptorList(adopting: [channel.give().release()]))
            guard case .dropped(let reason, let sender) = NotifyDelivery(datagram) else {
                Issue.record("not dropped")
                continue
            }
            #expect(reason == expected)
            #expect(sender == credentials)
            let closed = channel.isClosedElsewhere()
            #expect(closed)
        }
    }

    @Test func `answers a barrier after what came before it`() throws {
        let socket = try NotifySocket(at: .unique())
        var channel = try Channel()
        try post(Array("STATUS=first".utf8), to: socket.address)
        try post(Array("BARRIER=1".utf8), descriptors: [channel.givenNumber], to: socket.address)
        channel.closeGiven()
        guard case .message = try socket.receive() else {
            Issue.record("the message before the barrier is missing")
            return
        }
        let unanswered = channel.isOpenElsewhere()
        #expect(unanswered)
        guard case .barrier(let sender) = try socket.receive() else {
            Issue.record("the barrier is missing")
            return
        }
        #expect(sender.pid == getpid())
        let answered = channel.isClosedElsewhere()
        #expect(answered)
    }

    @Test func `drains in bounded batches and says whether more may wait`() throws {
        let socket = try NotifySocket(at: .unique())
        for number in 1...5 { try post(Array("STATUS=\(number)".utf8), to: socket.address) }
        var seen: [String] = []
        func take(_ delivery: consuming NotifyDelivery) {
            if case .message(let received) = delivery { seen.append(received.message.status ?? "") }
        }
        let more = try socket.drain(atMost: 3, take)
        #expect(more && seen == ["1", "2", "3"])
        let still = try socket.drain(atMost: 3, take)
        #expect(!still && seen == ["1", "2", "3", "4", "5"])
    }

    @Test(.enabled(if: access("/usr/bin/systemd-notify", X_OK) == 0, "systemd-notify is not installed"))
    func `understands systemd-notify, which waits for its barrier`() async throws {
        let (deliveries, status) = try await onThread {
            let loop = try EventLoop()
            let directory = try TemporaryDirectory()
            let socket = try NotifySocket(at: UnixSocketAddress(directory.path + "/notify"))
            var deliveries: [String] = []
            let place = Box<NotifySocket>()
            let descriptor = socket.descriptor
            place.value = consume socket
            let source = try IOSource(
                on: loop, descriptor: descriptor, events: .readable, priority: .notifications
            ) { _ in
                _ = try? place.value?.drain { delivery in
                    switch consume delivery {
                    case .message(let received):
                        let message = received.message
                        deliveries.append("\(message.phase == .ready) \(message.status ?? "-")")
                    case .barrier:
                        deliveries.append("barrier")
                        loop.exit(0)
                    case .dropped(let reason, _):
                        deliveries.append("\(reason)")
                    }
                }
            }
            let pid = try spawn(
                "/usr/bin/systemd-notify", ["--ready", "--status=x"],
                environment: ["NOTIFY_SOCKET=\(directory.path)/notify"])
            _ = try loop.run()
            withExtendedLifetime(source) {}
            var status: Int32 = -1
            waitpid(pid, &status, 0)
            return (deliveries, status)
        }
        #expect(deliveries == ["true x", "barrier"])
        #expect(status == 0)
    }
}

extension NotifySocket {
    /// Whether nothing waits.
    fileprivate func isDrained() -> Bool {
        guard let result = try? receive() else { return true }
        discard(result)
        return false
    }
}

extension ReceivedNotification {
    fileprivate var hasPidfd: Bool {
        switch pidfd {
        case .some: true
        case .none: false
        }
    }
}
