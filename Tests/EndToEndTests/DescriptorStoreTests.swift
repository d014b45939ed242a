import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What the service manager keeps open while no daemon is there (issue: at home under systemd, 2).
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3")))
struct `A daemon whose manager keeps descriptors` {
    /// Says something when it is told to, and writes down whether that could be said.
    private static let talker = """
        [Worker]
        ExecStart=/bin/sh -c 'systemd-notify --ready; until test -e DIRECTORY/go; do sleep 0.02; done; systemd-notify --no-block --status="nobody was there" && echo said >> DIRECTORY/said; exec sleep 1000'
        Type=notify
        NotifyAccess=all
        Launch=boot
        """

    /// Connects to where warnings come from, and writes down what it gets.
    private static let hearer = """
        [Worker]
        ExecStart=/usr/bin/python3 -ISu DIRECTORY/conf/hearer.py DIRECTORY/heard
        Launch=boot
        """
    private static let hearerProgram = """
        import os, socket, sys
        log = open(sys.argv[1], "a")
        s = socket.socket(socket.AF_UNIX)
        s.connect(os.environ["MEMORY_PRESSURE_WATCH"])
        print("connected", file=log, flush=True)
        while s.recv(1): pass
        print("lost", file=log, flush=True)
        """

    @Test func `hears what its workers have said while nobody was there`() throws {
        let manager = try StoringManager()
        let daemon = try DaemonUnderTest(["web": Self.talker], through: manager.starter)
        try manager.await("stored notify.worker-web")
        #expect(try daemon.torpor("launch", "web").status == 0)
        let pid = try #require(try daemon.list().first?.pid)
        // Twice: what was taken back is kept on.
        try daemon.killAndRestart()
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        try "".write(toFile: "\(daemon.directory)/go", atomically: false, encoding: .utf8)
        _ = try eventually("it to be said") { daemon.lines(of: "said") == ["said"] ? true : nil }
        try daemon.killAndRestart()
        #expect(try daemon.list().first?.pid == pid)
        _ = try eventually("it to be heard") {
            try daemon.torpor("status", "web").output.contains("nobody was there") ? true : nil
        }
        // In the same process too the manager need not be told again, and is told when it is over.
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try daemon.torpor("terminate", "web").status == 0)
        try manager.await("removed notify.worker-web")
    }

    @Test func `has it close what belonged to a worker that is gone`() throws {
        let manager = try StoringManager()
        let daemon = try DaemonUnderTest(["web": Self.talker], through: manager.starter)
        try manager.await("stored notify.worker-web")
        let pid = try #require(try daemon.list().first?.pid)
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        kill(pid, SIGKILL)
        _ = try eventually("it to be gone") { state(of: pid) == nil ? true : nil }
        try daemon.killAndRestart()
        try manager.await("removed notify.worker-web")
        // The next process has a socket of its own.
        #expect(try daemon.torpor("launch", "web").status == 0)
        try manager.await("stored notify.worker-web")
    }

    @Test(.requires(.ownMounts))
    func `keeps the connections of workers that hear of memory by its socket`() throws {
        let manager = try StoringManager()
        let daemon = try DaemonUnderTest([:], through: NoGroups.starter + manager.starter)
        try Self.hearerProgram.write(
            toFile: "\(daemon.directory)/conf/hearer.py", atomically: true, encoding: .utf8)
        try daemon.write(
            "web.worker", Self.hearer.replacingOccurrences(of: "DIRECTORY", with: daemon.directory))
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("launch", "web").status == 0)
        try manager.await("stored memory")
        try manager.await("stored memory.worker-web.1")
        try daemon.killAndRestart()
        #expect(try daemon.torpor("reexec").status == 0)
        try daemon.killAndRestart()
        #expect(try daemon.list().first?.adopted == true)
        #expect(daemon.lines(of: "heard") == ["connected"])
        #expect(try daemon.torpor("kill", "web").status == 0)
        // Whatever the manager hears of first.
        try manager.await("removed memory.worker-web.1", "hung up memory.worker-web.1")
    }
}
