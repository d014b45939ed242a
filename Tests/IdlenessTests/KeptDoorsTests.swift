import Testing

@testable import Idleness

@Suite("The sockets of a worker that is gone") struct KeptDoorsTests {
    private static let ways: [DoorWay] = [
        .migrate(binds: true), .migrate(binds: false), .splice(staysOpen: true), .splice(staysOpen: false),
        .lend, .bell,
    ]

    /// What the shell has open, by what it was told.
    private struct Shell: Hashable {
        enum Place: Hashable { case open, taken, forwarded, moved, closed }

        var model = KeptDoors(count: 2)
        var places = [Place.open, .open]
        var listens = [false, false]
        var isWatched = true
        var listensFor: Set<Int> = []
        var isShared = false
        /// Between its launch and its end.
        var hasLaunch = false

        /// What is wrong after this event; nil where nothing is.
        mutating func handle(_ event: KeptDoors.Event) -> String? {
            switch event {
            case .launching: (hasLaunch, listens) = (true, [false, false])
            case .launchFailed, .ended: hasLaunch = false
            case .listening(let places) where hasLaunch: for place in places { listens[place] = true }
            case .listening, .knocked, .ready, .expired, .close, .lent, .inTheWay, .cannotLend: break
            }
            var wakes = 0
            for action in model.handle(event) {
                if let problem = perform(action, &wakes) { return "\(problem) after \(event)" }
            }
            if event == .close, places.contains(.open) || places.contains(.taken) {
                return "something is left after the end"
            }
            if wakes > 0, hasLaunch { return "it is launched twice" }
            if model.phase == .over {
                if isWatched || isShared || !listensFor.isEmpty { return "something goes on after the end" }
                if places.contains(.open) || places.contains(.taken) { return "something is left" }
            }
            if isWatched != (model.phase == .holding) { return "clients are not waited for as it stands" }
            for (place, door) in model.doors.enumerated() where door.isOpen != (places[place] == .open) {
                return "what is open is not known"
            }
            return nil
        }

        private mutating func perform(_ action: KeptDoors.Action, _ wakes: inout Int) -> String? {
            func change(_ place: Int, from: Place, to: Place) -> String? {
                guard places[place] == from else { return "\(action) of what is \(places[place])" }
                places[place] = to
                return nil
            }
            switch action {
            case .watch: isWatched = true
            case .unwatch: isWatched = false
            case .wake: wakes += 1
            case .close(let place): return change(place, from: .open, to: .closed)
            case .share(let shared):
                guard shared.allSatisfy({ places[$0] == .open }) else { return "shares what is closed" }
                isShared = true
            case .unshare: isShared = false
            case .take(let place): return change(place, from: .open, to: .taken)
            case .lend(let place): return change(place, from: .open, to: .moved)
            case .listen(let places): listensFor = Set(places)
            case .stopListening: listensFor = []
            case .migrate(let place):
                if !listens[place] { return "connections are moved to nothing" }
                return change(place, from: .open, to: .moved)
            case .forward(let place):
                if !listens[place] { return "connections are passed to nothing" }
                return change(place, from: .taken, to: .forwarded)
            case .dismiss(let place): return change(place, from: .taken, to: .closed)
            }
            return nil
        }
    }

    private static let events: [KeptDoors.Event] =
        [.knocked, .ready, .launchFailed, .ended, .expired, .close]
        + [[0], [1], [0, 1]].map { .listening($0) } + [.lent(0), .lent(1), .lent(2)]
        + [[0], [1], [0, 1, 2]].map { .inTheWay($0) }
        + ways.flatMap { first in ways.map { .cannotLend([first, $0]) } }
        + ways.flatMap { first in
            ways.flatMap { second in
                [false, true].map { .launching([first, second], waitsForReady: $0) }
            }
        }

    @Test func `are handed over once and to a listener, or closed, in every order of events`() {
        var frontier = [Shell()]
        var seen: Set<Shell> = [Shell()]
        while let shell = frontier.popLast() {
            for event in Self.events {
                // The shell launches one process after the other, and tells only of a launch that there is.
                if case .launching = event, shell.hasLaunch { continue }
                if !shell.hasLaunch, [.launchFailed, .ended].contains(event) { continue }
                if case .lent = event, !shell.hasLaunch { continue }
                var next = shell
                if let problem = next.handle(event) {
                    Issue.record("\(problem), in \(shell)")
                    return
                }
                if seen.insert(next).inserted { frontier.append(next) }
            }
        }
        #expect(seen.count > 200)
        print("\(seen.count) states of two doors")
    }

