import Foundation
import Glibc
import TestSupport
import Testing

/// Transfers of real programs: beside workers that are evicted, killed and removed meanwhile, and across the end of the daemon.
@Suite(.timeLimit(.minutes(60))) struct `Transfers` {
    /// A hook that writes down what it is told.
    private static let telling = """
        [Callbacks]
        HandleTransferEvents=exec:/bin/sh -c 'echo "$$TORPOR_PAYLOAD" >>DIRECTORY/told'
        """
    private static let woken = "[Background]\nModes=transfer\n"

    private func daemon(_ lines: String, _ file: String = WorkerFiles.idle) throws -> DaemonUnderTest {
        try DaemonUnderTest(["app": "\(file)\n\(lines)"])
    }

    /// A command that runs until there is a file.
    private func untilThere(_ file: String) -> String { "while [ ! -e '\(file)' ]; do sleep 0.02; done" }

    private func begin(_ daemon: DaemonUnderTest, _ script: String, _ options: String...) throws -> Int {
        let result = try DaemonUnderTest.result(
            of: Wrapper(
                [], [],
                line: [Wrapper.program, "transfer", "--socket", daemon.socket] + options
                    + ["app", "--", "/bin/sh", "-c", script]))
        #expect(result.status == 0, "\(result)")
        let words = result.output.split(separator: " ")
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The ends that the hook was told, list by list.
    private func told(_ daemon: DaemonUnderTest) throws -> [[[String: Any]]] {
        try daemon.lines(of: "told").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["transfers"] as? [[String: Any]])
        }
    }

    private func awaitTold(_ daemon: DaemonUnderTest, _ count: Int) throws -> [[[String: Any]]] {
        try eventually("\(count) lists of ends to be told") {
            let told = try told(daemon)
            return told.count >= count ? told : nil
        }
    }

    private func touch(_ path: String) throws {
        try "".write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func transfers(_ daemon: DaemonUnderTest) throws -> [[String: Any]] {
        let output = try daemon.torpor("transfers", "--json=short").output
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        return try #require(object?["transfers"] as? [[String: Any]])
    }

    /// Nothing of a transfer is left: no record, no group.
    private func expectNothingLeft(_ daemon: DaemonUnderTest, _ numbers: [Int]) throws {
        _ = try eventually("nothing to be left of the transfers") {
            let names = try FileManager.default.contentsOfDirectory(
                atPath: "\(daemon.directory)/run/transfers")
            return names.filter { $0 != "last" }.isEmpty ? true : nil
        }
    }

    @Test func `go on while the worker is ended, and launch it with their end`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        #expect(try daemon.torpor("launch", "app").status == 0)
        let go = "\(daemon.directory)/go"
        let number = try begin(
            daemon, "echo X_TORPOR_PROGRESS=1/4 half; echo words; \(untilThere(go)); exit 3", "--purpose",
            "feed")
        _ = try eventually("its progress") {
            try daemon.torpor("status", "app").output.contains("25% 1/4 half") ? true : nil
        }
        #expect(try daemon.torpor("terminate", "app").status == 0)
        #expect(try transfers(daemon).first?["stage"] as? String == "running")
        try touch(go)
        let told = try awaitTold(daemon, 1)
        let end = try #require(told.first?.first)
        #expect(told.count == 1 && told[0].count == 1)
        #expect(end["transfer"] as? Int == number && end["purpose"] as? String == "feed")
        #expect(end["outcome"] as? String == "failed" && end["exitStatus"] as? Int == 3)
        #expect(end["output"] as? [String] == ["words"] && end["percent"] as? Int == 25)
        let status = try daemon.torpor("status", "app").output
        #expect(status.contains("Launched for: transfer"), "\(status)")
        try expectNothingLeft(daemon, [number])
        #expect(try transfers(daemon).isEmpty)
    }

    @Test func `wake a worker that sleeps`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        _ = try begin(daemon, "exit 0")
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["outcome"] as? String == "completed")
        // It sleeps again when it has been told.
        _ = try eventually("the worker to sleep") {
            try daemon.list().first?.state == "suspended" ? true : nil
        }
    }

    @Test func `of a worker that they may not wake are told together when it runs`() throws {
        let daemon = try daemon(Self.telling)
        let first = try begin(daemon, "exit 1")
        try daemon.process.errors.until(
            "transfer \(first) (/bin/sh) failed".replacingOccurrences(of: "/bin/", with: ""))
        let second = try begin(daemon, "exit 0")
        try daemon.process.errors.until("transfer \(second) (sh) completed")
        #expect(try daemon.list().first?.state == "notRunning")
        #expect(try daemon.torpor("status", "app").output.contains("the worker has not been told yet"))
        #expect(try daemon.torpor("launch", "app").status == 0)
        let told = try awaitTold(daemon, 1)
        #expect(told.count == 1 && told[0].map { $0["transfer"] as? Int } == [first, second])
        try expectNothingLeft(daemon, [first, second])
    }

    @Test func `do not launch a worker that was force-quit`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("kill", "app").status == 0)
        let number = try begin(daemon, "exit 0")
        try daemon.process.errors.until("transfer \(number) (sh) completed")
        #expect(try daemon.list().first?.state == "notRunning")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try awaitTold(daemon, 1).first?.count == 1)
    }

    @Test func `are cancelled by SIGTERM while they write all the time`() throws {
        let daemon = try daemon(Self.telling)
        #expect(try daemon.torpor("launch", "app").status == 0)
        let number = try begin(
            daemon,
            // No program is started by the trap: it could hear of the end too, as every process of the transfer.
            "trap ': >\(daemon.directory)/tidy; exit 7' TERM; : >\(daemon.directory)/begun; "
                + "while :; do echo y; done")
        _ = try eventually("its command") { access("\(daemon.directory)/begun", F_OK) == 0 ? true : nil }
        #expect(try daemon.torpor("transfer", "--cancel", "\(number)", "app") == (0, "", ""))
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["exitStatus"] as? Int == 7, "\(end)")
        #expect(FileManager.default.fileExists(atPath: "\(daemon.directory)/tidy"))
    }

    @Test func `are cancelled, with all that they have started`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        let file = "\(daemon.directory)/child"
        let number = try begin(daemon, "setsid sleep 1000 & echo $! >\(file); wait")
        let child = try eventually("the process of the transfer") {
            Int32(daemon.lines(of: "child").first ?? "")
        }
        #expect(try daemon.torpor("transfer", "--cancel", "\(number)", "app") == (0, "", ""))
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["outcome"] as? String == "cancelled" && end["signal"] as? String == "SIGTERM")
        _ = try eventually("its process to be gone") { kill(child, 0) == 0 ? nil : true }
        let again = try daemon.torpor("transfer", "--cancel", "\(number)", "app")
        // Until the worker has taken what came of it, it is known.
        let isKnown = again.errors.contains("transfer \(number) has ended")
        #expect(again.status == 64)
        #expect(isKnown || again.errors.contains("it has no transfer \(number)"), "\(again)")
    }

    @Test func `are over with their main process: what is left of them is ended, and told`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        let file = "\(daemon.directory)/child"
        _ = try begin(daemon, "setsid sleep 1000 </dev/null & echo $! >\(file); exit 0")
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["outcome"] as? String == "completed" && end["leftovers"] as? Int == 1)
        let child = try #require(Int32(daemon.lines(of: "child").first ?? ""))
        #expect(kill(child, 0) != 0)
    }

    @Test func `have limits of time, of files and of how many there are`() throws {
        let daemon = try daemon(
            "[Background]\nModes=transfer\nTransfersMax=1\nTransferFileSizeMax=64K\n" + Self.telling)
        let only = try begin(daemon, "sleep 1000")
        let full = try daemon.torpor("transfer", "app", "--", "/bin/true")
        #expect(full.status == 75 && full.errors.contains("1 of its transfers are running"), "\(full)")
        #expect(try daemon.torpor("transfer", "--cancel", "\(only)", "app") == (0, "", ""))
        _ = try awaitTold(daemon, 1)
        let endless = try begin(
            daemon, "trap '' TERM; echo begun; while :; do sleep 0.1; done", "--limit", "100ms")
        let end = try #require(try awaitTold(daemon, 2).last?.first)
        #expect(end["transfer"] as? Int == endless && end["outcome"] as? String == "timeLimit")
        _ = try begin(daemon, "head -c 1000000 /dev/zero >\(daemon.directory)/big")
        let large = try #require(try awaitTold(daemon, 3).last?.first)
        #expect(large["outcome"] as? String == "failed")
        let size = try FileManager.default.attributesOfItem(atPath: "\(daemon.directory)/big")[.size] as? Int
        #expect(size == 64 << 10)
    }

    /// Killed with SIGKILL in the middle of it, and once more after its end; and replaced.
    @Test func `go on when the daemon is killed, and when it is replaced`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        #expect(try daemon.torpor("launch", "app").status == 0)
        let go = "\(daemon.directory)/go"
        let first = try begin(daemon, "echo words; \(untilThere(go)); exit 4")
        try daemon.killAndRestart()
        #expect(try transfers(daemon).first?["stage"] as? String == "running")
        let second = try begin(daemon, "\(untilThere(go + "2")); exit 5")
        #expect(second == first + 1)
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try transfers(daemon).count == 2)
        // It ends while no daemon is there.
        try daemon.killAndRestart {
            try touch(go)
            _ = try eventually("the holder to be gone") {
                let report = try String(
                    contentsOfFile: "\(daemon.directory)/run/transfers/\(first).report", encoding: .utf8)
                return report.contains("over exited:4") ? true : nil
            }
        }
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["transfer"] as? Int == first && end["exitStatus"] as? Int == 4)
        #expect(end["output"] as? [String] == ["words"])
        try touch(go + "2")
        let last = try #require(try awaitTold(daemon, 2).last?.first)
        #expect(last["transfer"] as? Int == second && last["exitStatus"] as? Int == 5)
        try expectNothingLeft(daemon, [first, second])
        #expect(try told(daemon).count == 2)
    }

    @Test func `whose holder is killed are lost, and nothing of them is left`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        _ = try begin(daemon, "exec sleep 1000")
        let command = try eventually("its process") { try transfers(daemon).first?["pid"] as? Int }
        let stat = try String(contentsOfFile: "/proc/\(command)/stat", encoding: .utf8)
        let holder = try #require(Int32(stat.split(separator: ")").last?.split(separator: " ")[1] ?? ""))
        kill(holder, SIGKILL)
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["outcome"] as? String == "lost" && end["exitStatus"] == nil)
        _ = try eventually("its process to be gone") { kill(Int32(command), 0) == 0 ? nil : true }
    }

    @Test func `of a worker that is removed go on, are listed and can be cancelled`() throws {
        let daemon = try daemon(Self.woken)
        let number = try begin(daemon, "exec sleep 1000")
        try FileManager.default.removeItem(atPath: "\(daemon.directory)/conf/workers/app.worker")
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("transfers").output.contains("running"))
        #expect(try daemon.torpor("transfer", "--cancel", "\(number)", "app").status == 0)
        _ = try eventually("its end") {
            try transfers(daemon).first?["outcome"] as? String == "cancelled" ? true : nil
        }
        #expect(try daemon.torpor("transfer", "--cancel", "\(number)", "app").status == 0)
        #expect(try transfers(daemon).isEmpty)
    }

    /// Begun over its socket, and told over that to its next process.
    @Test func `of a worker with the library are its own`() throws {
        let daemon = try daemon(Self.woken, WorkerFiles.app + "\nURLSchemes=count\n")
        try daemon.process.errors.until("inactive → active")
        #expect(try daemon.torpor("open", "count:transfer").status == 0)
        try daemon.process.errors.until("transfer 1 (seven) began")
        #expect(try daemon.torpor("terminate", "app").status == 0)
        try daemon.process.errors.until("launch: transfer")
        _ = try eventually("the end to be told") { try transfers(daemon).isEmpty ? true : nil }
        // What it has printed is in its log when it has ended by itself, which it does awake.
        #expect(try daemon.torpor("activate", "app").status == 0)
        #expect(try daemon.torpor("terminate", "app").status == 0)
        let lines = daemon.lines(of: "app.log")
        #expect(
            lines.contains("transfer 1") && lines.contains("ended 1 seven failed 7 [\"words\"]"), "\(lines)")
    }

    @Test func `that cannot be started are refused in one line`() throws {
        let daemon = try daemon("")
        let missing = try daemon.torpor(
            "transfer", "app", "--working-directory", "\(daemon.directory)/no/such", "--", "/bin/true")
        #expect(missing.status == 78 && missing.errors.split(separator: "\n").count == 1, "\(missing)")
        #expect(missing.errors.contains("/no/such"), "\(missing)")
        #expect(try daemon.torpor("transfer", "nothing", "--", "/bin/true").status == 4)
        #expect(try daemon.torpor("transfer", "app").status == 64)
        #expect(try transfers(daemon).isEmpty)
        // A program that is not there is an end as any other: the holder finds that out.
        #expect(try daemon.torpor("transfer", "app", "--", "/no/such").status == 0)
        _ = try eventually("its end") {
            try daemon.torpor("transfers").output.contains("failed") ? true : nil
        }
    }

    /// A large copy beside a worker that is killed for memory meanwhile; the whole sequence, as the log has it.
    @Test func `copy while the worker is gone`() throws {
        let daemon = try daemon(Self.woken + Self.telling)
        #expect(try daemon.torpor("launch", "app").status == 0)
        let (from, to) = ("\(daemon.directory)/from", "\(daemon.directory)/to")
        let go = "\(daemon.directory)/go"
        _ = try begin(daemon, "head -c 100000000 /dev/urandom >\(from); \(untilThere(go)); cp \(from) \(to)")
        #expect(try daemon.torpor("terminate", "app").status == 0)
        try touch(go)
        let end = try #require(try awaitTold(daemon, 1).first?.first)
        #expect(end["outcome"] as? String == "completed")
        #expect(FileManager.default.contentsEqual(atPath: from, andPath: to))
    }
}
