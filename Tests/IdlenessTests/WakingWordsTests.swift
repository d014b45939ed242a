import Lifecycle
import Testing

@testable import Idleness

/// What operators are told of sleepers, of use and of what a place allows.
@Suite struct `The words of waking` {
    private static let epoll = Eyes.State.watching(.init(count: 1, hasEventPoll: true))
    private static let sockets = Eyes.State.watching(.init(count: 3, hasEventPoll: false))

    static let sights: [(Eyes.State, [UInt16], Int?, words: String, word: String?)] = [
        (epoll, [6379], 41, "tcp 6379, 41 connections (its epoll)", "tcp 6379"),
        (epoll, [6379, 80, 6379], 0, "tcp 80, 6379 (its epoll)", "tcp 80,6379"),
        (epoll, [], nil, "whatever its epoll instance waits for", "sockets"),
        (sockets, [], 1, "1 connection (its sockets)", "sockets"),
        (sockets, [], 0, "its 3 sockets and pipes", "sockets"),
        (
            sockets, Array(1...10), nil, "tcp 1, 2, 3, 4, 5, 6, 7, 8 and 2 more (its sockets)", "tcp 1,2,3,…"
        ),
        (
            .sampling(.tooMany(900, limit: 512)), [80], 899,
            "tcp 80, 899 connections (sampled every 100 ms: it has 900 descriptors, more than DescriptorsMax=512)",
            "sampled"
        ),
        (
            .blind(.nothingToWatch), [], nil, "no socket of its own: it has none, and reads from no pipe",
            "nothing"
        ),
        (.planning(1), [], nil, "its sockets, which are being listed", nil),
    ]

    @Test func `say of which look a use is`() {
        func ago(_ seconds: Int64) -> Instant { Instant(microseconds: 100_000_000 - seconds * 1_000_000) }
        func account(_ kind: Use.Kind, _ age: Int64, seen: Int64?) -> String {
            var use = Use(kind, at: ago(age))
            use.seen = seen.map(ago)
            return use.account(at: ago(0), delay: .seconds(10))
        }
        #expect(account(.spoke(peer: "a:1"), 12, seen: nil) == "last used: a:1 spoke 12s ago")
        #expect(account(.spoke(peer: "a:1"), 5, seen: 4) == "in use, as seen 4s ago: a:1 spoke 5s ago")
        // One that lasts is in use, however long ago that was seen.
        #expect(account(.connected(peer: "a:1"), 20, seen: 20) == "in use, as seen 20s ago: a:1 is connected")
    }

    static let limits: [(kinds: Set<WakeRules.Kind>?, from: [String]?, notFrom: [String], words: String?)] = [
        (nil, nil, [], nil),
        ([.request], nil, [], "only for a connection with a request (WakeOn=)"),
        (
            [.connection, .data, .timer], ["10.0.0.0/8"], [],
            "only for a new connection, data on an open connection or its own timers (WakeOn=), "
                + "connections only from 10.0.0.0/8 (WakeFrom=)"
        ),
        (nil, nil, ["10.0.0.5", "::1"], "no connections from 10.0.0.5 or ::1 (WakeNotFrom=)"),
        (
            nil, ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"], [],
            "connections only from 10.0.0.1, 10.0.0.2, 10.0.0.3 or 2 more (WakeFrom=)"
        ),
    ]

    @Test(arguments: limits) func `name the rules that let less wake it`(
        kinds: Set<WakeRules.Kind>?, from: [String]?, notFrom: [String], words: String?
    ) throws {
        var rules = WakeRules()
        if let kinds { rules.kinds = kinds }
        rules.from = try from?.map { try IPNetwork(parsing: $0) }
        rules.notFrom = try notFrom.map { try IPNetwork(parsing: $0) }
        #expect(rules.limits { "\($0)=" } == words)
        rules.watching = .no
        #expect(rules.limits { "\($0)=" } == nil)
    }

    @Test(arguments: sights) func `name ports and connections`(
        state: Eyes.State, ports: [UInt16], connections: Int?, words: String, word: String?
    ) {
        let sight = SleeperSight(
            state, listening: ports.map { Endpoint(IPAddress(ipv4: 0), port: $0) }, connections: connections,
            each: .milliseconds(100))
        #expect(sight.words == words)
        #expect(sight.word == word)
    }

    @Test func `count what is the worker's own`() {
        func socket(_ state: InetSocket.State, _ inode: UInt32, _ port: UInt16) -> InetSocket {
            let local = Endpoint(IPAddress(ipv4: 0), port: port)
            return InetSocket(
                state: state, local: local, remote: local, inode: inode, receiveQueue: 0, sendQueue: 0)
        }
        let sockets = [
            socket(.listen, 1, 80), socket(.listen, 9, 81), socket(.established, 2, 80),
            socket(.closeWait, 3, 80),
            socket(.established, 8, 80), socket(.timeWait, 0, 80),
        ]
        let owner = SocketOwner(inodes: [1, 2, 3])
        #expect(owner.listening(among: sockets).map(\.port) == [80])
        #expect(owner.connections(among: sockets) == 2)
    }

