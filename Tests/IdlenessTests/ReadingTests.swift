import Idleness
import Testing

/// Answers of a kernel (6.18) to dumps of TCP sockets, with tcp_info and the cgroup's id.
private enum Recorded {
    static let listener = bytes(
        """
        980100001400020007000000611a0000020a0000470500007f00000100000000000000000000000000000000000000000000000000000000
        00000000040000000000000000000000000000000500000000000000eca08000050008000000000008000f00000000000c00150001000000
        0000000006001600520000001c0102000a000000000000000000000000000000000000000000000000000000050000000000000000000000
        000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000000300000000000000
        0000000000000000ffffffffffffffffffffffffffffffff0000000000000000000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000
        """)
    static let connection = bytes(
        """
        980100001400020007000000611a0000020100004705e1367f0000010000000000000000000000007f000001000000000000000000000000
        00000000050000000000000000000000000000000000000000000000eea08000050008000000000008000f00000000000c00150001000000
        0000000006001600520000001c010200010000000007aa01e01c0300409c0000008000001802000000000000000000000000000000000000
        0000000030000000000000003000000030000000ffff0000cbff0000130000000b000000ffffff7f0b000000cbff00000300000000000000
        cbff0000000000000db227e909000000ffffffffffffffff0700000000000000050000000000000002000000040000000000000004000000
        0100000001000000000048e80100000000000000000000000000000000000000000000000000000002000000000000000700000000000000
        0000000000000000000000000000000000000000000001000000010000000000000000000000000000000000000000000000000000000000
        00000000000000000000000000000000
        """)
    static let done = bytes(
        """
        140000000300020007000000611a000000000000
        """)
    static let listener6 = bytes(
        """
        a00100001400020007000000611a00000a0a0000470600000000000000000000000000000000000100000000000000000000000000000000
        00000000060000000000000000000000000000000700000000000000efa08000050008000000000005000b000100000008000f0000000000
        0c001500010000000000000006001600120000001c0102000a00000000000000000000000000000000000000000000000000000007000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a00000000000000
        03000000000000000000000000000000ffffffffffffffffffffffffffffffff000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
        000000000000000000000000000000000000000000000000
        """)

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace }.utf8.map { UInt8($0 > 0x60 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// What sock_diag tells, from the kernel's bytes.
@Suite struct `Reading sock_diag` {
    private func read(_ datagrams: [[UInt8]]) -> (progress: [SockDiagReader.Progress], sockets: [InetSocket])
    {
        var reader = SockDiagReader(sequence: 7)
        let progress = datagrams.map { reader.read($0[...]) }
        return (progress, reader.sockets)
    }

    @Test func `finds a listener, and a connection with its traffic`() throws {
        let (progress, sockets) = read([Recorded.listener + Recorded.connection, Recorded.done])
        #expect(progress == [.more, .done])
        try #require(sockets.count == 2)
        #expect(sockets[0].state == .listen)
        #expect(sockets[0].local.description == "127.0.0.1:18181")
        #expect(sockets[0].remote.address.isUnspecified)
        #expect((sockets[0].receiveQueue, sockets[0].sendQueue) == (0, 5))
        #expect(sockets[0].inode > 0)
        #expect(sockets[0].cgroup == 1)
        #expect(sockets[1].state == .established)
        #expect(sockets[1].local == sockets[0].local)
        #expect(sockets[1].remote.address.isLoopback)
        let traffic = try #require(sockets[1].traffic)
        #expect((traffic.received, traffic.sent) == (5, 7))
        #expect(traffic.sinceSent == traffic.sinceReceived)
        #expect(!traffic.isOwed)
    }

    @Test func `leaves out those at which nothing waits, and counts them`() {
        // idiag_rqueue, and idiag_inode of one that waits to be accepted.
        var asked = Recorded.listener
        asked[16 + 56] = 3
        var waiting = Recorded.connection
        waiting.replaceSubrange(16 + 68..<16 + 72, with: [0, 0, 0, 0])
        var spoken = Recorded.connection
        spoken[16 + 56] = 9
        for (datagram, count) in [
            (Recorded.listener, 0), (Recorded.connection, 0), (asked, 1), (waiting, 1),
            (spoken, 1),
        ] {
            var reader = SockDiagReader(sequence: 7, leavingOutQuiet: true)
            #expect(reader.read(datagram[...]) == .more)
            #expect((reader.sockets.count, reader.count) == (count, 1))
        }
    }

    @Test func `finds a listener of IPv6`() throws {
        let (progress, sockets) = read([Recorded.listener6])
        #expect(progress == [.more])
        let socket = try #require(sockets.first)
        #expect(socket.local.description == "[::1]:18182")
        #expect((socket.receiveQueue, socket.sendQueue) == (0, 7))
    }

    @Test func `passes over answers to another request, and kinds of messages that it does not know`() {
        var other = Recorded.connection
        other[8] = 8
        var unknown = Recorded.connection
        unknown[4] = 99
        #expect(read([other, unknown]).sockets.isEmpty)
        #expect(read([other, unknown]).progress == [.more, .more])
    }

    @Test func `says when a dump was changed meanwhile`() {
        var first = Recorded.listener
        first[6] |= 0x10
        #expect(read([first, Recorded.done]).progress == [.more, .interrupted])
    }

    @Test func `says why the kernel refuses`() {
        // struct nlmsgerr with -EPERM, and an acknowledgement.
        var refusal: [UInt8] = [36, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]
        refusal += Array(repeating: 0, count: 16)
        #expect(read([refusal]).progress == [.refused(1)])
        refusal.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        #expect(read([refusal]).progress == [.more])
        // A dump that ended early tells so in its last message.
        var done = Recorded.done
        done.replaceSubrange(16..<20, with: [0xf4, 0xff, 0xff, 0xff])
        #expect(read([done]).progress == [.refused(12)])
    }

    @Test func `reads nothing of what is cut off, and never beyond it`() {
        let whole = Recorded.listener + Recorded.connection
        for length in 0..<whole.count {
            let (progress, sockets) = read([Array(whole[..<length])])
            #expect(sockets.count <= 1)
            if length != 0, length != Recorded.listener.count { #expect(progress == [.damaged]) }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>) func `survives any change of its bytes`(_ seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state >> 9
        }
        let whole = Recorded.listener + Recorded.connection + Recorded.listener6 + Recorded.done
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0...(random() % 6) {
                bytes[Int(random() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random())
            }
            var reader = SockDiagReader(sequence: 7)
            _ = reader.read(bytes[...])
            #expect(reader.sockets.count <= 3)
        }
    }
}

/// Addresses in words.
@Suite struct `An address` {
    @Test(
        arguments: [
            (0, 1, "::1"), (0, 0, "::"), (0x2001_0db8_0000_0000, 1, "2001:db8::1"),
            (0x2001_0db8_0000_0001, 0x0001_0001_0001_0001, "2001:db8:0:1:1:1:1:1"),
            (0x2001_0000_0000_0001, 0x0000_0000_0000_0001, "2001:0:0:1::1"),
            (0x2001_0db8_0000_0000, 0x0001_0000_0000_0001, "2001:db8::1:0:0:1"),
            (1 << 48, 0, "1::"), (0, 0xffff_0a00_0007, "10.0.0.7"), (0, 0x0a00_0007, "::a00:7"),
        ] as [(UInt64, UInt64, String)])
    func `is written as RFC 5952 has it`(_ high: UInt64, _ low: UInt64, _ text: String) {
        #expect(IPAddress(high: high, low: low).description == text)
    }

    @Test func `of IPv4 is the same by itself and where IPv6 maps it`() {
        #expect(IPAddress(ipv4: 0x7f00_0001) == IPAddress(high: 0, low: 0xffff_7f00_0001))
        #expect(IPAddress(ipv4: 0x7f00_0001).isLoopback)
        #expect(IPAddress(ipv4: 0).isUnspecified && IPAddress(high: 0, low: 0).isUnspecified)
        #expect(!IPAddress(high: 0, low: 2).isLoopback)
    }
}

/// What an epoll instance watches, from its fdinfo.
@Suite struct `The members of an epoll instance` {
    @Test func `are read from its fdinfo`() {
        let text = """
            pos:\t0
            flags:\t02000002
            mnt_id:\t17
            ino:\t1038
            tfd:        3 events:       19 data:                3  pos:0 ino:8043d7 sdev:9
            tfd:        5 events: 80000019 data:               ab  pos:0 ino:8043d9 sdev:9
            """
        #expect(
            EpollMember.all(in: text) == [
                EpollMember(descriptor: 3, events: 0x19, data: 3, inode: 0x8043d7, device: 9),
                EpollMember(descriptor: 5, events: 0x8000_0019, data: 0xab, inode: 0x8043d9, device: 9),
            ])
        #expect(EpollMember.all(in: "pos:\t0\n") == [])
        #expect(EpollMember.all(in: "") == [])
    }

    @Test(arguments: [
        "tfd: 3", "tfd: 3 events: 19 data: 3", "tfd: 3 events: 19 pos:0 ino:1 sdev:9",
        "tfd: 3 events: 19 data: z pos:0 ino:1 sdev:9",
        "tfd: x events: 19 data: 3 pos:0 ino:1 sdev:9",
        "tfd: -1 events: 19 data: 3 pos:0 ino:1 sdev:9", "tfd: 3 events: 123456789 ino:1 sdev:9",
        "tfd: 3 events: 19 data: 3 pos:0 ino:zz sdev:9", "tfd:", "tfd: 3 events: 19 ino: sdev:9",
    ])
    func `are unknown where a line cannot be read`(_ line: String) {
        #expect(EpollMember.all(in: "pos:\t0\n" + line + "\n") == nil)
    }
}
