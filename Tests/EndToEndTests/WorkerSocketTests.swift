import Foundation
import Glibc
import TestSupport
import Testing

/// Workers that live by the contract, over their own socket, with all that can go wrong there (issue: callbacks and time).
@Suite(.timeLimit(.minutes(60))) struct `A worker on its socket` {
    /// A daemon with one test worker that does `arguments`, and another one that nothing may disturb.
    private func daemon(_ arguments: String = "", _ more: String = "") throws -> DaemonUnderTest {
        let program = (Wrapper.testPrograms as NSString).appendingPathComponent("TestWorker")
        return try DaemonUnderTest([
            "app": """
            [Worker]
            ExecStart=\(program) --log DIRECTORY/app.log \(arguments)
            Type=app
            URLSchemes=game
            \(more)
            """,
            "other": "[Worker]\nExecStart=/bin/sleep 1000\nLaunch=boot\n",
        ])
    }

    /// What the worker was told in all its lives, in order.
    private func callbacks(_ daemon: DaemonUnderTest) throws -> [String] {
        try events(daemon).filter { $0["event"] as? String == "callback" }.compactMap {
            $0["name"] as? String
        }
    }

    private func events(_ daemon: DaemonUnderTest) throws -> [[String: Any]] {
        let text = try String(contentsOfFile: "\(daemon.directory)/app.log", encoding: .utf8)
        return text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Looks again until it is so; the tests' own time limit ends it.
    private func wait(_ isSo: () throws -> Bool) throws {
        // A hang is a failure, and no reason to hang.
        let deadline = Date(timeIntervalSinceNow: 240)
        while try !isSo() {
            guard Date.now < deadline else { throw TimedOut(description: "it has not come about") }
            usleep(2000)
        }
    }

    private func othersGoOn(_ daemon: DaemonUnderTest) throws -> Bool {
        try daemon.torpor("suspend", "other").status == 0 && daemon.torpor("resume", "other").status == 0
    }

    private static let launched = ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]
    private static let left = ["willResignActive", "didEnterBackground", "shouldSaveState", "saveState"]

    @Test func `hears of its whole life in order`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        #expect(try daemon.torpor("open", "game:42").status == 0)
        #expect(try daemon.torpor("resign", "app").status == 0)
        #expect(try daemon.torpor("activate", "app").status == 0)
        #expect(try daemon.torpor("terminate", "app").status == 0)
        #expect(
            try callbacks(daemon) == Self.launched + Self.left + [
                "willEnterForeground", "openURL", "didBecomeActive", "willResignActive", "didBecomeActive",
                "willResignActive", "willTerminate",
            ])
        let told = try events(daemon).filter { $0["event"] as? String == "callback" }
        #expect(told.first { $0["name"] as? String == "openURL" }?["url"] as? String == "game:42")
        let asleep = told.first { $0["name"] as? String == "willEnterForeground" }?["suspendedForUsec"]
        #expect(asleep as? Int ?? 0 > 0)
        let report = try daemon.torpor("report", "app")
        #expect(report.status == 0 && report.output.contains("stopped"), "\(report)")
        let history = try daemon.torpor("history", "app").output
        #expect(history.contains("suspended") && history.contains("active"))
    }

    @Test func `gets its state back once`() throws {
        let daemon = try daemon("--on saveState=state:hello")
        for _ in 0..<3 {
            #expect(try daemon.torpor("launch", "app").status == 0)
            // It sleeps when it has answered with its state.
            #expect(try daemon.torpor("suspend", "app").status == 0)
            #expect(try daemon.torpor("terminate", "app").status == 0)
        }
        let restored = try events(daemon).filter { $0["name"] as? String == "restoreState" }
        #expect(restored.count == 2)
        #expect((restored.first?["state"] as? [String: String]) == ["text": "hello"])
        let starts = try events(daemon).filter { $0["event"] as? String == "start" }
        let files = starts.map { ($0["environment"] as? [String: String])?["TORPOR_RESTORE"] != nil }
        #expect(files == [false, true, true])
    }

    @Test func `loses a state that it dies with`() throws {
        let daemon = try daemon("--on saveState=state:bad --on restoreState=abort")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        #expect(try daemon.torpor("terminate", "app").status == 0)
        #expect(try daemon.torpor("launch", "app").status != 0)
        #expect(try daemon.torpor("launch", "app").status == 0, "the bad state is set aside")
        try wait {
            FileManager.default.fileExists(atPath: "\(daemon.directory)/state/saved/app.state.aside")
        }
    }

    // MARK: background time

    @Test func `is not suspended before its task has ended`() throws {
        let daemon = try daemon("--on didBecomeActive=begin:work:300,remaining,complete")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        #expect(try daemon.torpor("why", "app").output.hasPrefix("app is suspended"))
        // It was frozen as soon as that was answered, and tells of it now.
        #expect(try daemon.torpor("resume", "app").status == 0)
        try wait {
            try events(daemon).contains { ($0["method"] as? String)?.hasSuffix("EndBackgroundTask") ?? false }
        }
    }

    @Test func `is warned of the end of its background time, and killed when it overstays`() throws {
        let daemon = try daemon(
            "--on didBecomeActive=begin:work,complete", "[Background]\nTaskLimitSec=6s\nTaskWarningSec=5s")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status != 0)
        #expect(try callbacks(daemon).last == "backgroundTaskWillExpire")
        #expect(try daemon.torpor("report", "app").output.contains("0x2182bad2"))
        #expect(try othersGoOn(daemon))
    }

    @Test func `may begin so many tasks and no more`() throws {
        let daemon = try daemon("--on didBecomeActive=complete,flood:1000")
        #expect(try daemon.torpor("launch", "app").status == 0)
        try wait { try events(daemon).contains { $0["event"] as? String == "flooded" } }
        let flood = try #require(try events(daemon).first { $0["event"] as? String == "flooded" })
        #expect(flood["begun"] as? Int == 256)
        #expect((flood["refused"] as? [String: Int]) == ["io.torpor.Worker.TooManyTasks": 744])
        #expect(try othersGoOn(daemon))
    }

    @Test func `is held awake by a command`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "app").status == 0)
        let held = try daemon.torpor(
            "hold", "app", "--", "/bin/sh", "-c",
            "\(Wrapper.program) suspend --socket \(daemon.socket) --no-wait app; "
                + "\(Wrapper.program) why --socket \(daemon.socket) app; exit 7")
        #expect(held.status == 7)
        #expect(held.output.contains("app is background") || held.output.contains("app is active"))
        #expect(try daemon.torpor("suspend", "app").status == 0)
    }

    // MARK: what can go wrong

    @Test(arguments: ["twice", "stranger", "complete,endStranger"])
    func `that answers what nobody asked gets an error, and goes on`(_ actions: String) throws {
        let daemon = try daemon("--on didBecomeActive=\(actions),complete")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        let errors = try events(daemon).compactMap { $0["error"] as? String }
        #expect(errors.contains { $0.hasPrefix("io.torpor.Worker.NoSuch") }, "\(errors)")
        #expect(try othersGoOn(daemon))
    }

    @Test(arguments: [
        "willResignActive=nothing", "didEnterBackground=nothing", "didEnterBackground=block:5000",
    ])
    func `that overstays a callback is killed for it, and nobody else`(_ rule: String) throws {
        // What it is to overstay and nothing else: a busy machine may need longer for the other.
        let key = rule.prefix(1).uppercased() + rule.dropFirst().prefix { $0 != "=" }
        let daemon = try daemon("--on \(rule)", "[Callbacks]\n\(key)TimeoutSec=200ms")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status != 0)
        let report = try daemon.torpor("report", "app").output
        #expect(report.contains("0x8badf00d"), "\(report)")
        #expect(report.contains(rule.split(separator: "=")[0]), "\(report)")
        #expect(try othersGoOn(daemon))
    }

    @Test func `that saves a gigabyte is told that it is too much`() throws {
        let daemon = try daemon("--on didBecomeActive=complete,save:1000000000")
        #expect(try daemon.torpor("launch", "app").status == 0)
        try wait { try events(daemon).contains { $0["event"] as? String == "saved" } }
        #expect(try othersGoOn(daemon))
        #expect(try daemon.torpor("suspend", "app").status == 0)
    }

    @Test func `that closes its socket in the middle of a callback goes on without it`() throws {
        let daemon = try daemon("--on willResignActive=close")
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("suspend", "app").status == 0)
        #expect(try othersGoOn(daemon))
        #expect(try daemon.torpor("resume", "app").status == 0)
    }

    @Test func `that never attaches is killed when its launch is overdue`() throws {
        let daemon = try daemon("--no-attach", "TimeoutStartSec=300ms")
        #expect(try daemon.torpor("launch", "app").status != 0)
        #expect(try daemon.torpor("report", "app").output.contains("0x8badf00d"))
    }

    @Test func `whose launch is refused is not given the URL`() throws {
        let daemon = try daemon("--on didFinishLaunching=refuse")
        let opened = try daemon.torpor("open", "game:42")
        #expect(opened.status == 75)
        #expect(opened.errors.contains("refused its launch options"))
        #expect(try !callbacks(daemon).contains("openURL"))
        #expect(try daemon.torpor("open", "other:42").errors.contains("URLSchemes=other"))
    }

    @Test func `listens to nobody else`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "app").status == 0)
        let path = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "\(daemon.directory)/run").first {
                $0.hasSuffix(".worker")
            })
        let descriptor = try connectedSocket(to: "\(daemon.directory)/run/\(path)")
        defer { close(descriptor) }
        var byte: UInt8 = 0
        #expect(read(descriptor, &byte, 1) <= 0, "closed without a word")
    }

    // MARK: the foreground

    @Test func `hands an exclusive foreground over`() throws {
        let program = (Wrapper.testPrograms as NSString).appendingPathComponent("TestWorker")
        func file(_ name: String) -> String {
            """
            [Worker]
            ExecStart=\(program) --log DIRECTORY/app.log
            Type=app
            [Foreground]
            ForegroundGroup=games
            """
        }
        let daemon = try DaemonUnderTest(["a": file("a"), "b": file("b")])
        #expect(try daemon.torpor("launch", "a").status == 0)
        #expect(try daemon.torpor("launch", "b").status == 0)
        // The other one may come as soon as it has left the foreground.
        try wait { try daemon.torpor("why", "a").output.hasPrefix("a is suspended") }
        #expect(try daemon.torpor("why", "b").output.hasPrefix("b is active"))
        let all = try callbacks(daemon)
        // Two processes write that down, each at its own pace: what is told only after the other has answered is in order.
        let resigns = try #require(all.lastIndex(of: "willResignActive"))
        #expect(
            Array(all.prefix(6)) == Self.launched + [
                "willFinishLaunching", "didFinishLaunching", "willResignActive",
            ])
        #expect(resigns < (all.lastIndex(of: "willEnterForeground") ?? 0))
        #expect(all.contains("didEnterBackground"))
        #expect(resigns < (all.lastIndex(of: "didBecomeActive") ?? 0))
    }
}
