import Foundation
import Glibc
import TestSupport
import Testing

/// Budgets of wakes and the pace of fetches, by a real daemon.
@Suite(.long, .timeLimit(.minutes(60))) struct `A budget of wakes in a daemon` {
    private static let post = """
        [Worker]
        ExecStart=/bin/sh -c 'echo launched >> DIRECTORY/launches; exec sleep 1000'
        [Background]
        Modes=remote-notification
        WakeBudget=2 10min
        [Notifications]
        news=exec:/bin/sh -c 'echo $$TORPOR_NOTIFICATION_COUNT >> DIRECTORY/news'
        """

    private func state(_ daemon: DaemonUnderTest) throws -> String? { try daemon.list().first?.state }

    private func awaitSleep(_ daemon: DaemonUnderTest) throws {
        _ = try eventually("the worker to sleep again") {
            try state(daemon) == "suspended" ? true : nil
        }
    }

    private func status(_ daemon: DaemonUnderTest) throws -> String {
        try daemon.torpor("status", "feed").output
    }

    @Test
    func `keeps and merges posts past it, over a reexec and a kill, and lets them through when it grows`()
        throws
    {
        let daemon = try DaemonUnderTest(["feed": Self.post])
        #expect(try daemon.torpor("launch", "feed").status == 0)
        #expect(try daemon.torpor("suspend", "feed").status == 0)
        for number in 1...2 {
            #expect(try daemon.torpor("post", "feed", "news", "--wake").status == 0)
            _ = try eventually("post \(number) to be taken") {
                daemon.lines(of: "news").count == number ? true : nil
            }
            try awaitSleep(daemon)
        }
        for _ in 0..<3 {
            #expect(try daemon.torpor("post", "feed", "news", "--wake", "--rule", "count").status == 0)
        }
        func expectKept(_ when: String) throws {
            let shown = try status(daemon)
            #expect(shown.contains("2 of 2 wakes"), "\(when): \(shown)")
            #expect(shown.contains("kept until then: 3 silent posts (news)"), "\(when): \(shown)")
            #expect(shown.contains("full again in 59min"), "\(when): \(shown)")
            #expect(try state(daemon) == "suspended", "\(when)")
            #expect(daemon.lines(of: "news").count == 2, "\(when)")
        }
        try expectKept("at first")
        #expect(
            try daemon.torpor("why", "feed").output.contains(
                "3 silent posts (news) will wake it when its budget of wakes (WakeBudget=) is full again, in "
            ))
        let history = try daemon.torpor("history", "feed").output
        #expect(history.contains("one silent post (news): kept, since the budget of wakes is used"))
        #expect(try daemon.torpor("reexec").status == 0)
        try expectKept("after a reexec")
        try daemon.killAndRestart()
        try expectKept("after a kill")
        try daemon.write(
            "feed.worker",
            Self.post.replacingOccurrences(of: "DIRECTORY", with: daemon.directory)
                .replacingOccurrences(of: "WakeBudget=2", with: "WakeBudget=3"))
        #expect(try daemon.torpor("reload").status == 0)
        _ = try eventually("what was kept to be taken, as one") {
            daemon.lines(of: "news").count == 3 ? true : nil
        }
        #expect(daemon.lines(of: "news").last == "3")
        try awaitSleep(daemon)
        #expect(try status(daemon).contains("3 of 3 wakes"))
        #expect(
            try daemon.torpor("history", "feed").output.contains("let through: 3 silent posts (news)"))
        #expect(daemon.lines(of: "launches").count == 1)
    }

    @Test func `does not hold up what an operator or the foreground asks for`() throws {
        let daemon = try DaemonUnderTest([
            "feed": Self.post.replacingOccurrences(of: "WakeBudget=2 10min", with: "WakeBudget=1")
        ])
        #expect(try daemon.torpor("launch", "feed").status == 0)
        #expect(try daemon.torpor("suspend", "feed").status == 0)
        #expect(try daemon.torpor("post", "feed", "news", "--wake").status == 0)
        _ = try eventually("the post to be taken") { daemon.lines(of: "news").count == 1 ? true : nil }
        try awaitSleep(daemon)
        #expect(try daemon.torpor("post", "feed", "news", "--wake").status == 0)
        #expect(try status(daemon).contains("kept until then: 1 silent post (news)"))
        #expect(try daemon.torpor("activate", "feed").status == 0)
        _ = try eventually("what waits to be taken with that") {
            daemon.lines(of: "news").count == 2 ? true : nil
        }
        #expect(try !status(daemon).contains("kept until then"))
    }

    @Test func `has fetches further apart that find nothing, and back with new data`() throws {
        let daemon = try DaemonUnderTest([
            "feed": """
            [Worker]
            ExecStart=/bin/sleep 1000
            [Background]
            Modes=fetch
            FetchIntervalSec=1s
            WakeBudget=infinity
            [Callbacks]
            PerformFetch=exec:/bin/sh -c 'echo fetched >> DIRECTORY/fetched; exit $$(cat DIRECTORY/answer)'
            """
        ])
        let answer = "\(daemon.directory)/answer"
        try "204".write(toFile: answer, atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "feed").status == 0)
        #expect(try daemon.torpor("suspend", "feed").status == 0)
        _ = try eventually("the interval to be eight times itself") {
            try status(daemon).contains("every 8s (FetchIntervalSec= is 1s)") ? true : nil
        }
        #expect(try status(daemon).contains("last: no new data"))
        #expect(daemon.lines(of: "fetched").count >= 3)
        #expect(try !status(daemon).contains("Failed hook"))
        // It is stored with the worker.
        try daemon.killAndRestart()
        #expect(try status(daemon).contains("every 8s"))
        try "0".write(toFile: answer, atomically: true, encoding: .utf8)
        _ = try eventually("new data to bring the interval back") {
            try status(daemon).contains("every 1s;") ? true : nil
        }
        try "7".write(toFile: answer, atomically: true, encoding: .utf8)
        _ = try eventually("a fetch to fail, and the interval to stay") {
            let shown = try status(daemon)
            return shown.contains("every 1s;") && shown.contains("last: failed") ? true : nil
        }
        #expect(try status(daemon).contains("exit status 7"))
    }
}