    @Test func `a process that could not bind beside the duplicate is followed by one that need not`() {
        var doors = KeptDoors(count: 1)
        #expect(doors.handle(.knocked) == [.unwatch, .wake])
        let first = doors.handle(.launching([.migrate(binds: true)], waitsForReady: false))
        #expect(first == [.share([0]), .listen([0])])
        #expect(doors.handle(.ended) == [.stopListening, .unshare, .wake])
        #expect(doors.mayNotShare)
        let second = doors.handle(.launching([.splice(staysOpen: false)], waitsForReady: false))
        #expect(second == [.take(0), .listen([0])])
        #expect(doors.handle(.listening([0])) == [.forward(0), .stopListening, .unshare])
        #expect(doors.phase == .over)
    }

    @Test func `a process that was thought to share the port is followed by one that need not`() {
        var doors = KeptDoors(count: 1)
        #expect(doors.handle(.knocked) == [.unwatch, .wake])
        #expect(doors.handle(.launching([.migrate(binds: false)], waitsForReady: false)) == [.listen([0])])
        #expect(doors.handle(.ended) == [.stopListening, .unshare, .wake])
        #expect(doors.mayNotShare)
    }

    @Test func `a launch that came to no process keeps them open, and their clients waiting`() {
        var doors = KeptDoors(count: 1)
        _ = doors.handle(.knocked)
        _ = doors.handle(.launching([.migrate(binds: true)], waitsForReady: false))
        #expect(doors.handle(.launchFailed) == [.stopListening, .unshare, .watch])
        #expect(doors.doors == [.open] && !doors.mayNotShare)
        #expect(doors.handle(.close) == [.unwatch, .close(0)])
    }

    @Test func `Type=notify listens when it is ready, and gives up the rest when its time is over`() {
        var doors = KeptDoors(count: 2)
        let ways = [DoorWay.migrate(binds: false), .splice(staysOpen: true)]
        #expect(doors.handle(.launching(ways, waitsForReady: true)) == [.unwatch, .listen([0, 1])])
        #expect(doors.handle(.listening([0])) == [])
        #expect(doors.handle(.ready) == [.migrate(0)])
        #expect(doors.handle(.expired) == [.close(1), .stopListening, .unshare])
    }

    @Test func `a worker that is given a socket where it binds has it from there on, and the others later`() {
        var doors = KeptDoors(count: 3)
        #expect(doors.handle(.knocked) == [.unwatch, .wake])
        let ways = [DoorWay.lend, .lend, .lend]
        #expect(doors.handle(.launching(ways, waitsForReady: true)) == [.listen([0, 1, 2])])
        // It is given before it is ready, and it is not looked for.
        #expect(doors.handle(.listening([0])) == [])
        #expect(doors.handle(.lent(1)) == [.lend(1)])
        #expect(doors.handle(.lent(1)) == [])
        #expect(doors.handle(.ready) == [])
        #expect(doors.handle(.inTheWay([0, 1])) == [.close(0)])
        // What it does not bind in time is closed.
        #expect(doors.handle(.expired) == [.close(2), .stopListening, .unshare])
        #expect(doors.doors == [.over(.closed), .over(.handedOver), .over(.closed)])
    }

    @Test func `a worker that ends before it binds leaves its clients to the next one`() {
        var doors = KeptDoors(count: 1)
        _ = doors.handle(.launching([.lend], waitsForReady: false))
        #expect(doors.handle(.ended) == [.stopListening, .unshare, .watch])
        #expect(doors.doors == [.open] && !doors.mayNotShare)
        _ = doors.handle(.launching([.lend], waitsForReady: false))
        #expect(doors.handle(.lent(0)) == [.lend(0), .stopListening, .unshare])
        #expect(doors.phase == .over)
    }

    @Test func `a worker that turns out not to be given any goes the next best way`() {
        var doors = KeptDoors(count: 2)
        _ = doors.handle(.launching([.lend, .lend], waitsForReady: false))
        let instead = doors.handle(.cannotLend([.migrate(binds: true), .bell]))
        #expect(instead == [.close(1), .share([0]), .listen([0])])
        #expect(doors.handle(.listening([0])) == [.migrate(0), .stopListening, .unshare])
        #expect(doors.phase == .over)
    }

    // MARK: the way

    private struct Choice {
        let place: DoorPlace
        var shares = false
        var asked = HandOver.auto
        var facts = HandOverFacts(lendingGap: "no seccomp")
        let way: DoorWay
        var reason: String?
    }

