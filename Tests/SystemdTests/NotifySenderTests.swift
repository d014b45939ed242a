import Glibc
import Linux
import Systemd
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Notify sender` {
    /// Fields and the text that they must become.
    struct Encoding: CustomTestStringConvertible {
        let fields: [NotifyField]
        let text: String
        var testDescription: String { text.debugDescription }
    }

    static let encodings: [Encoding] = [
        Encoding(fields: [], text: ""),
        Encoding(fields: [.ready], text: "READY=1"),
        Encoding(fields: [.status("up"), .mainPID(7), .ready], text: "READY=1\nSTATUS=up\nMAINPID=7"),
        Encoding(fields: [.reloading(since: 12)], text: "RELOADING=1\nMONOTONIC_USEC=12"),
        Encoding(
            fields: [.stopping, .errno(5), .busError("a.b")], text: "STOPPING=1\nERRNO=5\nBUSERROR=a.b"),
        Encoding(fields: [.watchdog(.alive), .watchdogPeriod(9)], text: "WATCHDOG=1\nWATCHDOG_USEC=9"),
        Encoding(
            fields: [.watchdog(.trigger), .extendTimeout(9)], text: "WATCHDOG=trigger\nEXTEND_TIMEOUT_USEC=9"),
        Encoding(fields: [.storage(.store(name: "a", polled: true))], text: "FDSTORE=1\nFDNAME=a"),
        Encoding(fields: [.storage(.store(name: "a", polled: false))], text: "FDSTORE=1\nFDNAME=a\nFDPOLL=0"),
        Encoding(fields: [.storage(.remove(name: "a"))], text: "FDSTOREREMOVE=1\nFDNAME=a"),
        Encoding(fields: [.other(name: "X_MINE", value: "1=2")], text: "X_MINE=1=2"),
        Encoding(fields: [.status("a\nREADY=1\r\n\0b")], text: "STATUS=a READY=1   b"),
    ]

    @Test(arguments: encodings) func `writes fields as lines, READY first`(encoding: Encoding) {
        #expect(String(decoding: NotifyField.encode(encoding.fields), as: UTF8.self) == encoding.text)
    }

    @Test func `says to a receiver what it was told, with descriptors`() throws {
        let socket = try NotifySocket(at: .unique())
        let sender = try NotifySender(to: socket.address)
        var channel = try Channel()
        let stored = NotifyField.storage(.store(name: "db", polled: false))
        #expect(try sender.send([stored, .ready], descriptors: [channel.givenNumber]) == .sent)
        channel.closeGiven()
        guard case .message(let received) = try socket.receive() else {
            Issue.record("no message")
            return
        }
        let (message, count) = (received.message, received.descriptors.count)
        #expect(message.phase == .ready)
        #expect(message.storage == .store(name: "db", polled: false))
        #expect(count == 1)
    }

    @Test func `never waits for a receiver that does not read`() throws {
        let socket = try NotifySocket(at: .unique())
        let sender = try NotifySender(to: socket.address)
        var sent = 0
        while try sender.send([.watchdog(.alive)]) == .sent { sent += 1 }
        #expect(sent > 0)
        var received = 0
        while try socket.drain({ _ in received += 1 }) {}
        #expect(received == sent)
        #expect(try sender.send([.ready]) == .sent)
    }

    @Test func `refuses what a receiver would drop`() throws {
        let socket = try NotifySocket(at: .unique())
        let sender = try NotifySender(to: socket.address)
        #expect(try sender.send([.status(String(repeating: "s", count: 4089))]) == .sent)
        #expect(throws: LinuxError(errno: EMSGSIZE, call: "sendmsg", subject: socket.address.description)) {
            _ = try sender.send([.status(String(repeating: "s", count: 4090))])
        }
    }

    @Test func `says when nobody receives`() throws {
        let directory = try TemporaryDirectory()
        let address = try UnixSocketAddress(directory.path + "/nobody")
        let sender = try NotifySender(to: address)
        #expect(throws: LinuxError(errno: ENOENT, call: "sendmsg", subject: address.description)) {
            _ = try sender.send([.ready])
        }
    }

    @Test(arguments: [
        ("relative", EAFNOSUPPORT), ("", EAFNOSUPPORT), ("vsock:2:1234", EAFNOSUPPORT), ("@", EINVAL),
        ("/", EINVAL),
        ("/a\0b", EINVAL), ("/" + String(repeating: "x", count: 108), ENAMETOOLONG),
    ])
    func `refuses an address that is none`(text: String, reason: Int32) {
        #expect(throws: LinuxError(errno: reason, call: "sockaddr_un", subject: text)) {
            try UnixSocketAddress(text)
        }
    }
}
