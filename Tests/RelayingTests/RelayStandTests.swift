import Relaying
import Testing

@Suite struct `The relay of a worker` {
    private static func terms(forwards: Bool, shows: Bool) -> RelayTerms {
        var terms = RelayTerms()
        if forwards { terms.target = .ipv4(0x7f00_0001, port: 8081) }
        if shows { terms.page = .builtIn }
        return terms
    }

    struct Case: Sendable {
        let life: RelayStand.Life
        /// With `ForwardTo=`, with `Placeholder=`, and with both.
        let forwards: RelayStand
        let shows: RelayStand
        let both: RelayStand
    }

    static let cases: [Case] = [
        Case(
            life: .resting(isClosed: false), forwards: .none(isClosed: false), shows: .none(isClosed: false),
            both: .none(isClosed: false)),
        Case(
            life: .resting(isClosed: true), forwards: .none(isClosed: true), shows: .none(isClosed: true),
            both: .none(isClosed: true)),
        Case(
            life: .launching(0), forwards: .soon(.max), shows: .soon(2_000_000), both: .soon(2_000_000)),
        Case(
            life: .launching(1_999_999), forwards: .soon(.max), shows: .soon(1), both: .soon(1)),
        Case(life: .launching(2_000_000), forwards: .soon(.max), shows: .shows, both: .shows),
        Case(life: .running, forwards: .forwards, shows: .leaves, both: .forwards),
        Case(life: .sleeping(isBlind: false), forwards: .forwards, shows: .leaves, both: .forwards),
        Case(life: .sleeping(isBlind: true), forwards: .holds, shows: .leaves, both: .holds),
    ]

    @Test(arguments: cases) func `stands as the worker does`(_ each: Case) {
        #expect(RelayStand(each.life, Self.terms(forwards: true, shows: false)) == each.forwards)
        #expect(RelayStand(each.life, Self.terms(forwards: false, shows: true)) == each.shows)
        #expect(RelayStand(each.life, Self.terms(forwards: true, shows: true)) == each.both)
        // A sleeper never has a page, and a worker without either directive never a relay.
        #expect(RelayStand(each.life, RelayTerms()) == .none(isClosed: false))
    }

    @Test func `is told of in words`() {
        var counts = RelayCounts()
        (counts.open, counts.waiting, counts.forwarded, counts.pages) = (1, 2, 30, 1)
        let (forwards, shows) = (
            Self.terms(forwards: true, shows: false), Self.terms(forwards: false, shows: true)
        )
        #expect(
            RelayStand.forwards.words(forwards, counts)
                == "forwarded to 127.0.0.1:8081: 1 connection, 2 waiting, 30 so far")
        #expect(RelayStand.none(isClosed: false).words(forwards, counts) == "forwarded to 127.0.0.1:8081")
        #expect(RelayStand.none(isClosed: false).words(shows, counts) == nil)
        #expect(
            RelayStand.shows.words(shows, counts)
                == "browsers see a page while it is launched (1 page shown, 2 connections waiting)")
        #expect(RelayStand.leaves.words(shows, counts) == nil)
    }
}
