import Lifecycle
import Testing

@testable import Idleness

/// Which members of an epoll instance have something, by what epoll_wait(2) tells.
@Suite("The members of an epoll instance that is asked") struct PolledMembersTests {
    private func member(
        _ descriptor: Int32, data: UInt64, _ events: UInt32 = 1, _ device: UInt64 = 8
    ) -> EpollMember {
        EpollMember(
            descriptor: descriptor, events: events, data: data, inode: UInt64(descriptor) * 10, device: device
        )
    }

    @Test func `are found by what the process gave for them`() throws {
        let all = [
            member(9, data: .max), member(4, data: 7), member(5, data: 5), member(6, data: 0, 0x19, 12),
        ]
        let members = try #require(PolledMembers(all, listening: [40], sockets: 8))
        #expect(members[7]?.descriptor == 4 && members[7]?.kind == .listener(40))
        #expect(members[5]?.kind == .socket(50))
        #expect(members[.max]?.descriptor == 9 && members[.max]?.kind == .socket(90))
        #expect(members[0]?.kind == .other)
        for data in [1, 4, 6, 8, .max - 1] as [UInt64] { #expect(members[data] == nil) }
        #expect(PolledMembers([], listening: [], sockets: 8)?[0] == nil)
    }

    @Test func `are found among any number of them`() throws {
        for count in 0..<40 as Range<UInt64> {
            let all = (0..<count).map { member(Int32($0), data: $0 * 2) }.shuffled()
            let members = try #require(PolledMembers(all, listening: [], sockets: 8))
            for data in 0..<count * 2 + 2 {
                let isMember = data.isMultiple(of: 2) && data < count * 2
                #expect(members[data]?.descriptor == (isMember ? Int32(data / 2) : nil))
            }
        }
    }

    @Test(arguments: [1 << 31 | 1, 1 << 30 | 1] as [UInt32])
    func `are not asked where one would miss an edge or its one event`(_ events: UInt32) {
        let all = [member(4, data: 4), member(5, data: 5, events)]
        #expect(PolledMembers(all, listening: [], sockets: 8) == nil)
    }

    @Test func `are not asked where two cannot be told apart`() {
        let all = [member(4, data: 4), member(5, data: 4)]
        #expect(PolledMembers(all, listening: [], sockets: 8) == nil)
        // EPOLLEXCLUSIVE is level-triggered.
        #expect(PolledMembers([member(4, data: 4, 1 << 28 | 1)], listening: [], sockets: 8) != nil)
    }
}

/// Connections that a worker has, found one by one.
@Suite("What waits on a worker's own connections") struct OwnConnectionTests {
    private func connection(
        _ bytes: UInt32, _ state: InetSocket.State = .established
    ) -> WakeFacts.Connection {
        WakeFacts.Connection(
            local: Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 6379),
            remote: Endpoint(IPAddress(ipv4: 0x0a00_0007), port: 40_000), state: state, bytes: bytes,
            isAccepted: true)
    }

    @Test func `wakes for data and for nothing else`() {
        let filter = WakeFilter(WakeRules())
        let wake = WakeFilter.Verdict.wake(.data(from: connection(0).remote))
        #expect(filter.judge(own: []) == .leave)
        #expect(filter.judge(own: [connection(0)]) == .leave)
        #expect(filter.judge(own: [connection(1, .closeWait), connection(1, .closed)]) == .leave)
        #expect(filter.judge(own: [connection(2, .closeWait)]) == wake)
        #expect(filter.judge(own: [connection(0), connection(1)]) == wake)
    }

    @Test func `counts by the rules`() {
        var rules = WakeRules()
        rules.notFrom = [IPNetwork(IPAddress(ipv4: 0x0a00_0000), prefix: 96 + 8)]
        #expect(WakeFilter(rules).judge(own: [connection(5)]) == .leave)
        rules = WakeRules()
        rules.kinds = [.connection]
        #expect(WakeFilter(rules).judge(own: [connection(5)]) == .leave)
    }

    @Test func `a new connection of an unknown peer is told by where it went`() {
        let knock = WakeFilter.Reason.connection(to: "127.0.0.1:6379", from: nil)
        #expect(knock.words == "a connection to 127.0.0.1:6379" && !knock.isKnown && knock.peer == nil)
        var naps = NapPolicy()
        naps.woke(by: .data(from: connection(1).remote), at: .zero + .seconds(1))
        naps.woke(by: knock, at: .zero + .seconds(5))
        #expect(!naps.looksFirst(WakeRules()))
        let spoke = Use(.spoke(peer: "x"), at: .zero + .seconds(5))
        #expect(naps.answer(spoke) == LastUse(at: spoke.at))
    }
}
