import Foundation
import Glibc
import TestSupport
import Testing

/// Background fetches of a real daemon.
@Suite(.timeLimit(.minutes(60))) struct `A fetch` {
    private static let file = """
        [Worker]
        ExecStart=/bin/sh -c 'echo $$$$ >> DIRECTORY/pids; exec sleep 1000'
        [Background]
        Modes=fetch
        FetchIntervalSec=8s
        [Callbacks]
        PerformFetch=exec:/bin/sh -c 'echo fetched >> DIRECTORY/fetched'
        """

    @Test func `wakes a sleeper, launches one that has ended, and spares one that was ended by force`() throws
    {
        let daemon = try DaemonUnderTest(["feed": Self.file, "idle": Self.file])
        #expect(try daemon.torpor("launch", "feed").status == 0)
        #expect(try daemon.torpor("suspend", "feed").status == 0)
        #expect(try daemon.torpor("why", "feed").output.contains("the next background fetch, in"))
        _ = try eventually("a fetch to wake it") {
            try daemon.torpor("status", "feed").output.contains("Woken by: fetch") ? true : nil
        }
        let launches = daemon.lines(of: "pids").count
        #expect(try daemon.torpor("terminate", "feed").status == 0)
        #expect(try daemon.torpor("status", "feed").output.contains("the next background fetch, in"))
        _ = try eventually("a fetch to launch it") {
            daemon.lines(of: "pids").count > launches ? true : nil
        }
        let history = try daemon.torpor("history", "feed").output
        #expect(history.contains("fetch"), "\(history)")
        #expect(try daemon.torpor("kill", "feed").status == 0)
        let count = daemon.lines(of: "pids").count
        // Fetches of its neighbour come and go meanwhile.
        #expect(try daemon.torpor("launch", "idle").status == 0)
        _ = try eventually("the neighbour to say that it runs") {
            daemon.lines(of: "pids").count > count ? true : nil
        }
        #expect(try daemon.torpor("terminate", "idle").status == 0)
        _ = try eventually("the neighbour to be launched for a fetch") {
            daemon.lines(of: "pids").count > count + 1 ? true : nil
        }
        #expect(try daemon.list().first { $0.name == "feed" }?.state == "notRunning")
    }

    @Test(arguments: ["terminate", "kill"]) func `that an end cuts off is no failure of that`(_ verb: String)
        throws
    {
        let daemon = try DaemonUnderTest([
            "feed": Self.file.replacing(
                "echo fetched >>", with: "echo $$$$ >> DIRECTORY/begun; sleep 1000 >>")
        ])
        #expect(try daemon.torpor("background", "feed").status == 0)
        _ = try eventually("a fetch to be under way") { daemon.lines(of: "begun").isEmpty ? nil : true }
        let ended = try daemon.torpor(verb, "feed")
        #expect(ended.status == 0, "\(ended.errors)")
    }
}
