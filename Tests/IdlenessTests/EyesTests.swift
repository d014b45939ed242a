import Lifecycle
import Testing

@testable import Idleness

@Suite("What watches a sleeper") struct EyesTests {
    /// Everything that can happen, with numbers of this request and of an earlier one.
    private static func events(_ number: UInt32) -> [Eyes.Event] {
        let borrowed = EyePlan.Borrowed(.init(process: 1, descriptor: 3), .eventPoll)
        let plans: [EyePlan] = [
            .borrowed([borrowed]), .sampled(.refused), .none(.nothingToWatch),
        ]
        return [
            .slept, .waking, .refused(.noDescriptors, canSample: true), .refused(.refused, canSample: false),
        ]
            + [number, number &- 1].flatMap { number in plans.map { .planned(number, $0) } }
            + [.fetched(count: 1, hasEventPoll: true)]
            + [.wake(.ready("x")), .lookAgain(.milliseconds(1)), .leave].map { .judged($0) }
    }

    /// Drops and lookups as the shell carries them out.
    private struct Shell: Hashable {
        var eyes = Eyes()
        var isOpen = false
        var isAsleep = false
        var wakes = 0
        var asked: UInt32 = 0

        /// What is wrong after this event; nil where nothing is.
        mutating func handle(_ event: Eyes.Event) -> String? {
            if event == .slept { (isAsleep, wakes) = (true, 0) }
            // The shell fetches only when it is told to.
            if case .fetched = event { isOpen = true }
            for action in eyes.handle(event) {
                switch action {
                case .plan(let number): asked = number
                case .drop: isOpen = false
                case .wake: wakes += 1
                case .fetch, .sample, .lookAgain, .tell: break
                }
            }
            if event == .waking {
                isAsleep = false
                if isOpen { return "a duplicate is open after the worker is let run" }
            }
            if !isAsleep, eyes.state != .closed { return "a worker that runs is watched" }
            if isAsleep, eyes.state == .closed {
                return "a sleeper is neither watched, nor is it said why not"
            }
            if wakes > 1 { return "a sleeper is woken twice" }
            if isOpen, !eyes.holdsDescriptors { return "a duplicate is open that is not known of" }
            return nil
        }
    }

    @Test func `never hold a duplicate of a worker that runs, nor leave a sleeper without a reason`() {
        var frontier: [Shell] = [Shell()]
        var seen: Set<Shell> = [Shell()]
        var steps = 0
        while let shell = frontier.popLast(), steps < 200_000 {
            for event in Self.events(shell.asked) {
                // Only a sleeper is watched: a duplicate is made by a request of the machine's alone.
                if case .fetched = event, !shell.eyes.holdsDescriptors { continue }
                if event == .slept, shell.isAsleep { continue }
                var next = shell
                steps += 1
                let problem = next.handle(event)
                #expect(problem == nil, "\(shell) \(event)")
                // Requests are counted: two are enough to tell an old answer from a new one.
                if next.asked <= 3, next.wakes <= 2, seen.insert(next).inserted { frontier.append(next) }
            }
        }
        #expect(seen.count > 15)
    }

    @Test func `drop before anything else when the worker is to run`() {
        var eyes = Eyes()
        #expect(eyes.handle(.slept) == [.plan(1)])
        let borrowed = EyePlan.Borrowed(.init(process: 1, descriptor: 3), .eventPoll)
        #expect(eyes.handle(.planned(1, .borrowed([borrowed]))) == [.fetch([borrowed])])
        #expect(eyes.handle(.fetched(count: 1, hasEventPoll: true)) == [.tell])
        #expect(eyes.handle(.judged(.wake(.ready("x")))) == [.wake(.ready("x"))])
        #expect(eyes.handle(.judged(.wake(.ready("x")))) == [])
        #expect(eyes.handle(.waking) == [.drop])
        #expect(eyes.handle(.waking) == [])
    }

