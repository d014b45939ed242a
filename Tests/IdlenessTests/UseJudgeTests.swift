import Idleness
import Lifecycle
import Testing

/// What counts as use, and which use is told.
@Suite struct `The judge of use` {
    private static let now = Instant(microseconds: 1_000_000_000)

    private static func ago(_ seconds: Int64) -> Instant { now + .seconds(-seconds) }

    private static func facts(_ change: (inout UseFacts) -> Void) -> UseFacts {
        var facts = UseFacts()
        change(&facts)
        return facts
    }

    private static let quiet = UseFacts.Connection(peer: "a", quietSince: ago(40))
    private static let busy = UseFacts.Connection(peer: "b", quietSince: ago(2))
    private static let owed = UseFacts.Connection(peer: "c", quietSince: ago(20), owedSince: ago(20))
    private static let forgotten = UseFacts.Connection(peer: "d", quietSince: ago(400), owedSince: ago(400))
    private static let silent = UseFacts.Connection(peer: "e")

    static let cases: [(UseFacts, Use?)] = [
        (UseFacts(), nil),
        (facts { $0.connections = [silent] }, nil),
        (facts { $0.connections = [quiet, busy] }, Use(.spoke(peer: "b"), at: ago(2))),
        (facts { $0.connections = [busy, owed] }, Use(.owes(peer: "c", since: ago(20)), at: now)),
        (facts { $0.connections = [quiet, forgotten] }, Use(.spoke(peer: "a"), at: ago(40))),
        (facts { $0.connections = [owed, forgotten] }, Use(.owes(peer: "c", since: ago(20)), at: now)),
        (facts { $0.cpu = 9.9 }, nil),
        (facts { $0.cpu = 10 }, Use(.computes(percent: 10), at: now)),
        (
            facts {
                $0.cpu = 80
                $0.connections = [owed]
            }, Use(.owes(peer: "c", since: ago(20)), at: now)
        ),
        (facts { $0.passage = .init("input", at: ago(7)) }, Use(.passed("input"), at: ago(7))),
        (
            facts {
                $0.passage = .init("input", at: ago(7))
                $0.connections = [busy]
            }, Use(.spoke(peer: "b"), at: ago(2))
        ),
        (facts { $0.passage = .init("input", at: now + .seconds(1)) }, Use(.passed("input"), at: now)),
        (
            facts {
                $0.holders = ["job 7", "job 8"]
                $0.connections = [owed]
            }, Use(.held(by: "job 7"), at: now)
        ),
    ]

    @Test(arguments: cases) func `tells the latest`(_ facts: UseFacts, _ use: Use?) {
        #expect(UseRules().lastUse(facts, at: Self.now) == use)
    }

    @Test func `counts open connections where it is told to`() {
        var rules = UseRules()
        rules.connections = .open
        let facts = Self.facts { $0.connections = [Self.silent, Self.busy] }
        #expect(rules.lastUse(facts, at: Self.now) == Use(.connected(peer: "e"), at: Self.now))
        #expect(rules.lastUse(UseFacts(), at: Self.now) == nil)
    }

    @Test func `does not mind CPU where it is told so`() {
        var rules = UseRules()
        rules.cpu = nil
        #expect(rules.lastUse(Self.facts { $0.cpu = 100 }, at: Self.now) == nil)
    }

    /// Ages in milliseconds as the kernel tells them, and what they mean.
    static let traffic: [(InetSocket.Traffic, isOwed: Bool, quiet: UInt32?)] = [
        (.init(sinceSent: 50, sinceReceived: 50, received: 0, sent: 0), false, nil),
        (.init(sinceSent: 50, sinceReceived: 40, received: 9, sent: 0), true, 40),
        (.init(sinceSent: 40, sinceReceived: 50, received: 0, sent: 9), false, 40),
        // Answered in the same tick, and in the next.
        (.init(sinceSent: 100, sinceReceived: 100, received: 9, sent: 9), false, 100),
        (.init(sinceSent: 104, sinceReceived: 100, received: 9, sent: 9), false, 100),
        (.init(sinceSent: 108, sinceReceived: 100, received: 9, sent: 9), false, 100),
        (.init(sinceSent: 109, sinceReceived: 100, received: 9, sent: 9), true, 100),
        (.init(sinceSent: 10, sinceReceived: 90_000, received: 9, sent: 9), false, 10),
        (.init(sinceSent: .max, sinceReceived: .max - 9, received: 1, sent: 1), true, .max - 9),
    ]

    @Test(arguments: traffic)
    func `reads from the kernel's ages who has spoken last`(
        _ traffic: InetSocket.Traffic, isOwed: Bool, quiet: UInt32?
    ) {
        #expect(traffic.isOwed == isOwed)
        #expect(traffic.quiet == quiet)
    }

    @Test func `does not take a process of the worker that waits for another one for a client`() {
        func connection(_ inode: UInt32, from local: UInt16, to remote: UInt16) -> InetSocket {
            func end(_ port: UInt16) -> Endpoint { Endpoint(IPAddress(ipv4: 0x7f00_0001), port: port) }
            return InetSocket(
                state: .established, local: end(local), remote: end(remote), inode: inode, receiveQueue: 0,
                sendQueue: 0, traffic: .init(sinceSent: 9_000, sinceReceived: 5_000, received: 9, sent: 9))
        }
        // A server and its kernel have inodes 1 and 2, and a client of it has 9.
        let sockets = [
            connection(1, from: 8888, to: 50_001), connection(2, from: 50_001, to: 8888),
            connection(3, from: 8888, to: 50_002), connection(9, from: 50_002, to: 8888),
        ]
        let all = UseFacts.Connection.all(in: [sockets], of: SocketOwner(inodes: [1, 2, 3]), at: Self.now)
        let owed = all.filter { $0.owedSince != nil }
        #expect(owed.map(\.peer) == ["127.0.0.1:50002"])
        #expect(all.count == 3 && all.allSatisfy { $0.quietSince == Self.ago(5) })
    }

    /// The client closes first: its own end waits, for a minute, where the client is on this machine.
    @Test(
        arguments: [
            (0x7f00_0001, 0x7f00_0001, true), (0x0a00_0001, 0x0a00_0001, true),
            // A connection of this machine to another one at the same port.
            (0x0a00_0001, 0x0a00_0002, false),
        ] as [(UInt32, UInt32, Bool)])
    func `knows what a client of this machine has closed, where that counts`(
        client: UInt32, server: UInt32, counts: Bool
    ) {
        let closed = InetSocket(
            state: .timeWait, local: Endpoint(IPAddress(ipv4: client), port: 50_001),
            remote: Endpoint(IPAddress(ipv4: server), port: 6379), inode: 0, receiveQueue: 0, sendQueue: 0,
            sinceClosed: 3000)
        let listener = InetSocket(
            state: .listen, local: Endpoint(IPAddress(ipv4: 0), port: 6379),
            remote: Endpoint(IPAddress(ipv4: 0), port: 0), inode: 1, receiveQueue: 0, sendQueue: 128)
        let owner = SocketOwner(inodes: [1])
        let observed = UseFacts.Connection.all(
            in: [[listener, closed]], of: owner, at: Self.now, withClientsEnds: true)
        #expect(observed.map(\.peer) == (counts ? ["\(IPAddress(ipv4: client)):50001"] : []))
        #expect(observed.allSatisfy { !$0.isOpen && $0.quietSince == Self.ago(3) })
        #expect(UseFacts.Connection.all(in: [[listener, closed]], of: owner, at: Self.now).isEmpty)
    }
}
