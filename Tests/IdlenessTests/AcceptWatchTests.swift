import Idleness
import Lifecycle
import Testing

@Suite struct `A connection that a worker was woken for` {
    private static let woke = Instant.zero + .seconds(100)
    private let due = woke + .seconds(5)
    private let peer = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 40_000)

    private var knock: WakeFilter.Reason { .connection(to: "127.0.0.1:80", from: peer) }

    @Test func `is looked for after five seconds, and told of once if it still waits`() {
        var watch = AcceptWatch()
        #expect(watch.handle(.woken(knock, at: Self.woke)) == .lookLater(at: due))
        #expect(watch.handle(.due(at: due)) == .look(.tcp(peer)))
        #expect(
            watch.handle(.looked(isWaiting: true))
                == .warn(
                    "no process has accepted a connection from 127.0.0.1:40000 to 127.0.0.1:80 within 5s of the wake"
                ))
        // It is woken by it again and again: nothing new.
        #expect(watch.handle(.woken(knock, at: due)) == nil)
        let other = WakeFilter.Reason.connection(to: "127.0.0.1:80", from: nil)
        #expect(watch.handle(.woken(other, at: due)) == .lookLater(at: due + .seconds(5)))
        #expect(watch.handle(.due(at: due + .seconds(5))) == .look(.tcp(nil)))
    }

    @Test func `is no matter when it was accepted, the worker sleeps again, or it was something else`() {
        var watch = AcceptWatch()
        _ = watch.handle(.woken(knock, at: Self.woke))
        _ = watch.handle(.due(at: due))
        #expect(watch.handle(.looked(isWaiting: false)) == nil)
        _ = watch.handle(.woken(knock, at: Self.woke))
        #expect(watch.handle(.rests) == nil)
        #expect(watch.handle(.due(at: due)) == nil)
        #expect(watch.handle(.woken(.data(from: peer), at: Self.woke)) == nil)
        #expect(watch.handle(.due(at: due)) == nil)
        // The time of an earlier wake.
        _ = watch.handle(.woken(knock, at: Self.woke))
        #expect(watch.handle(.woken(knock, at: Self.woke + .seconds(2))) == .lookLater(at: due + .seconds(2)))
        #expect(watch.handle(.due(at: due)) == nil)
        #expect(watch.handle(.due(at: due + .seconds(2))) == .look(.tcp(peer)))
        #expect(watch.handle(.looked(isWaiting: true)) != nil)
        #expect(watch.handle(.looked(isWaiting: true)) == nil)
    }

    @Test func `is looked for among Unix sockets where it came to one`() {
        var watch = AcceptWatch()
        let knock = SocketArrival.unixConnection.reason
        #expect(watch.handle(.woken(knock, at: Self.woke)) == .lookLater(at: due))
        #expect(watch.handle(.due(at: due)) == .look(.unix))
        #expect(
            watch.handle(.looked(isWaiting: true))
                == .warn("no process has accepted a connection to its Unix socket within 5s of the wake"))
    }

    @Test func `that waits at a Unix socket is told from what waits elsewhere`() {
        let listener = UnixSocket(kind: .stream, state: .listen, inode: 7, receiveQueue: 1, sendQueue: 5)
        let data = UnixSocket(kind: .stream, state: .established, inode: 8, peer: 9, receiveQueue: 5)
        let sockets = OtherSockets(unix: [listener, data], udp: []) { _ in false }
        #expect(sockets.leaveWaiting(SocketOwner(inodes: [7])))
        #expect(!sockets.leaveWaiting(SocketOwner(inodes: [8, 9])))
    }

    @Test func `to a Unix socket is a new one`() {
        var naps = NapPolicy()
        naps.woke(by: .localConnection, at: Self.woke)
        #expect(naps.mayLeaveLocal)
        #expect(naps.answer(nil, leavesWaiting: true) == LastUse(at: Self.woke))
        #expect(!naps.answer(Use(.spoke(peer: "x"), at: Self.woke)).isExchange)
        naps.woke(by: .connection(to: "127.0.0.1:80", from: peer), at: due)
        #expect(!naps.mayLeaveLocal)
    }

    @Test func `keeps the worker up for its whole delay while it waits`() {
        var naps = NapPolicy()
        #expect(naps.answer(nil, leavesWaiting: true) == LastUse(at: nil))
        naps.woke(by: .connection(to: "127.0.0.1:80", from: nil), at: Self.woke)
        #expect(naps.answer(nil) == LastUse(at: nil))
        #expect(naps.answer(nil, leavesWaiting: true) == LastUse(at: Self.woke))
        let (before, after) = (
            Use(.spoke(peer: "x"), at: .zero), Use(.spoke(peer: "x"), at: Self.woke + .seconds(1))
        )
        #expect(naps.answer(before, leavesWaiting: true) == LastUse(at: Self.woke))
        #expect(naps.answer(after, leavesWaiting: true) == LastUse(at: after.at))
        // A ping that is answered is one exchange; one that is not is none.
        naps.woke(by: .data(from: peer), at: Self.woke)
        #expect(naps.answer(Use(.spoke(peer: "x"), at: Self.woke)).isExchange)
        #expect(!naps.answer(Use(.spoke(peer: "x"), at: Self.woke), leavesWaiting: true).isExchange)
    }
}
