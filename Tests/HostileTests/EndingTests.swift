import Foundation
import Glibc
import TestSupport
import Testing

extension Hostility {
    /// A main process that is not where it should be (finding H12).
    @Suite(.requires(.cgroupV2Writable)) struct `A main process that leaves its group` {
        /// A group that it moves to.
        private final class Elsewhere {
            let path: String

            init() throws {
                path = "\(Places.base ?? "")/hostile-\(UUID().uuidString.prefix(8))"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }

            deinit {
                try? "1".write(toFile: "\(path)/cgroup.kill", atomically: false, encoding: .ascii)
                for _ in 0..<2000 where rmdir(path) != 0 && errno == EBUSY { usleep(1000) }
            }
        }

        private func left(_ elsewhere: Elsewhere) throws -> Victim {
            let victim = try Victim([
                "victim": """
                [Worker]
                ExecStart=ATTACKER leave-group \(elsewhere.path) DIRECTORY/ticks
                Type=notify
                NotifyAccess=all
                Launch=boot
                TimeoutStopSec=1s
                """
            ])
            _ = try eventually("it to tick") { ticks(victim) > 3 ? true : nil }
            return victim
        }

        private func ticks(_ victim: Victim) -> Int {
            var status = Glibc.stat()
            return stat("\(victim.directory)/ticks", &status) == 0 ? Int(status.st_size) / 5 : 0
        }

        @Test func `is not said to sleep while it runs`() throws {
            let elsewhere = try Elsewhere()
            let victim = try left(elsewhere)
            let answer = try victim.call("Suspend", #"{"names":["victim"],"timeoutMs":3000}"#)
            guard answer.contains("\"reached\":true") else { return }
            let before = ticks(victim)
            usleep(500_000)
            let after = ticks(victim)
            #expect(after == before, "\(answer)")
            // And it wakes again.
            #expect(try victim.call("Resume", #"{"names":["victim"]}"#).contains("\"reached\":true"))
            _ = try eventually("it to tick again") { ticks(victim) > after ? true : nil }
        }

        @Test(arguments: ["Kill", "Terminate"]) func `is ended`(_ verb: String) throws {
            let elsewhere = try Elsewhere()
            let victim = try left(elsewhere)
            let pid = try victim.pid(of: "victim")
            let answer = try victim.call(verb, #"{"names":["victim"],"timeoutMs":8000}"#)
            #expect(answer.contains("\"reached\":true"), "\(answer)")
            #expect(state(of: pid) == nil, "\(answer)")
        }

        @Test func `is ended with the daemon`() throws {
            let elsewhere = try Elsewhere()
            let victim = try left(elsewhere)
            let pid = try victim.pid(of: "victim")
            victim.process.send(SIGTERM)
            #expect(throws: Never.self) { try victim.process.wait(10) }
            #expect(state(of: pid) == nil)
        }
    }
}