    private static let tcp = DoorPlace.tcp(Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 80))
    private static let udp = DoorPlace.udp(Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 53))
    private static let noBPF = HandOverFacts(migrationGap: "no bpf", lendingGap: "no seccomp")
    private static let nothing = HandOverFacts(
        migrationGap: "no bpf", relayGap: "no relay", lendingGap: "no seccomp")
    private static let bound = "a Unix socket is bound anew: a connection that waits is closed"
    private static let lost = "a datagram that waits is lost"

    private static let choices: [Choice] = [
        Choice(place: tcp, way: .migrate(binds: true)),
        Choice(place: tcp, shares: true, way: .migrate(binds: false)),
        Choice(place: tcp, facts: noBPF, way: .splice(staysOpen: false), reason: "no bpf"),
        Choice(place: tcp, shares: true, facts: noBPF, way: .splice(staysOpen: true), reason: "no bpf"),
        Choice(place: tcp, facts: nothing, way: .bell, reason: "no bpf; no relay"),
        Choice(place: tcp, asked: .splice, way: .splice(staysOpen: false)),
        Choice(place: tcp, asked: .splice, facts: nothing, way: .bell, reason: "no relay"),
        Choice(place: tcp, asked: .no, way: .bell, reason: "HandOver=no"),
        Choice(place: tcp, asked: .handover, way: .migrate(binds: true), reason: "no seccomp"),
        Choice(
            place: tcp, asked: .handover, facts: noBPF, way: .splice(staysOpen: false),
            reason: "no seccomp; no bpf"),
        Choice(place: tcp, asked: .handover, facts: HandOverFacts(), way: .lend),
        Choice(place: udp, asked: .handover, facts: HandOverFacts(), way: .lend),
        Choice(place: udp, way: .bell, reason: lost),
        Choice(place: udp, asked: .handover, way: .bell, reason: "no seccomp; \(lost)"),
        Choice(place: .unix("@a"), asked: .handover, facts: HandOverFacts(), way: .bell, reason: bound),
        Choice(place: .unix("/run/a"), way: .bell, reason: bound),
        Choice(place: .unix("/run/a"), asked: .splice, way: .bell, reason: bound),
    ]

    @Test func `go the best way that there is, and say why it is no better one`() {
        for row in Self.choices {
            let choice = DoorChoice(row.place, sharesPort: row.shares, row.asked, row.facts)
            #expect(choice.way == row.way, "\(row)")
            #expect(choice.reason == row.reason, "\(row)")
        }
    }

    @Test func `a Unix connection is never accepted by the supervisor, whatever is asked for`() {
        for asked in HandOver.allCases {
            for facts in [HandOverFacts(), Self.noBPF, Self.nothing] {
                #expect(DoorChoice(.unix("@a"), sharesPort: false, asked, facts).way == .bell)
            }
        }
    }

    // MARK: words

    @Test func `are told with their way, its reason and a full backlog`() {
        let migrated = DoorChoice(Self.tcp, sharesPort: false, .auto, HandOverFacts())
        let refused = DoorChoice(Self.tcp, sharesPort: false, .auto, Self.nothing)
        #expect(DoorSight([.init(Self.tcp, migrated)]).words == "tcp 127.0.0.1:80 (migrate)")
        #expect(
            DoorSight([.init(Self.tcp, refused, backlog: .init(waiting: 2, limit: 5))]).words
                == "tcp 127.0.0.1:80 (no: no bpf; no relay; 2 of 5 in its backlog)")
        #expect(
            DoorSight([.init(Self.tcp, migrated, backlog: .init(waiting: 6, limit: 5))], accepted: 1).words
                == "tcp 127.0.0.1:80 (migrate; its backlog of 5 is full: further connections are dropped, and tried again by their clients), 1 accepted connection"
        )
    }

    @Test func `each gap of this machine has one line that mends it`() {
        func verdict(
            _ attempt: DoorProspect.Attempt, hasGroups: Bool = true, lacking: [String] = [],
            isFiltered: Bool = false
        ) -> String? {
            let prospect = DoorProspect(
                attempt: attempt, hasGroups: hasGroups, lacking: lacking, isFiltered: isFiltered)
            #expect((prospect.gap == nil) == (prospect.verdict.remedy == nil))
            return prospect.verdict.remedy
        }
        #expect(verdict(.moved(isTold: true)) == nil)
        #expect(verdict(.moved(isTold: false)) == nil)
        #expect(verdict(.moved(isTold: true), hasGroups: false)?.contains("Delegate=yes") == true)
        #expect(
            verdict(.refused, lacking: ["CAP_BPF", "CAP_NET_ADMIN"])
                == "run the supervisor as root, with CAP_BPF CAP_NET_ADMIN in CapabilityBoundingSet= of the unit"
        )
        #expect(verdict(.refused, isFiltered: true)?.contains("SystemCallFilter=bpf") == true)
        #expect(verdict(.refused)?.contains("kernel_lockdown(7)") == true)
        #expect(verdict(.missing)?.contains("CONFIG_BPF_SYSCALL") == true)
        #expect(verdict(.missing, isFiltered: true)?.contains("SystemCallFilter=bpf") == true)
        #expect(verdict(.failed("bpf: invalid"))?.contains("5.14") == true)
    }
}
