import ConfigurationSyntax
import Idleness
import Lifecycle
import Testing

@Suite struct `A held socket` {
    private func socket(
        _ address: ListenAddress, _ kind: HeldSocket.Kind = .stream,
        _ change: (inout HeldSocket.Options) -> Void = { _ in }
    ) -> HeldSocket {
        var options = HeldSocket.Options()
        change(&options)
        return HeldSocket(kind, address, options)
    }

    private let loopback = ListenAddress.ipv4(address: 0x7f00_0001, port: 80)
    private let everywhere = ListenAddress.ipv4(address: 0, port: 80)
    private let six = ListenAddress.ipv6(address: [UInt8](repeating: 0, count: 16), port: 80, interface: nil)

    @Test func `excludes another one of its address, and no other`() {
        let cases: [(HeldSocket, HeldSocket, Bool)] = [
            (socket(.port(80)), socket(.port(80)), true),
            (socket(.port(80)), socket(.port(81)), false),
            (socket(.port(80)), socket(.port(80), .datagram), false),
            (socket(.port(53), .datagram), socket(.port(53), .datagram), true),
            (socket(.port(80)), socket(loopback), true),
            (socket(everywhere), socket(loopback), true),
            (socket(loopback), socket(.ipv4(address: 0x7f00_0002, port: 80)), false),
            (socket(six), socket(everywhere), true),
            (socket(six) { $0.ipv6Only = .only }, socket(everywhere), false),
            (socket(.port(80)) { $0.ipv6Only = .only }, socket(loopback), false),
            (socket(.port(80)) { $0.reusePort = true }, socket(.port(80)) { $0.reusePort = true }, false),
            (socket(.port(80)) { $0.reusePort = true }, socket(.port(80)), true),
            (socket(.path("/a")), socket(.path("/a"), .datagram), true),
            (socket(.path("/a")), socket(.path("/b")), false),
            (socket(.path("/a")), socket(.abstract("/a")), false),
            (socket(.abstract("a")), socket(.abstract("a")), true),
        ]
        for (one, two, excludes) in cases {
            #expect(one.excludes(two) == excludes, "\(one.words) \(two.words)")
            #expect(two.excludes(one) == excludes, "\(two.words) \(one.words)")
        }
    }

    @Test func `is told as its directive has it`() {
        let cases: [(HeldSocket, String, String)] = [
            (socket(.port(80)), "tcp 80", "ListenStream=80"),
            (socket(loopback), "tcp 127.0.0.1:80", "ListenStream=127.0.0.1:80"),
            (socket(.port(53), .datagram), "udp 53", "ListenDatagram=53"),
            (socket(six), "tcp [::]:80", "ListenStream=[::]:80"),
            (socket(.path("/run/a"), .fifo), "/run/a", "ListenFIFO=/run/a"),
            (socket(.abstract("a"), .sequentialPacket), "@a", "ListenSequentialPacket=@a"),
        ]
        for (socket, words, spelling) in cases {
            #expect(socket.words == words && socket.spelling == spelling)
        }
    }

    @Test func `stays at a reload that leaves its address, and is tuned`() {
        let old = [socket(.port(80)), socket(.port(81)), socket(.path("/a"))]
        let tuned = socket(.port(80)) { $0.backlog = 1 }
        let rebound = socket(.port(81)) { $0.freeBind = true }
        let change = HeldSocket.Change(from: old, to: [socket(.port(82)), rebound, tuned])
        #expect(change.closed == [socket(.port(81)), socket(.path("/a"))])
        #expect(change.kept == [.init(socket(.port(80)), tuned)])
        #expect(change.kept.allSatisfy { $0.isTuned })
        #expect(change.opened == [socket(.port(82)), rebound])
        let none = HeldSocket.Change(from: old, to: old.reversed())
        #expect(none.closed.isEmpty && none.opened.isEmpty && none.kept.count == 3)
        #expect(!none.kept.contains { $0.isTuned })
    }
}

@Suite struct `The door of a worker` {
    private func rules(_ watching: WakeRules.Watching) -> WakeRules {
        var rules = WakeRules()
        rules.watching = watching
        return rules
    }

