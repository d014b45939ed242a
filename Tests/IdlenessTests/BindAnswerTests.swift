import Testing

@testable import Idleness

@Suite("What a worker's bind(2) is answered") struct BindAnswerTests {
    private static func four(_ bytes: [UInt8], port: UInt16) -> Endpoint {
        Endpoint(IPAddress(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) }), port: port)
    }

    private static func six(_ text: String, port: UInt16) -> Endpoint {
        Endpoint(IPAddress(text) ?? IPAddress(ipv4: 0), port: port)
    }

    private static let local = four([127, 0, 0, 1], port: 80)
    private static let every = four([0, 0, 0, 0], port: 80)
    private static let everySix = six("::", port: 80)

    private static func own(
        _ kind: SocketTraits.Kind = .tcp, isIPv6: Bool = false, only: Bool = false, inode: UInt64 = 1,
        isHere: Bool = true
    ) -> SocketTraits {
        SocketTraits(kind, isIPv6: isIPv6, isIPv6Only: only, inode: inode, isHere: isHere)
    }

    private static func door(
        _ endpoint: Endpoint, _ kind: SocketTraits.Kind = .tcp, place: Int = 3, isIPv6: Bool = false,
        only: Bool = false, inode: UInt64 = 99
    ) -> LentDoor {
        LentDoor(place, endpoint, own(kind, isIPv6: isIPv6, only: only, inode: inode))
    }

    private struct Row {
        let name: String
        var address: BindAddress? = BindAddress(local, isIPv6: false)
        var traits = own()
        var doors = [door(local)]
        let answer: BindAnswer
    }

    private static let udp = door(local, .udp)
    private static let mapped = door(local, isIPv6: true)
    private static let dual = door(everySix, isIPv6: true)
    private static let only = door(everySix, isIPv6: true, only: true)
    private static let toEvery = BindAddress(every, isIPv6: false)
    private static let toEverySix = BindAddress(everySix, isIPv6: true)

    private static let rows: [Row] = [
        Row(name: "the same", answer: .give(3)),
        Row(name: "no door", doors: [], answer: .goesOn),
        Row(name: "no address of the internet", address: nil, answer: .goesOn),
        Row(name: "no socket of the internet", traits: own(.other), answer: .goesOn),
        Row(name: "in a network namespace of its own", traits: own(isHere: false), answer: .goesOn),
        Row(name: "a socket of the other family", traits: own(isIPv6: true), answer: .goesOn),
        Row(
            name: "any port", address: BindAddress(four([127, 0, 0, 1], port: 0), isIPv6: false),
            answer: .goesOn),
        Row(
            name: "another port", address: BindAddress(four([127, 0, 0, 1], port: 81), isIPv6: false),
            answer: .goesOn),
        Row(
            name: "another address", address: BindAddress(four([10, 0, 0, 1], port: 80), isIPv6: false),
            answer: .goesOn),
        Row(name: "UDP beside TCP", traits: own(.udp), answer: .goesOn),
        Row(name: "UDP", traits: own(.udp), doors: [door(local), udp], answer: .give(3)),
        Row(name: "again, after an interruption", traits: own(inode: 99), answer: .given(3)),
        Row(
            name: "the second of two at one address", traits: own(inode: 7),
            doors: [door(local, place: 0, inode: 98), door(local, place: 1)], answer: .give(0)),
        Row(
            name: "again, the second of two", traits: own(inode: 99),
            doors: [door(local, place: 0, inode: 98), door(local, place: 1)], answer: .given(1)),
        Row(name: "every address, and one is open", address: toEvery, answer: .yields([3])),
        Row(name: "one address, and every is open", doors: [door(every)], answer: .yields([3])),
        Row(name: "every address", address: toEvery, doors: [door(every)], answer: .give(3)),
        Row(
            name: "one of IPv4 by IPv6", address: BindAddress(local, isIPv6: true),
            traits: own(isIPv6: true), doors: [mapped], answer: .give(3)),
        Row(name: "one of IPv4, that is open by IPv6", doors: [mapped], answer: .yields([3])),
        Row(
            name: "every address of both", address: toEverySix, traits: own(isIPv6: true), doors: [dual],
            answer: .give(3)),
        Row(
            name: "every address of both, and IPv6 alone is open", address: toEverySix,
            traits: own(isIPv6: true), doors: [only], answer: .yields([3])),
        Row(
            name: "every address of IPv6 alone, and both are open", address: toEverySix,
            traits: own(isIPv6: true, only: true), doors: [dual], answer: .yields([3])),
        Row(
            name: "IPv6 alone beside IPv4", address: toEverySix, traits: own(isIPv6: true, only: true),
            doors: [door(every)], answer: .goesOn),
        Row(
            name: "both beside IPv4", address: toEverySix, traits: own(isIPv6: true), doors: [door(every)],
            answer: .yields([3])),
        Row(name: "IPv4 beside both", address: toEvery, doors: [dual], answer: .yields([3])),
        Row(name: "IPv4 beside IPv6 alone", address: toEvery, doors: [only], answer: .goesOn),
        Row(
            name: "both of two are in the way", address: toEvery,
            doors: [door(local, place: 0), door(four([10, 0, 0, 1], port: 80), place: 1)],
            answer: .yields([0, 1])),
        Row(
            name: "an address of one link",
            address: BindAddress(six("fe80::1", port: 80), isIPv6: true, scope: 2),
            traits: own(isIPv6: true), doors: [door(six("fe80::1", port: 80), isIPv6: true)],
            answer: .yields([3])),
    ]

    @Test func `is the socket that stands for its own, and else what the kernel says`() {
        for row in Self.rows {
            #expect(BindAnswer(row.address, of: row.traits, row.doors) == row.answer, "\(row.name)")
        }
    }

    @Test func `never gives one away that differs in its kind, its family or its address`() {
        let endpoints = [Self.local, Self.every, Self.everySix, Self.six("::1", port: 80)]
        let kinds: [SocketTraits.Kind] = [.tcp, .udp, .other]
        let flags = [false, true]
        let traits = kinds.flatMap { kind in
            flags.flatMap { six in flags.map { Self.own(kind, isIPv6: six, only: $0) } }
        }
        var given = 0
        for open in endpoints {
            for held in traits {
                let door = LentDoor(
                    0, open,
                    SocketTraits(held.kind, isIPv6: held.isIPv6, isIPv6Only: held.isIPv6Only, inode: 9))
                for wanted in endpoints {
                    for own in traits {
                        let address = BindAddress(wanted, isIPv6: own.isIPv6)
                        guard BindAnswer(address, of: own, [door]) == .give(0) else { continue }
                        given += 1
                        #expect(open == wanted && own.kind == held.kind && own.kind != .other)
                        #expect(own.isIPv6 == held.isIPv6 && own.isIPv6Only == held.isIPv6Only)
                    }
                }
            }
        }
        #expect(given == 4 * 2 * 2 * 2)
    }

    @Test func `an address is read as the kernel reads it`() {
        let head: [UInt8] = [2, 0, 0x1f, 0x90]
        let zeros = [UInt8](repeating: 0, count: 8)
        let v4 = BindAddress(Self.four([127, 0, 0, 1], port: 8080), isIPv6: false)
        #expect(BindAddress(bytes: head + [127, 0, 0, 1] + zeros) == v4)
        #expect(BindAddress(bytes: head + [127, 0, 0, 1] + zeros.dropLast()) == nil)
        let any = BindAddress(Self.four([0, 0, 0, 0], port: 8080), isIPv6: false)
        #expect(BindAddress(bytes: [0, 0, 0x1f, 0x90, 0, 0, 0, 0] + zeros) == any)
        #expect(BindAddress(bytes: [0, 0, 0x1f, 0x90, 127, 0, 0, 1] + zeros) == nil)
        let link: [UInt8] = [0xfe, 0x80] + zeros.dropFirst(2) + zeros.dropFirst() + [1]
        let v6: [UInt8] = [10, 0, 0x1f, 0x90, 0, 0, 0, 0] + link
        #expect(
            BindAddress(bytes: v6 + [2, 0, 0, 0])
                == BindAddress(Self.six("fe80::1", port: 8080), isIPv6: true, scope: 2))
        #expect(BindAddress(bytes: v6) == BindAddress(Self.six("fe80::1", port: 8080), isIPv6: true))
        #expect(BindAddress(bytes: Array(v6.dropLast())) == nil)
        #expect(BindAddress(bytes: [1, 0] + Array("/run/a.sock".utf8) + zeros) == nil)
        #expect(BindAddress(bytes: []) == nil)
    }

    @Test func `each reason why it cannot be told has one line that mends it`() {
        func remedy(_ attempt: LendingProspect.Attempt, isFiltered: Bool = false) -> String? {
            let prospect = LendingProspect(attempt, isFiltered: isFiltered)
            #expect((prospect.gap == nil) == (prospect.verdict.remedy == nil))
            return prospect.verdict.remedy
        }
        #expect(remedy(.told(losesPrivileges: false)) == nil)
        #expect(remedy(.told(losesPrivileges: true)) == nil)
        #expect(
            LendingProspect(.told(losesPrivileges: true), isFiltered: false).verdict.sentence
                .contains("no_new_privs"))
        #expect(remedy(.refused)?.contains("seccomp(2)") == true)
        #expect(remedy(.refused, isFiltered: true)?.contains("SystemCallFilter=seccomp") == true)
        #expect(remedy(.missing)?.contains("5.9") == true)
        #expect(remedy(.taken, isFiltered: true)?.contains("container") == true)
        #expect(remedy(.failed("seccomp: no memory")) != nil)
    }
}
