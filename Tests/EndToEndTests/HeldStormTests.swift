import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Clients that never stop to come, whatever happens to the worker and to the supervisor.
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/python3"))) struct `A storm on a held socket` {
    @Test func `is refused in no phase of a worker's life, nor of the supervisor's`() throws {
        let port = try freePort()
        let manager = try StoringManager()
        let file = HeldServer.worker(
            "ListenStream=127.0.0.1:\(port)",
            worker:
                "StartLimitBurst=0\nRestart=no\nTimeoutStopSec=5s\n[Memory]\nMemoryMax=200M")
        let daemon = try HeldServer.daemon(["web": file], through: manager.starter)
        try manager.await("stored socket.worker-web.0")
        func pid() throws -> Int32? { try daemon.list().first?.pid }
        func comes(after old: Int32?) throws -> Int32 {
            try eventually("another process") { try pid().flatMap { $0 == old ? nil : $0 } }
        }
        let storm = try Storm(port: port)
        try storm.begin("launch")
        var process = try comes(after: nil)
        usleep(300_000)
        try storm.begin("sleep")
        for _ in 0..<10 { _ = try daemon.torpor("suspend", "--no-wait", "web") }
        try storm.begin("crash")
        for _ in 0..<3 {
            kill(process, SIGKILL)
            process = try comes(after: process)
        }
        try storm.begin("terminate")
        for _ in 0..<3 {
            #expect(try daemon.torpor("terminate", "--no-wait", "web").status == 0)
            process = try comes(after: process)
        }
        try storm.begin("eviction")
        let settings = "\(daemon.directory)/conf/torpord.conf"
        try "".write(toFile: settings, atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("reload").status == 0)
        // It takes twice as much as it may have; the connection may end with it.
        let glutton = try Client(port: port)
        try glutton.send("grow\n")
        process = try comes(after: process)
        try DaemonUnderTest.unmoved.write(toFile: settings, atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("history", "web").output.contains("memory-limit"))
        try storm.begin("reload")
        for backlog in [100, 4096] {
            try daemon.write(
                "web.worker",
                (file + "\nBacklog=\(backlog)").replacingOccurrences(of: "DIRECTORY", with: daemon.directory))
            #expect(try daemon.torpor("reload").status == 0)
        }
        try storm.begin("reexec")
        for _ in 0..<3 {
            _ = try eventually("it is replaced") {
                try daemon.torpor("reexec").status == 0 ? true : nil
            }
        }
        try storm.begin("daemon killed")
        try daemon.killAndRestart { usleep(200_000) }
        try storm.begin("both killed")
        process = try #require(try pid())
        try daemon.killAndRestart {
            kill(process, SIGKILL)
            usleep(200_000)
        }
        _ = try comes(after: process)
        usleep(300_000)
        let sums = try storm.end()
        for (phase, sum) in sums.sorted(by: { $0.key < $1.key }) {
            print("storm, \(phase): \(sum.clients) clients, \(sum.refused) refused, \(sum.cut) cut off")
            #expect(sum.refused == 0, "\(phase): \(sum)")
            // What a process has accepted goes with it.
            if !["crash", "both killed", "terminate", "eviction"].contains(phase) {
                #expect(sum.cut == 0, "\(phase): \(sum)")
            }
        }
        #expect(sums.keys.contains("both killed") && sums.values.allSatisfy { $0.clients > 0 })
    }
}