    @Test func `sample where duplicates are refused, and close what came late`() {
        var eyes = Eyes()
        _ = eyes.handle(.slept)
        let borrowed = EyePlan.Borrowed(.init(process: 1, descriptor: 3), .socket(inode: 7))
        _ = eyes.handle(.planned(1, .borrowed([borrowed])))
        var blind = eyes
        #expect(eyes.handle(.refused(.refused, canSample: true)) == [.drop, .sample, .tell])
        #expect(eyes.state == .sampling(.refused))
        // Nothing tells of its sockets either.
        #expect(blind.handle(.refused(.refused, canSample: false)) == [.drop, .tell])
        #expect(blind.state == .blind(.unreadable))
        #expect(eyes.handle(.waking) == [.drop])
        #expect(eyes.handle(.fetched(count: 1, hasEventPoll: false)) == [.drop])
        #expect(eyes.handle(.planned(1, .sampled(.refused))) == [])
    }
}

@Suite("The plan of what is watched") struct EyePlanTests {
    private let systems = KernelFileSystems(sockets: 8, pipes: 12, anonymous: 14)

    private func member(_ descriptor: Int32, _ inode: UInt64, _ device: UInt64) -> EpollMember {
        EpollMember(descriptor: descriptor, events: 1, data: UInt64(descriptor), inode: inode, device: device)
    }

    private func plan(
        _ processes: [Inventory.Descriptors], _ rules: WakeRules = WakeRules(), listening: Set<UInt64> = [],
        limit: Int = 10
    ) -> EyePlan {
        EyePlan(of: Inventory(processes), rules, listening: listening, on: systems, limit: limit)
    }

    private func borrowed(
        _ process: Int32, _ descriptor: Int32, _ kind: EyePlan.Borrowed.Kind
    ) -> EyePlan.Borrowed {
        EyePlan.Borrowed(.init(process: process, descriptor: descriptor), kind)
    }

    /// A server with an epoll instance, its listener, one client and a counter.
    private func server(_ anonymous: Inventory.Kind = .eventCounter) -> Inventory.Descriptors {
        Inventory.Descriptors(
            process: 1,
            kinds: [3: .eventPoll, 4: .socket(inode: 40), 5: .socket(inode: 50), 6: anonymous, 9: .other],
            members: [3: [member(4, 40, 8), member(5, 50, 8), member(6, 1, 14)]])
    }

    @Test func `takes the epoll instance for all that it watches`() {
        #expect(plan([server()]) == .borrowed([borrowed(1, 3, .eventPoll)]))
    }

    @Test(arguments: [Inventory.Kind.signals, .timer, .eventPoll, .ioUring, .other])
    func `takes sockets one by one where polling the instance would do harm`(_ kind: Inventory.Kind) {
        let each = [borrowed(1, 4, .socket(inode: 40)), borrowed(1, 5, .socket(inode: 50))]
        #expect(plan([server(kind)]) == .borrowed(each))
    }

