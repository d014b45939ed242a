import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// What a worker stores with its supervisor (sd_notify(3), FDSTORE=1), and what `torpor run --listen` holds.
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3")))
struct `Descriptors that outlive a process` {
    private static func file(_ port: UInt16, _ lines: String) -> String {
        HeldServer.worker(
            "ListenStream=127.0.0.1:\(port)",
            worker: "Environment=STORE=1\nFileDescriptorStoreMax=4\nStartLimitBurst=0\n" + lines)
    }

    @Test
    func `are handed back after held sockets, through a crash, another program, and the daemon's death`()
        throws
    {
        let port = try freePort()
        let manager = try StoringManager()
        let daemon = try HeldServer.daemon(
            ["web": Self.file(port, "Restart=on-failure")], through: manager.starter)
        #expect(try Client(port: port).ask("a\n") == "A\n")
        try manager.await("stored stored/worker-web/1/memory")
        func crashes(_ action: () throws -> Void = {}) throws {
            let pid = try #require(try daemon.list().first?.pid)
            let count = daemon.lines(of: "log").count { $0.hasPrefix("stored") }
            try action()
            kill(pid, SIGKILL)
            _ = try eventually("it has it back") {
                daemon.lines(of: "log").count { $0 == "stored memory remembered" } > count ? true : nil
            }
            let launches = daemon.lines(of: "log").filter { $0.hasPrefix("launched") }
            #expect(launches.last?.hasSuffix(" 2 web,memory") == true)
        }
        try crashes()
        try crashes { () throws in
            let status = try daemon.torpor("reexec").status
            #expect(status == 0)
        }
        try crashes { try daemon.killAndRestart() }
        // An end for good drops it.
        #expect(try daemon.torpor("terminate", "web").status == 0)
        try manager.await("removed stored/worker-web/1/memory")
        #expect(try Client(port: port).ask("b\n") == "B\n")
        #expect(daemon.lines(of: "log").last?.hasSuffix(" 1 web") == true)
    }

    @Test func `are refused beyond the limit, and where none is set`() throws {
        let port = try freePort()
        let file = HeldServer.worker(
            "ListenStream=127.0.0.1:\(port)", worker: "Environment=STORE=1\nNotifyAccess=all")
        let daemon = try HeldServer.daemon(["web": file])
        #expect(try Client(port: port).ask("a\n") == "A\n")
        try daemon.process.errors.until("FileDescriptorStoreMax= allows no descriptors")
    }

    @Test func `torpor run --listen passes a socket, and holds it while the command sleeps`() throws {
        try withTemporaryDirectory { directory in
            let port = try freePort()
            let program = "\(directory)/server.py"
            try HeldServer.program.write(toFile: program, atomically: true, encoding: .utf8)
            let run = try Wrapper(
                ["-v", "--listen", "127.0.0.1:\(port)"],
                ["/usr/bin/env", "LOG=\(directory)/log", "python3", program])
            let socket = try run.controlSocket()
            // It is open before the command is there.
            #expect(try Client(port: port).ask("x\n") == "X\n")
            _ = try run.suspend(at: socket)
            #expect(try Client(port: port).ask("y\n") == "Y\n")
            let log = try String(contentsOfFile: "\(directory)/log", encoding: .utf8)
            #expect(log == "launched - 1 env\n", "\(log)")
        }
        let bad = try DaemonUnderTest.result(
            of: Wrapper([], [], line: [Wrapper.program, "run", "--listen", "nowhere", "--", "true"]))
        #expect(bad.status == 64 && bad.errors.contains("--listen “nowhere”"), "\(bad)")
        let taken = try Listener()
        let busy = try DaemonUnderTest.result(
            of: Wrapper(
                [], [], line: [Wrapper.program, "run", "--listen", "127.0.0.1:\(taken.port)", "--", "true"]))
        #expect(busy.status != 0 && busy.errors.contains("the address is in use"), "\(busy)")
    }
}