    @Test func `is watched, open or closed as the worker stands`() {
        let cases: [(HeldDoor.Facts, HeldDoor)] = [
            (.init(.notRunning, rest: .neverLaunched), .watched),
            (.init(.notRunning, rest: .exited), .watched),
            (.init(.notRunning, rest: .evicted), .watched),
            (.init(.notRunning, rest: .failed), .watched),
            (.init(.notRunning, rest: .failed, isStartLimited: true), .closed(.startLimit)),
            // An operator's launch begins a new count.
            (.init(.notRunning, rest: .exited, isStartLimited: true), .watched),
            (.init(.notRunning, rest: .forceQuit), .closed(.forceQuit)),
            // It is on its way.
            (.init(.notRunning, rest: .backingOff), .open),
            (.init(.notRunning), .open),
            (.init(.inactive), .open), (.init(.active), .open), (.init(.background), .open),
            (.init(.suspended), .watched),
            // Its own descriptors are watched, and these among them.
            (.init(.suspended, seesItself: true), .open),
            // Another program stopped it: only that one, or an operator, lets it go on.
            (.init(.suspended, isHeld: true), .open),
        ]
        for (facts, door) in cases {
            #expect(HeldDoor(facts, rules(.auto)) == door, "\(facts)")
            #expect(HeldDoor(facts, rules(.held)) == door, "\(facts)")
            if door == .watched { #expect(HeldDoor(facts, rules(.no)) == .open, "\(facts)") }
        }
    }

    @Test func `every state has one`() {
        for state in State.allCases {
            for rest in RestReason.allCases.map(Optional.some) + [nil] {
                for flags in 0..<16 {
                    var facts = HeldDoor.Facts(
                        state, rest: rest, isHeld: flags & 1 != 0, isStartLimited: flags & 2 != 0,
                        seesItself: flags & 4 != 0)
                    facts.lacksRelay = flags & 8 != 0
                    let door = HeldDoor(facts, WakeRules())
                    if facts.lacksRelay {
                        #expect(door == .closed(.noRelay))
                        continue
                    }
                    // It is closed only where no client can be served, and never beside a process.
                    if case .closed = door { #expect(state == .notRunning && rest != nil) }
                    // Only what has no process that runs is brought by a client.
                    if door == .watched { #expect(state == .notRunning || state == .suspended) }
                }
            }
        }
    }

    @Test func `what was stored goes with an end for good`() {
        let kept: [RestReason?] = [nil, .neverLaunched, .evicted, .backingOff]
        let dropped: [RestReason] = [.exited, .failed, .forceQuit]
        #expect(kept.allSatisfy { !HeldDoor.dropsStored($0) })
        #expect(dropped.allSatisfy { HeldDoor.dropsStored($0) })
    }

    @Test func `what comes counts by the rules of the worker`() {
        let near = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 1000)
        let far = Endpoint(IPAddress(ipv4: 0x0a00_0005), port: 1000)
        var strict = WakeRules()
        strict.notFrom = [IPNetwork(IPAddress(ipv4: 0x0a00_0005), prefix: 128)]
        var deaf = WakeRules()
        deaf.kinds = [.data]
        let cases: [(DoorNews, WakeRules, String?)] = [
            (.nothing, WakeRules(), nil), (.knock, WakeRules(), nil),
            (.connection, WakeRules(), "a connection to door"), (.connection, deaf, nil),
            (.input, WakeRules(), "input through door"), (.input, deaf, nil),
            (.datagrams(from: []), WakeRules(), "a datagram to door"), (.datagrams(from: []), deaf, nil),
            (.datagrams(from: [far]), WakeRules(), "a datagram from 10.0.0.5:1000 to door"),
            (.datagrams(from: [far]), strict, nil),
            // The one behind it counts, although the first waits in front of it.
            (.datagrams(from: [far, near]), strict, "a datagram from 127.0.0.1:1000 to door"),
        ]
        for (news, rules, words) in cases {
            #expect(news.reason(at: "door", by: rules)?.words == words, "\(news)")
        }
        for watching in WakeRules.Watching.allCases {
            let isHeard = rules(watching).atDoors.hearsConnections
            #expect(isHeard == (watching != .no))
        }
    }

    @Test func `operators are told by which of them a worker is brought`() {
        let held = [
            HeldSocketStatus(HeldSocket(.stream, .port(80)), .watched, queue: .init(waiting: 2, most: 2)),
            HeldSocketStatus(HeldSocket(.stream, .path("/run/a")), .watched),
            HeldSocketStatus(HeldSocket(.datagram, .port(53)), .failed("the address is in use")),
        ]
        #expect(held.wakesBy == "tcp 80, /run/a (held by the supervisor)")
        #expect(held.word == "tcp 80")
        #expect(
            held.map(\.words) == [
                "open, 2 of at most 2 connections waiting; the queue is full, and further clients retry",
                "open", "not open: the address is in use",
            ])
        #expect([HeldSocketStatus(HeldSocket(.datagram, .port(53)), .watched)].word == "udp 53")
        #expect([HeldSocketStatus(HeldSocket(.fifo, .path("/f")), .watched)].word == "sockets")
        #expect([HeldSocketStatus(HeldSocket(.stream, .port(80)), .open)].wakesBy == nil)
    }
}