    @Test func `takes what the instance does not watch besides, and what processes share once`() {
        var first = server()
        first.kinds[7] = .socket(inode: 70)
        first.kinds[8] = .pipe(inode: 80)
        first.readable = [8, 10]
        // What comes through it the worker has written itself.
        first.kinds[10] = .pipe(inode: 100)
        first.kinds[11] = .pipe(inode: 100)
        let second = Inventory.Descriptors(process: 2, kinds: [4: .socket(inode: 70), 5: .pipe(inode: 90)])
        #expect(
            plan([first, second])
                == .borrowed([
                    borrowed(1, 3, .eventPoll), borrowed(1, 7, .socket(inode: 70)),
                    borrowed(1, 8, .pipe(inode: 80)),
                ]))
    }

    @Test func `leaves out a socket that is the output of a program, but for one that is its input as well`()
    {
        let journal = Inventory.Descriptors(
            process: 1, kinds: [1: .socket(inode: 40), 2: .socket(inode: 40)])
        #expect(plan([journal]) == .none(.nothingToWatch))
        #expect(SocketOwner(of: Inventory([journal]), cgroup: nil).inodes == [])
        let service = Inventory.Descriptors(
            process: 1, kinds: [0: .socket(inode: 40), 1: .socket(inode: 40)])
        #expect(plan([service]) == .borrowed([borrowed(1, 0, .socket(inode: 40))]))
        // What the supervisor sends is not what a worker waits for, and an instance with its connection tells of that.
        #expect(
            EyePlan(
                of: Inventory([server()]), WakeRules(), listening: [40], leavingOut: [50], on: systems,
                limit: 10)
                == .borrowed([borrowed(1, 4, .socket(inode: 40))]))
    }

    @Test func `leaves out pipes that are standard output or error`() {
        var sleep = Inventory.Descriptors(process: 1, kinds: [1: .pipe(inode: 40), 2: .pipe(inode: 40)])
        sleep.readable = [1, 2]
        #expect(plan([sleep]) == .none(.nothingToWatch))
    }

    @Test func `watches listeners alone where that is asked for`() {
        var rules = WakeRules()
        rules.watching = .listen
        #expect(plan([server()], rules, listening: [40]) == .borrowed([borrowed(1, 4, .socket(inode: 40))]))
        rules = WakeRules()
        rules.kinds = [.data]
        #expect(plan([server()], rules, listening: [40]) == .borrowed([borrowed(1, 5, .socket(inode: 50))]))
        // None is open yet.
        let idle = Inventory.Descriptors(process: 1, kinds: [4: .socket(inode: 40)])
        rules.watching = .listen
        #expect(plan([idle], rules, listening: [40]) == .none(.nothingCounts))
        rules.watching = .no
        #expect(plan([server()], rules, listening: [40]) == .none(.notWanted))
    }

    @Test func `arms the timers of a worker only where WakeOn= names them`() {
        var rules = WakeRules()
        let one = Inventory.Descriptors(process: 1, kinds: [3: .timer])
        #expect(plan([one]) == .none(.nothingToWatch))
        rules.kinds.insert(.timer)
        #expect(plan([one], rules) == .borrowed([borrowed(1, 3, .timer)]))
    }

    @Test func `says why nothing is duplicated`() {
        let hidden = Inventory.Descriptors(process: 2, isListed: false)
        #expect(plan([]) == .none(.nothingToWatch))
        #expect(plan([hidden]) == .sampled(.refused))
        #expect(plan([Inventory.Descriptors(process: 1), hidden]) == .sampled(.refused))
        let many = Inventory.Descriptors(
            process: 1,
            kinds: Dictionary(uniqueKeysWithValues: (3..<14).map { ($0, .socket(inode: UInt64($0))) }))
        #expect(plan([many]) == .sampled(.tooMany(11, limit: 10)))
    }
}

