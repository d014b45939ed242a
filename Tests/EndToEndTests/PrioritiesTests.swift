import Cgroups
import Foundation
import Glibc
import Linux
import Processes
import TestSupport
import Testing

/// A state's share of the machine where no controller gives it: nice levels and I/O priorities (2.2).
@Suite(.timeLimit(.minutes(60))) struct `Priorities by state` {
    private func levels(of pids: [Int32]) -> [Int32?] { pids.map(NiceLevel.of) }

    @Test(.requires(.root), .requires(.noController))
    func `are given to every process of a worker in the background, and taken back in the foreground`() throws
    {
        let daemon = try DaemonUnderTest([
            "w": """
            [Worker]
            ExecStart=/bin/sh -c 'echo $$$$ > DIRECTORY/pids; sleep 1000 & echo $$! >> DIRECTORY/pids; nice -n 3 sleep 1001 & echo $$! >> DIRECTORY/pids; echo done >> DIRECTORY/pids; wait'
            Nice=2
            Launch=boot
            [Background]
            Modes=continuous
            """
        ])
        let way = try daemon.torpor("status").output
        #expect(way.contains("nice levels"), "\(way)")
        _ = try eventually("it has started all") { daemon.lines(of: "pids").contains("done") ? true : nil }
        let pids = daemon.lines(of: "pids").compactMap { Int32($0) }
        _ = try eventually("the last has its own nice level") { NiceLevel.of(pids[2]) == 5 ? true : nil }
        #expect(try daemon.torpor("activate", "w").status == 0)
        #expect(levels(of: pids) == [2, 2, 5])
        for _ in 0..<2 {
            #expect(try daemon.torpor("background", "w").status == 0)
            #expect(levels(of: pids) == [12, 12, 12])
            if way.contains("I/O priorities") {
                #expect(pids.allSatisfy { IOPriority.of($0) == IOPriority(bestEffort: 7) })
            }
            #expect(try daemon.torpor("activate", "w").status == 0)
            #expect(levels(of: pids) == [2, 2, 5])
        }
    }

    @Test(.requires(.root), .requires(.noController))
    func `of the background are spared what only passes it on its way to sleep`() throws {
        let daemon = try DaemonUnderTest([
            "w": """
            [Worker]
            ExecStart=/bin/sh -c 'echo $$$$ > DIRECTORY/pids; exec sleep 1000'
            Nice=2
            """
        ])
        #expect(try daemon.torpor("launch", "w").status == 0)
        _ = try eventually("it to run") { daemon.lines(of: "pids").isEmpty ? nil : true }
        let pids = daemon.lines(of: "pids").compactMap { Int32($0) }
        #expect(levels(of: pids) == [2])
        for _ in 0..<2 {
            #expect(try daemon.torpor("suspend", "w").status == 0)
            #expect(levels(of: pids) == [2])
            #expect(try daemon.torpor("activate", "w").status == 0)
            #expect(levels(of: pids) == [2])
            #expect(try daemon.torpor("suspend", "w").status == 0)
            // Woken into it, it gets what belongs there.
            #expect(try daemon.torpor("background", "w").status == 0)
            #expect(levels(of: pids) == [12])
            #expect(try daemon.torpor("activate", "w").status == 0)
            #expect(levels(of: pids) == [2])
        }
    }
}
