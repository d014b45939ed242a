import TestSupport
import Testing

/// `UntilForeground=` with a real daemon: topics that merge on in the background, and are delivered on the way to the foreground.
@Suite(.timeLimit(.minutes(60))) struct `Topics for the foreground` {
    /// Writes down what it is given, and when it is on its way to the foreground.
    private static let view = """
        [Worker]
        ExecStart=/bin/sleep 1000
        [Background]
        Modes=remote-notification
        [Callbacks]
        WillEnterForeground=exec:/bin/sh -c 'echo foreground >> DIRECTORY/seen'
        [Notifications]
        UntilForeground=needsDisplay
        needsDisplay=exec:/bin/sh -c 'echo "display $$TORPOR_NOTIFICATION_COUNT" >> DIRECTORY/seen'
        my.news=exec:/bin/sh -c 'echo "news $$TORPOR_NOTIFICATION_COUNT" >> DIRECTORY/seen'
        """

    private func post(_ daemon: DaemonUnderTest, _ topic: String, times: Int) throws {
        for _ in 0..<times { #expect(try daemon.torpor("post", "view", topic).status == 0) }
    }

    private func expect(_ daemon: DaemonUnderTest, _ seen: [String]) throws {
        _ = try eventually("it to see \(seen)") { daemon.lines(of: "seen").count >= seen.count ? true : nil }
        #expect(daemon.lines(of: "seen") == seen)
    }

    @Test func `wait in the background and through a sleep there, and come before willEnterForeground`()
        throws
    {
        let daemon = try DaemonUnderTest(["view": Self.view])
        #expect(try daemon.torpor("launch", "view").status == 0)
        // In the foreground at once.
        try post(daemon, "needsDisplay", times: 1)
        try expect(daemon, ["display 1"])
        #expect(try daemon.torpor("background", "view").status == 0)
        try post(daemon, "needsDisplay", times: 2)
        // What comes after them, and is told in the background, shows that they were passed over.
        try post(daemon, "my.news", times: 1)
        try expect(daemon, ["display 1", "news 1"])
        let listed = try daemon.torpor("notifications", "view").output
        #expect(listed.contains("needsDisplay"), "\(listed)")
        #expect(try daemon.torpor("suspend", "view").status == 0)
        try post(daemon, "needsDisplay", times: 1)
        // It wakes for another topic, into the background.
        #expect(try daemon.torpor("post", "view", "my.news", "--wake").status == 0)
        try expect(daemon, ["display 1", "news 1", "news 1"])
        _ = try eventually("it to sleep again") {
            try daemon.list().first?.state == "suspended" ? true : nil
        }
        #expect(try daemon.torpor("activate", "view").status == 0)
        try expect(daemon, ["display 1", "news 1", "news 1", "display 3", "foreground"])
        #expect(try !daemon.torpor("notifications", "view").output.contains("needsDisplay"))
    }

    @Test func `outlive the daemon, and wake nothing`() throws {
        let daemon = try DaemonUnderTest(["view": Self.view])
        #expect(try daemon.torpor("launch", "view").status == 0)
        #expect(try daemon.torpor("suspend", "view").status == 0)
        let post = try daemon.torpor("post", "view", "needsDisplay", "--wake")
        #expect(post.status == 0)
        #expect((post.output + post.errors).contains("UntilForeground="), "\(post)")
        #expect(try daemon.list().first?.state == "suspended")
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("post", "view", "needsDisplay").status == 0)
        try daemon.killAndRestart()
        #expect(try daemon.torpor("resume", "view").status == 0)
        try expect(daemon, ["display 2", "foreground"])
    }
}