@Suite("The filter of wakes") struct WakeFilterTests {
    private let door = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 6379)
    private func peer(_ port: UInt16, _ address: UInt32 = 0x0a00_0007) -> Endpoint {
        Endpoint(IPAddress(ipv4: address), port: port)
    }

    private func facts(
        _ connections: [WakeFacts.Connection], waiting: UInt32? = nil, other: Bool = false
    ) -> WakeFacts {
        var facts = WakeFacts()
        facts.connections = connections
        let backlog = waiting ?? UInt32(connections.count { !$0.isAccepted })
        facts.listeners = [.init(inode: 4, name: "tcp 6379", waiting: backlog)]
        facts.mayBeOther = other
        return facts
    }

    private func knock(
        _ port: UInt16, bytes: UInt32 = 0, state: InetSocket.State = .established
    ) -> WakeFacts.Connection {
        WakeFacts.Connection(local: door, remote: peer(port), state: state, bytes: bytes)
    }

    private func open(
        _ port: UInt16, bytes: UInt32 = 0, state: InetSocket.State = .established
    ) -> WakeFacts.Connection {
        WakeFacts.Connection(local: door, remote: peer(port), state: state, bytes: bytes, isAccepted: true)
    }

    @Test func `wakes for a request at once`() {
        var filter = WakeFilter(WakeRules())
        #expect(
            filter.judge(facts([knock(1, bytes: 14)]), wasEvent: true)
                == .wake(.connection(to: "127.0.0.1:6379", from: peer(1))))
        #expect(
            filter.judge(facts([open(2, bytes: 1)]), wasEvent: true) == .wake(.data(from: peer(2))))
        // A request and the FIN behind it.
        #expect(
            filter.judge(facts([knock(3, bytes: 15, state: .closeWait)]), wasEvent: true)
                == .wake(.connection(to: "127.0.0.1:6379", from: peer(3))))
    }

    @Test func `waits a moment for a connection without a word, and wakes for it in the end`() {
        var filter = WakeFilter(WakeRules())
        let silent = facts([knock(1)])
        #expect(filter.judge(silent, wasEvent: true) == .lookAgain(.milliseconds(1)))
        #expect(filter.judge(silent, wasEvent: false) == .lookAgain(.milliseconds(5)))
        #expect(filter.judge(silent, wasEvent: false) == .lookAgain(.milliseconds(20)))
        #expect(
            filter.judge(silent, wasEvent: false) == .wake(.connection(to: "127.0.0.1:6379", from: peer(1))))
    }

    @Test func `never wakes for one without a word where a request is asked for`() {
        var rules = WakeRules()
        rules.kinds = [.request, .data]
        var filter = WakeFilter(rules)
        let silent = facts([knock(1)])
        let expected: [Int64] = [1, 5, 20, 100, 500, 500, 500]
        for span in expected {
            #expect(filter.judge(silent, wasEvent: span == 1) == .lookAgain(.milliseconds(span)))
        }
        #expect(
            filter.judge(facts([knock(1, bytes: 1)]), wasEvent: false)
                == .wake(.connection(to: "127.0.0.1:6379", from: peer(1))))
    }

    @Test func `leaves probes, port scans and the end of connections`() {
        var filter = WakeFilter(WakeRules())
        // A probe has closed already; of a scan only the count is left.
        #expect(filter.judge(facts([knock(1, bytes: 1, state: .closeWait)]), wasEvent: true) == .leave)
        #expect(filter.judge(facts([], waiting: 2, other: true), wasEvent: true) == .leave)
        #expect(
            filter.judge(
                facts([open(2, bytes: 1, state: .closeWait)], waiting: 2, other: true), wasEvent: true)
                == .leave)
        // Twenty at once, then one request.
        let probes = (10..<30).map { knock($0, bytes: 1, state: .closeWait) }
        #expect(filter.judge(facts(probes, waiting: 22, other: true), wasEvent: true) == .leave)
        #expect(
            filter.judge(facts(probes + [knock(40, bytes: 3)], waiting: 23), wasEvent: true)
                == .wake(.connection(to: "127.0.0.1:6379", from: peer(40))))
    }

    @Test func `wakes for what an epoll instance tells of that no connection explains`() {
        var filter = WakeFilter(WakeRules())
        let gone = facts([open(2, bytes: 1, state: .closeWait)], other: true)
        #expect(filter.judge(gone, wasEvent: true) == .leave)
        #expect(filter.judge(gone, wasEvent: false) == .leave)
        #expect(filter.judge(gone, wasEvent: true) == .wake(.ready("something that it waits for")))
    }

    @Test func `leaves peers that are not admitted`() {
        var rules = WakeRules()
        rules.notFrom = [IPNetwork(IPAddress(ipv4: 0x0a00_0000), prefix: 96 + 8)]
        var filter = WakeFilter(rules)
        #expect(filter.judge(facts([knock(1, bytes: 9)]), wasEvent: true) == .leave)
        let friend = WakeFacts.Connection(local: door, remote: peer(2, 0x7f00_0001), bytes: 1)
        #expect(
            filter.judge(facts([knock(1, bytes: 9), friend]), wasEvent: true)
                == .wake(.connection(to: "127.0.0.1:6379", from: friend.remote)))
        rules.from = [IPNetwork(IPAddress(ipv4: 0x0a00_0000), prefix: 96 + 8)]
        #expect(!rules.admits(IPAddress(ipv4: 0x0a00_0001)) && !rules.admits(IPAddress(ipv4: 0x7f00_0001)))
        rules.notFrom = []
        #expect(rules.admits(IPAddress(ipv4: 0x0a00_0001)) && !rules.admits(IPAddress(ipv4: 0x7f00_0001)))
    }

    @Test func `looks first until a wake has proved right, and again after one that was for nothing`() {
        let rules = WakeRules()
        var naps = NapPolicy()
        #expect(naps.looksFirst(rules))
        naps.woke(by: .data(from: peer(1)), at: .zero + .seconds(1))
        #expect(!naps.looksFirst(rules))
        _ = naps.answer(Use(.spoke(peer: "x"), at: .zero + .seconds(2)))
        #expect(!naps.looksFirst(rules))
        naps.woke(by: .ready("x"), at: .zero + .seconds(9))
        _ = naps.answer(Use(.spoke(peer: "x"), at: .zero + .seconds(2)))
        #expect(naps.looksFirst(rules))
        var strict = rules
        strict.kinds = [.request]
        naps.woke(by: .data(from: peer(1)), at: .zero + .seconds(10))
        #expect(!naps.looksFirst(rules) && naps.looksFirst(strict))
    }

    @Test func `tells one exchange on an old connection from more`() {
        var naps = NapPolicy()
        let woke = Instant.zero + .seconds(10)
        func spoke(after milliseconds: Int64) -> Use {
            Use(.spoke(peer: "x"), at: woke + .milliseconds(milliseconds))
        }
        #expect(naps.answer(spoke(after: 0)) == LastUse(at: woke))
        naps.woke(by: .data(from: peer(1)), at: woke)
        #expect(naps.answer(spoke(after: 200)).isExchange)
        #expect(!naps.answer(spoke(after: 900)).isExchange)
        #expect(!naps.answer(Use(.computes(percent: 90), at: woke)).isExchange)
        naps.woke(by: .connection(to: "x", from: peer(1)), at: woke)
        #expect(!naps.answer(spoke(after: 1)).isExchange)
        // It is closed again, and was a use all the same.
        #expect(naps.answer(nil) == LastUse(at: woke))
        #expect(naps.answer(spoke(after: -50)) == LastUse(at: woke))
        // Of that which is not explained it is not known: a probe perhaps.
        naps.woke(by: .connection(to: "x", from: nil), at: woke)
        #expect(naps.answer(nil) == LastUse(at: nil))
    }

    @Test func `tells a use that lasts from one that is over`() {
        var naps = NapPolicy()
        let woke = Instant.zero + .seconds(10)
        let lasting: [Use.Kind] = [
            .said, .unwakeable, .held(by: "x"), .owes(peer: "x", since: .zero), .connected(peer: "x"),
            .computes(percent: 90),
        ]
        for wakes in [false, true] {
            if wakes { naps.woke(by: .connection(to: "x", from: peer(1)), at: woke) }
            for kind in lasting { #expect(naps.answer(Use(kind, at: woke)) == .lasting) }
            #expect(naps.answer(Use(.passed("x"), at: woke)) == LastUse(at: woke))
        }
        naps.woke(by: .data(from: peer(1)), at: woke)
        for kind in lasting { #expect(naps.answer(Use(kind, at: woke)) == .lasting) }
    }
}
