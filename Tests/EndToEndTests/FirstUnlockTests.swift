import Foundation
import Glibc
import TestSupport
import Testing

/// `Wants=firstUnlock` of a real daemon, whose protected data is a directory.
@Suite(.timeLimit(.minutes(60))) struct `The first unlock` {
    private static let vault = """
        [Worker]
        ExecStart=/bin/sh -c 'echo $$TORPOR_LAUNCH_REASON >> DIRECTORY/launches; exec sleep 1000'
        Wants=firstUnlock
        [Background]
        Modes=remote-notification
        [Notifications]
        WatchProtectedPaths=DIRECTORY/vault
        news=exec:/bin/sh -c 'echo news >> DIRECTORY/news'
        """

    private func unlock(_ daemon: DaemonUnderTest) throws {
        // An empty directory is one at which nothing is mounted yet.
        try FileManager.default.createDirectory(
            atPath: "\(daemon.directory)/vault", withIntermediateDirectories: false)
        try "open".write(
            toFile: "\(daemon.directory)/vault/key", atomically: false, encoding: .utf8)
    }

    @Test func `holds what would launch a worker into the background, and lets it through afterwards`() throws
    {
        let daemon = try DaemonUnderTest([
            "posted": Self.vault,
            "booted": Self.vault.replacingOccurrences(
                of: "Wants=", with: "Launch=boot-background\nWants="),
        ])
        #expect(try daemon.torpor("post", "posted", "news", "--wake").status == 0)
        #expect(try daemon.torpor("post", "posted", "news", "--wake").status == 0)
        #expect(
            try daemon.torpor("why", "posted").output.contains(
                "2 silent posts (news) will launch it when its protected data is available for the first time "
                    + "since boot (Wants=firstUnlock)"))
        #expect(try daemon.torpor("why", "booted").output.contains("its launch at boot will launch it"))
        #expect(
            try daemon.torpor("history", "posted").output.contains(
                "kept until its protected data is available for the first time since boot"))
        #expect(
            try daemon.torpor("status", "posted").output.contains(
                "kept until its protected data is available: 2 silent posts (news)"))
        #expect(daemon.lines(of: "launches").isEmpty)
        try unlock(daemon)
        _ = try eventually("both to be launched") { daemon.lines(of: "launches").count == 2 ? true : nil }
        #expect(Set(daemon.lines(of: "launches")) == ["boot", "silentNotification"])
        _ = try eventually("the post to be taken") { daemon.lines(of: "news").isEmpty ? nil : true }
        // Once is enough: what is locked again launches it as before.
        try FileManager.default.removeItem(atPath: "\(daemon.directory)/vault")
        #expect(try daemon.torpor("terminate", "posted").status == 0)
        #expect(try daemon.torpor("post", "posted", "news", "--wake").status == 0)
        _ = try eventually("another launch") { daemon.lines(of: "launches").count == 3 ? true : nil }
        try daemon.killAndRestart()
        #expect(try daemon.torpor("terminate", "posted").status == 0)
        #expect(try daemon.torpor("post", "posted", "news", "--wake").status == 0)
        _ = try eventually("a launch by the next daemon") {
            daemon.lines(of: "launches").count == 4 ? true : nil
        }
    }

    @Test func `does not hold up an operator`() throws {
        let daemon = try DaemonUnderTest(["posted": Self.vault])
        #expect(try daemon.torpor("launch", "posted").status == 0)
        _ = try eventually("the launch for the operator") {
            daemon.lines(of: "launches") == ["operator"] ? true : nil
        }
        #expect(try daemon.torpor("suspend", "posted").status == 0)
        #expect(try daemon.torpor("post", "posted", "news", "--wake").status == 0)
        _ = try eventually("a process that is there to be woken") {
            daemon.lines(of: "news").isEmpty ? nil : true
        }
    }
}