    private static let now = Instant(microseconds: 1_000_000_000)

    static let uses: [(Use.Kind, Int64, words: String, remedy: String?)] = [
        (.spoke(peer: "10.0.0.7:51422"), 12, "10.0.0.7:51422 spoke 12s ago", nil),
        (
            .owes(peer: "10.0.0.7:1", since: now + .milliseconds(-3_250)), 0,
            "1 answer owed to 10.0.0.7:1 for 3.200s",
            "it counts as idle when the answer is sent, or after IdlePendingSec=5min"
        ),
        (.computes(percent: 34.4), 0, "it uses 34 % of one CPU", "it counts as idle below IdleCPU=10%"),
        (
            .connected(peer: "a:1"), 0, "a:1 is connected", "with IdleWhen=quiet only data would count as use"
        ),
        (.said, 0, "the worker reports that it is in use", nil),
        (.held(by: "job 7"), 0, "it is held by job 7", nil),
        (.unwakeable, 0, "it has no socket that could wake it", "an operator can still suspend it"),
        (.passed("input"), 90, "input, 1min 30s ago", nil),
    ]

    @Test(arguments: uses) func `say what a worker is used for`(
        kind: Use.Kind, age: Int64, words: String, remedy: String?
    ) {
        let use = Use(kind, at: Self.now + .seconds(-age))
        #expect(use.words(at: Self.now) == words)
        #expect(use.remedy(UseRules()) == remedy)
    }

    private static func prospect(
        _ attempt: EyeProspect.Attempt, call: String = "pidfd_getfd", list: Bool = true, root: Bool = false,
        trace: Bool = false, scope: Int? = nil, filter: Bool = false
    ) -> EyeProspect {
        EyeProspect(
            attempt: attempt, call: call, canList: list, isRoot: root, mayTrace: trace, scope: scope,
            isFiltered: filter,
            interval: .milliseconds(250))
    }

    private static let atOnce = "workers wake at once by their own sockets (pidfd_getfd)"

    static let prospects: [(EyeProspect, sentence: String, remedy: String?)] = [
        (prospect(.granted, root: true, trace: true, scope: 2), atOnce, nil),
        (
            prospect(.granted, root: true, scope: 1),
            "\(atOnce), but those of other users are sampled every 250 ms: no CAP_SYS_PTRACE",
            "add CAP_SYS_PTRACE to CapabilityBoundingSet= of the unit"
        ),
        (
            prospect(.granted, scope: 0),
            "\(atOnce); those that changed their user or capabilities are sampled every 250 ms", nil
        ),
        (
            prospect(.granted, scope: 1),
            "\(atOnce); adopted ones (kernel.yama.ptrace_scope=1) and those that changed their user or capabilities "
                + "are sampled every 250 ms", nil
        ),
        (
            prospect(.refused, scope: 2),
            "sockets of suspended workers are sampled every 250 ms: kernel.yama.ptrace_scope=2",
            "sysctl kernel.yama.ptrace_scope=1, or run the supervisor as root with CAP_SYS_PTRACE"
        ),
        (
            prospect(.refused, root: true, trace: true, scope: 3),
            "sockets of suspended workers are sampled every 250 ms: kernel.yama.ptrace_scope=3 refuses pidfd_getfd to "
                + "every process",
            "set kernel.yama.ptrace_scope=1 in sysctl.d and reboot: 3 cannot be lowered"
        ),
        (
            prospect(.refused, root: true, scope: 1, filter: true),
            "sockets of suspended workers are sampled every 250 ms: a seccomp filter refuses pidfd_getfd",
            "add SystemCallFilter=pidfd_getfd to the unit, after ~@debug, or start the container with --cap-add SYS_PTRACE"
        ),
        (
            prospect(.missing, call: "pidfd_open", scope: 1, filter: true),
            "sockets of suspended workers are sampled every 250 ms: a seccomp filter refuses pidfd_open",
            "add SystemCallFilter=pidfd_open to the unit, after its other filters"
        ),
        (
            prospect(.missing, list: false),
            "no socket wakes a suspended worker: the kernel has no pidfd_getfd, and sock_diag does not answer",
            "use Linux 5.6 or later"
        ),
    ]

    @Test(arguments: prospects) func `say what a place allows, and what mends the rest`(
        prospect: EyeProspect, sentence: String, remedy: String?
    ) {
        #expect(prospect.verdict.sentence == sentence)
        #expect(prospect.verdict.remedy == remedy)
    }
}
