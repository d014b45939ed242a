import Idleness
import Testing

/// Answers of a kernel (6.18) to a dump of Unix sockets, with peers and queues.
private enum Recorded {
    /// Two messages of 5 and 3 bytes wait at the first end of a pair.
    static let first = bytes(
        "3c0000001400020007000000b433000001050100199e0a010d0000000000000008000200189e0a010c00040008000000000000000500060000000000"
    )
    static let second = bytes(
        "3c0000001400020007000000b433000001050100189e0a01170000000000000008000200199e0a010c00040000000000000600000500060000000000"
    )
    /// Connected to the listener, and not accepted.
    static let client = bytes(
        "3c0000001400020007000000b4330000010101001b9e0a010e0000000000000008000200000000000c00040000000000000300000500060000000000"
    )
    static let listener = bytes(
        "340000001400020007000000b433000001010a001a9e0a0119000000000000000c00040001000000090000000500060000000000"
    )
    /// Two datagrams wait, the first of 7 bytes.
    static let datagrams = bytes(
        "340000001400020007000000b4330000010201001c9e0a011a000000000000000c00040007000000000000000500060000000000"
    )
    static let done = bytes("140000000300020007000000b433000000000000")

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 > 0x60 ? $0 - 87 : $0 - 48) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// What sock_diag tells of Unix sockets, from the kernel's bytes.
@Suite struct `Reading Unix sockets` {
    private func read(_ datagrams: [[UInt8]]) -> (
        progress: [SockDiagReader.Progress], sockets: [UnixSocket]
    ) {
        var reader = UnixDiagReader(sequence: 7)
        let progress = datagrams.map { reader.read($0[...]) }
        return (progress, reader.sockets)
    }

    @Test func `finds pairs, listeners and what waits in them`() {
        let (progress, sockets) = read([
            Recorded.first + Recorded.second, Recorded.listener + Recorded.client,
            Recorded.datagrams + Recorded.done,
        ])
        #expect(progress == [.more, .more, .done])
        #expect(
            sockets == [
                UnixSocket(
                    kind: .sequentialPacket, state: .established, inode: 17_473_049, peer: 17_473_048,
                    receiveQueue: 8),
                UnixSocket(
                    kind: .sequentialPacket, state: .established, inode: 17_473_048, peer: 17_473_049,
                    sendQueue: 1536),
                UnixSocket(
                    kind: .stream, state: .listen, inode: 17_473_050, receiveQueue: 1, sendQueue: 9),
                UnixSocket(kind: .stream, state: .established, inode: 17_473_051, sendQueue: 768),
                UnixSocket(kind: .datagram, state: .established, inode: 17_473_052, receiveQueue: 7),
            ])
    }

    @Test func `passes over other families, kinds, states and requests`() {
        // Of struct unix_diag_msg: family, kind, state; of the header: the number.
        for (offset, value) in [(16, 2), (17, 3), (18, 0), (18, 13), (8, 8)] as [(Int, UInt8)] {
            var other = Recorded.first
            other[offset] = value
            #expect(read([other]).sockets.isEmpty, "\(offset)")
            #expect(read([other]).progress == [.more])
        }
    }

    @Test func `does without attributes that are missing or too short`() {
        var short = Array(Recorded.first[..<32])
        short[0] = 32
        #expect(
            read([short]).sockets == [
                UnixSocket(kind: .sequentialPacket, state: .established, inode: 17_473_049)
            ])
        // A queue of one number.
        var half = Array(Recorded.first[..<32]) + [8, 0, 4, 0, 5, 0, 0, 0]
        half[0] = 40
        #expect(read([half]).sockets.first?.receiveQueue == 0)
        // A peer of no number.
        var empty = Array(Recorded.first[..<32]) + [4, 0, 2, 0]
        empty[0] = 36
        #expect(read([empty]).sockets.map(\.peer) == [nil])
    }

    @Test func `reads nothing of what is cut off, and never beyond it`() {
        let whole = Recorded.first + Recorded.listener
        for length in 0..<whole.count {
            let (progress, sockets) = read([Array(whole[..<length])])
            #expect(sockets.count <= 1)
            if length != 0, length != Recorded.first.count { #expect(progress == [.damaged]) }
        }
    }
}

/// How a descriptor was opened, from its fdinfo.
@Suite struct `The flags of a descriptor` {
    @Test(
        arguments: [
            ("pos:\t0\nflags:\t02000000\nmnt_id:\t15\n", true, false),
            ("pos:\t0\nflags:\t02000001\nmnt_id:\t15\n", false, true), ("flags:\t04002", true, true),
            ("flags: 0100000", true, false), ("flags:\t3", false, false), ("flags:\t010000000", false, false),
            ("flags:\t010000002", false, false),
        ] as [(String, Bool, Bool)])
    func `say whether it may be read from or written to`(_ text: String, _ read: Bool, _ write: Bool) throws {
        let flags = try #require(OpenFlags(fdinfo: text))
        #expect((flags.mayRead, flags.mayWrite) == (read, write))
    }

    @Test(arguments: [
        "", "pos:\t0\n", "flags:", "flags:\t", "flags:\t8", "flags:\t-1", "flags:\t+1", "flags:\t0x1",
        "flags:\t777777777777", "xflags:\t0", "flags:\t1 2",
    ])
    func `are unknown where they are not told in octal`(_ text: String) {
        #expect(OpenFlags(fdinfo: text) == nil)
    }
}

/// What the links of /proc/PID/fd name.
@Suite struct `The kind of a descriptor` {
    @Test(
        arguments: [
            ("socket:[17473049]", .socket(inode: 17_473_049)), ("pipe:[12]", .pipe(inode: 12)),
            ("anon_inode:[eventpoll]", .eventPoll), ("anon_inode:[eventfd]", .eventCounter),
            ("anon_inode:[timerfd]", .timer), ("anon_inode:[signalfd]", .signals),
            ("anon_inode:inotify", .inotify), ("anon_inode:[pidfd]", .pidfd),
            ("anon_inode:[io_uring]", .ioUring), ("anon_inode:[fanotify]", .other),
            ("anon_inode:[perf_event]", .other), ("net:[4026531840]", .other), ("/dev/null", .other),
            ("/tmp/socket:[5]", .other), ("/tmp/x (deleted)", .other), ("", .other), ("socket:[]", .other),
            ("socket:[-5]", .other), ("socket:[+5]", .other), ("socket:[5", .other), ("socket:5]", .other),
            ("socket:[5] (deleted)", .other), ("socket:[99999999999999999999999]", .other),
            ("pipe:[5x]", .other), ("pipe:[", .other), ("anon_inode:[eventpoll", .other),
        ] as [(String, Inventory.Kind)])
    func `is read from its link`(_ link: String, _ kind: Inventory.Kind) {
        #expect(Inventory.Kind(link: link) == kind)
    }
}
