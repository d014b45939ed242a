import Foundation
import Glibc
import TestSupport
import Testing

/// A worker that another program has stopped, as an operator sees it.
@Suite(.timeLimit(.minutes(5))) struct `A worker of which only the main process is stopped` {
    @Test func `is said to run on with its other processes, counted when asked`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'sleep 1000 & a=$$!; sleep 1000 & echo $$$$ $$a $$! > DIRECTORY/pids; wait'
            """
        ])
        #expect(try daemon.torpor("launch", "web").status == 0)
        let pids = try eventually("its processes") {
            let text = try? String(contentsOfFile: "\(daemon.directory)/pids", encoding: .utf8)
            let pids = text?.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) } ?? []
            return pids.count == 3 ? pids : nil
        }
        kill(pids[0], SIGSTOP)
        func status() throws -> String { try daemon.torpor("status", "web").output }
        func why() throws -> String { try daemon.torpor("why", "web").output }
        _ = try eventually("it to be held") {
            try status().contains("Held: stopped from outside") ? true : nil
        }
        let shown = try status()
        #expect(
            shown.contains("stopped from outside (its main process only); 2 other processes run on;"),
            "\(shown)")
        let reason = try why()
        #expect(
            reason.contains(
                "another program has stopped its main process, and 2 other processes of it run on"),
            "\(reason)")
        kill(pids[1], SIGSTOP)
        _ = try eventually("the count to follow") {
            try status().contains("(its main process only); 1 other process runs on;") ? true : nil
        }
        kill(pids[2], SIGSTOP)
        _ = try eventually("all of it to be stopped") {
            try status().contains("stopped from outside; no event wakes it") ? true : nil
        }
        #expect(try why().contains("another program has stopped it"))
        #expect(try daemon.torpor("resume", "web").status == 0)
        #expect(!(try status().contains("stopped from outside")))
    }
}
