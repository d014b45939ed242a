import Testing

@testable import Simulation

/// What is posted in a world is handed out by the plan that the supervisor has (2.4).
@Suite struct `Posts in a world` {
    private static let scenario = """
        [Worker app]
        Type=app

        [Worker daemon]
        Type=simple

        [Notifications daemon]
        settingsChanged=signal:HUP
        cache=exec:/bin/refresh

        [Program app]
        CallbackSec=10ms

        [Events]
        At=0 app launch
        At=0 daemon launch
        At=1s app suspend
        At=1s daemon suspend
        At=5s app post chat
        At=6s app post mail
        At=7s app post chat
        At=8s daemon post settingsChanged
        At=9s daemon post cache
        At=9s daemon post settingsChanged
        At=9s daemon post other
        At=10s app resume
        At=10s daemon resume
        At=20s app behave DidReceiveNotificationsAnswer=failed
        At=20s app post chat
        At=22s app behave DidReceiveNotificationsAnswer=done
        At=30s app suspend
        At=31s app post bad
        At=31s app post good
        At=32s app behave DidReceiveNotificationsSec=1s
        At=33s app resume
        At=33500ms app crash
        At=40s app launch
        At=40700ms app crash
        At=50s app launch
        At=60s daemon suspend
        At=61s daemon post cache
        At=61s daemon behave DidReceiveNotificationsAnswer=failed
        At=62s daemon resume
        At=62500ms daemon behave DidReceiveNotificationsAnswer=done
        """

    /// The lines of one worker that tell of notifications.
    private func lines(of worker: String) throws -> [String] {
        var world = World(try Scenario.reading(Self.scenario))
        return world.printed().split(separator: "\n").filter { line in
            line.contains(" \(worker) ")
                && (line.contains("notifications ") || line.contains("post") || line.contains("set aside"))
        }.map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `merge, come again when they are not taken, and are set aside when the worker dies of them`()
        throws
    {
        #expect(
            try lines(of: "app") == [
                "00:00:05.000 app posted: chat 1", "00:00:06.000 app posted: mail 2",
                "00:00:07.000 app posted: chat 1",
                "00:00:10.001 app notifications to its connection: chat 1 (2 posts), mail 2",
                "00:00:20.000 app posted: chat 3", "00:00:20.000 app notifications to its connection: chat 3",
                "00:00:20.010 app notifications not taken: the worker did not accept them; retry in 1s",
                "00:00:21.010 app notifications to its connection: chat 3",
                "00:00:21.020 app notifications not taken: the worker did not accept them; retry in 2s",
                "00:00:23.020 app notifications to its connection: chat 3",
                "00:00:31.000 app posted: bad 4", "00:00:31.000 app posted: good 5",
                "00:00:33.001 app notifications to its connection: bad 4, good 5",
                "00:00:40.081 app notifications to its connection: bad 4",
                "00:00:40.700 app bad 4 set aside: the worker has died of it twice",
                "00:00:50.071 app notifications to its connection: good 5",
            ])
    }

    @Test func `go by signal before a thaw, and to one hook after the other behind it`() throws {
        #expect(
            try lines(of: "daemon") == [
                "00:00:08.000 daemon posted: settingsChanged 1", "00:00:09.000 daemon posted: cache 2",
                "00:00:09.000 daemon posted: settingsChanged 1",
                "00:00:09.000 daemon post to other refused: no receiver",
                "00:00:10.000 daemon notifications by signal: settingsChanged 1 (2 posts)",
                "00:00:10.001 daemon notifications to a hook: cache 2",
                "00:01:01.000 daemon posted: cache 3",
                "00:01:02.001 daemon notifications to a hook: cache 3",
                "00:01:02.006 daemon notifications not taken: its hook failed; retry in 1s",
                "00:01:03.006 daemon notifications to a hook: cache 3",
            ])
    }

    @Test func `name a topic, or none`() throws {
        #expect(try Verb.action(["post"]) == Verb.action(["post", "message"]))
        #expect(throws: (any Error).self) { try Verb.action(["post", "No topic"]) }
        #expect(throws: (any Error).self) { try Verb.action(["post", "a", "b"]) }
    }
}
