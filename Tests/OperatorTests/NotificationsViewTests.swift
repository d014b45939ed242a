import ControlAPI
import Operator
import Testing
import Varlink

@Suite struct `What waits for a worker is shown` {
    private typealias API = SupervisorInterface

    private static let clock = WallClock(now: 1_795_341_600_000_000)
    private static let plain = Style(width: nil)

    @Test func `with what is scheduled, and what is in the way`() {
        let now = Self.clock.now
        let reply = API.Notifications.Reply(
            notifications: [
                .init(
                    topic: "settingsChanged", sequence: 4, rule: .count, count: 50, first: now - 9_000_000,
                    last: now - 3_000_000, inFlight: true, survives: true),
                .init(
                    topic: "devicesChanged", sequence: 12, rule: .set, count: 2, first: now, last: now,
                    added: ["a", "b"], removed: ["c"], inFlight: false, survives: true),
                .init(
                    topic: "chat", sequence: 13, rule: .each, count: 1, first: now, last: now,
                    payload: ["text": "hi"],
                    dropped: 7, inFlight: false, survives: true),
            ],
            scheduled: [
                .init(
                    id: 1, topic: "tick", rule: .count, payload: ["a": 1], at: now + 60_000_000,
                    everyUsec: 3_600_000_000, wake: true),
                .init(id: 2, topic: "once", rule: .latest, at: now + 120_000_000, wake: false),
            ], bytes: 1234, problem: "exit status 1", retryUsec: 4_000_000)
        #expect(
            NotificationsView(reply, at: Self.clock).rendered(Self.plain) == """
                TOPIC           NUMBER POSTS LAST   DETAILS
                settingsChanged      4    50 3s ago being delivered
                devicesChanged      12     2 now    + a b; - c
                chat                13     1 now    {"text":"hi"}; 7 dropped before it

                SCHEDULED NUMBER DUE                         EVERY DETAILS
                tick           1 Sun 2026-11-22 10:01:00 UTC 1h    wakes it; {"a":1}
                once           2 Sun 2026-11-22 10:02:00 UTC -\u{20}\u{20}\u{20}\u{20}\u{20}

                not delivered: exit status 1; retry in 4s

                3 notifications, 1.2K, 2 scheduled.

                """)
    }

    @Test func `with what is set aside apart from it`() {
        let now = Self.clock.now
        let reply = API.Notifications.Reply(
            notifications: [
                .init(
                    topic: "chat", sequence: 13, rule: .each, count: 1, first: now, last: now,
                    inFlight: false, survives: true, deaths: 1),
                .init(
                    topic: "news", sequence: 7, rule: .latest, count: 1, first: now, last: now,
                    payload: ["a": 1], inFlight: false, survives: true,
                    deaths: 2, setAside: true),
            ], scheduled: [], bytes: 200)
        #expect(
            NotificationsView(reply, at: Self.clock).rendered(Self.plain) == """
                TOPIC NUMBER POSTS LAST DETAILS
                chat      13     1 now  the worker died during delivery once

                SET ASIDE NUMBER POSTS LAST DETAILS
                news           7     1 now  the worker died during delivery 2 times; {"a":1}

                1 notification, 1 set aside, 200B.

                """)
    }

    @Test func `in a line when nothing does`() {
        let reply = API.Notifications.Reply(notifications: [], scheduled: [], bytes: 0)
        #expect(NotificationsView(reply, at: Self.clock).rendered(Self.plain) == "0 notifications, 0B.\n")
    }

    @Test func `in a line for each worker that did not take a post, or will get it later`() {
        let view = PostView([
            .init(name: "a", sequence: 1), .init(name: "b", schedule: 3),
            .init(name: "c", obstacle: .full, message: "its queue is full"),
            .init(name: "d", sequence: 2, message: "it wakes nothing"),
        ])
        #expect(
            view.rendered(Self.plain)
                == "b: scheduled as number 3\nc: its queue is full\nd: it wakes nothing\n")
    }

    @Test(
        arguments: [
            ("+5min", 300_000_000), ("+1h 30s", 3_630_000_000), ("@1795341601", 1_000_000),
            ("tomorrow", 50_400_000_000), ("2026-11-22 10:30", 1_800_000_000),
            ("10:00:01", 1_000_000), ("09:00", 82_800_000_000), ("09:00:30", 82_830_000_000),
            ("09:00 UTC", 82_800_000_000), ("2026-11-22 09:00", -3_600_000_000),
        ] as [(String, Int64)])
    func `by moments that lie ahead`(_ text: String, _ ahead: Int64) {
        #expect(Self.clock.momentAhead(text) == Self.clock.now + ahead)
    }
}
