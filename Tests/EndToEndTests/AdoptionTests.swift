import Cgroups
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// A daemon that is killed, and the one that comes after it (issue: at home under systemd, 2).
@Suite(.long, .timeLimit(.minutes(60))) struct `A daemon after a crash` {
    private func started(_ daemon: DaemonUnderTest) throws -> [String: Listed] {
        Dictionary(uniqueKeysWithValues: try daemon.list().map { ($0.name, $0) })
    }

    @Test func `finds its workers as they were, each once, and leads them on`() throws {
        let sleeper = WorkerFiles.sleeper
        let daemon = try DaemonUnderTest([
            "used": sleeper, "behind": sleeper, "asleep": sleeper, "over": sleeper,
            "never": WorkerFiles.idle,
        ])
        #expect(try daemon.torpor("background", "behind").status == 0)
        #expect(try daemon.torpor("suspend", "asleep").status == 0)
        #expect(try daemon.torpor("terminate", "over").status == 0)
        let before = try started(daemon)
        try daemon.killAndRestart()
        let after = try started(daemon)
        for name in ["used", "behind", "asleep"] {
            let (old, new) = (try #require(before[name]), try #require(after[name]))
            #expect(new.pid == old.pid && new.state == old.state && new.goal == old.goal, "\(name)")
            #expect(new.adopted == true && old.adopted == nil, "\(name)")
            // It has not changed its state since: only the wall clock's reading may differ a little.
            #expect(abs(new.since - old.since) < 1_000_000, "\(name)")
        }
        #expect(after["over"]?.state == "notRunning")
        #expect(after["never"]?.state == "notRunning")
        #expect(try daemon.torpor("list").output.contains("adopted"))
        #expect(try daemon.torpor("activate", "asleep").status == 0)
        #expect(try daemon.torpor("suspend", "used").status == 0)
        #expect(try daemon.torpor("terminate", "behind").status == 0)
        let last = try started(daemon)
        #expect(last["asleep"]?.state == "active" && last["used"]?.state == "suspended")
        #expect(last["behind"]?.state == "notRunning")
        // A worker that the daemon launches itself is not adopted.
        #expect(try daemon.torpor("launch", "over").status == 0)
        #expect(try started(daemon)["over"]?.adopted == nil)
    }

    @Test func `learns of the end of a worker that is not its child, and how it ended`() throws {
        let daemon = try DaemonUnderTest([
            "web": """
            [Worker]
            ExecStart=/bin/sh -c 'trap "exit 7" TERM; : > DIRECTORY/trapped; while :; do sleep 0.02; done'
            Launch=boot
            Restart=on-failure
            RestartSec=10ms
            """
        ])
        try daemon.killAndRestart()
        let pid = try #require(try started(daemon)["web"]?.pid)
        // Before, SIGTERM would end it, and that is no failure.
        _ = try eventually("its trap") { access("\(daemon.directory)/trapped", F_OK) == 0 ? true : nil }
        kill(pid, SIGTERM)
        let next = try eventually("it is started again") {
            try started(daemon)["web"].flatMap {
                $0.pid != nil && $0.pid != pid && $0.state == "active" ? $0 : nil
            }
        }
        #expect(next.adopted == nil)
        let report = try daemon.torpor("report", "web").output
        let release = Machine.current.kernelRelease.split(separator: ".").prefix(2).compactMap { Int($0) }
        if !release.lexicographicallyPrecedes([6, 15]) {
            #expect(report.contains("Exit status: 7"), "\(report)")
        } else {
            #expect(report.contains("unknown"), "\(report)")
        }
    }

    @Test func `takes an end that nobody saw for a failure`() throws {
        let daemon = try DaemonUnderTest([
            "web": WorkerFiles.persistent, "quiet": WorkerFiles.sleeper,
        ])
        let before = try started(daemon)
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        for name in ["web", "quiet"] {
            let pid = try #require(before[name]?.pid)
            kill(pid, SIGTERM)
            _ = try eventually("it is gone") { state(of: pid) == nil ? true : nil }
        }
        try daemon.killAndRestart()
        let next = try eventually("it is started again") {
            try started(daemon)["web"].flatMap { $0.state == "active" ? $0 : nil }
        }
        #expect(next.pid != before["web"]?.pid)
        let quiet = try started(daemon)["quiet"]
        #expect(quiet?.state == "notRunning" && quiet?.reason == "failed")
    }

    @Test func `goes on with hooks, input, watchdogs and what is posted`() throws {
        let daemon = try DaemonUnderTest([
            "cli": """
            [Worker]
            ExecStart=/bin/sh -c 'while read line; do echo "read $line" >> DIRECTORY/cli.log; done'
            Launch=boot
            [Callbacks]
            WillResignActive=stdin:resign
            DidEnterBackground=exec:/bin/sh -c 'echo "hook $TORPOR_CALLBACK $TORPOR_WORKER" >> DIRECTORY/cli.log'
            [Notifications]
            news=exec:/bin/sh -c 'echo "news $TORPOR_NOTIFICATION_PAYLOAD" >> DIRECTORY/cli.log'
            """,
            "daemon": WorkerFiles.watched(within: "3s"),
        ])
        #expect(try daemon.torpor("launch", "daemon").status == 0)
        let before = try started(daemon)
        try daemon.killAndRestart()
        #expect(try daemon.torpor("suspend", "cli").status == 0)
        _ = try eventually("both hooks") {
            let lines = daemon.lines(of: "cli.log")
            return lines.contains("read resign") && lines.contains("hook didEnterBackground cli") ? true : nil
        }
        #expect(try daemon.torpor("post", "cli", "news", "--payload", #"{"n":1}"#).status == 0)
        try daemon.killAndRestart()
        #expect(!daemon.lines(of: "cli.log").contains { $0.hasPrefix("news") })
        #expect(try daemon.torpor("activate", "cli").status == 0)
        _ = try eventually("what was posted") {
            daemon.lines(of: "cli.log").contains(#"news {"n":1}"#) ? true : nil
        }
        let count = try eventually("a beat") { try beats(daemon) }
        _ = try eventually("another beat") { try beats(daemon).flatMap { $0 > count ? true : nil } }
        let after = try started(daemon)
        #expect(after["daemon"]?.pid == before["daemon"]?.pid && after["daemon"]?.state == "active")
    }

    /// How often the watched worker has said that it lives, as it is heard now.
    private func beats(_ daemon: DaemonUnderTest) throws -> Int? {
        try daemon.torpor("status", "daemon").output.firstMatch(of: /beat (\d+)/).flatMap { Int($0.1) }
    }

    @Test func `is found again by a worker on its socket, which hears what it was not told`() throws {
        let daemon = try DaemonUnderTest(["app": WorkerFiles.app])
        #expect(try daemon.torpor("activate", "app").status == 0)
        let pid = try started(daemon)["app"]?.pid
        try daemon.killAndRestart()
        #expect(try started(daemon)["app"]?.pid == pid)
        // At once, when it has hardly had the time to connect anew.
        #expect(try daemon.torpor("suspend", "app").status == 0)
        try daemon.killAndRestart()
        #expect(try started(daemon)["app"]?.state == "suspended")
        #expect(try daemon.torpor("activate", "app").status == 0)
        #expect(try daemon.torpor("terminate", "app").status == 0)
        let told = daemon.lines(of: "app.log").filter {
            !$0.hasPrefix("linger") && !$0.hasPrefix("wasSuspended")
        }
        #expect(
            told == [
                "supervised: true", "willFinishLaunching boot restores: false", "didFinishLaunching",
                "didBecomeActive 1", "willResignActive", "didEnterBackground", "willEnterForeground",
                "didBecomeActive 2", "willResignActive", "willTerminate", "over",
            ], "\(told)")
    }

    /// Completes each callback by a connection on which it reads no answer, and connects anew when that is over.
    private static let inattentive = """
        import json, os, socket, time
        def connection():
            s = socket.socket(socket.AF_UNIX); s.connect(os.environ['TORPOR_SOCKET']); return s
        def serve():
            calls, attached = connection(), connection()
            attached.sendall(b'{"method":"io.torpor.Worker.Attach","parameters":{},"more":true}\\0')
            rest = b''
            while data := attached.recv(65536):
                rest += data
                while b'\\0' in rest:
                    message, rest = rest.split(b'\\0', 1)
                    if callback := json.loads(message)['parameters'].get('callback'):
                        print(callback['name'], flush=True)
                        calls.sendall(json.dumps({'method': 'io.torpor.Worker.Complete',
                            'parameters': {'id': callback['id']}}).encode() + b'\\0')
        while True:
            try: serve()
            except OSError: time.sleep(0.01)
        """

    @Test(.requires(.program("/usr/bin/python3")))
    func `lets a worker sleep on that has not read the last answer of the one before`() throws {
        let daemon = try DaemonUnderTest([
            "app": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/app.py
            StandardOutput=append:DIRECTORY/app.log
            Type=app
            """
        ])
        try Self.inattentive.write(
            toFile: "\(daemon.directory)/app.py", atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "app").status == 0)
        #expect(try daemon.torpor("activate", "app").status == 0)
        for _ in 0..<3 {
            #expect(try daemon.torpor("suspend", "app").status == 0)
            try daemon.killAndRestart()
            _ = try eventually("it to be watched") {
                try daemon.torpor("status", "app").output.contains("Wakes by:") ? true : nil
            }
            #expect(try started(daemon)["app"]?.state == "suspended")
            #expect(try daemon.torpor("activate", "app").status == 0)
        }
        #expect(try daemon.torpor("terminate", "app").status == 0)
        #expect(daemon.lines(of: "app.log").count { $0 == "willEnterForeground" } == 3)
    }

    @Test func `knows workers that were defined without a file`() throws {
        let daemon = try DaemonUnderTest([:])
        #expect(
            try daemon.torpor("launch", "--transient", "--name", "job", "--", "/bin/sleep", "1000").status
                == 0)
        let pid = try started(daemon)["job"]?.pid
        try daemon.killAndRestart()
        #expect(try started(daemon)["job"]?.pid == pid)
        #expect(try daemon.torpor("terminate", "job").status == 0)
        _ = try eventually("it is forgotten") { try started(daemon)["job"] == nil ? true : nil }
        #expect(!FileManager.default.fileExists(atPath: "\(daemon.directory)/run/transient/job.json"))
    }

    @Test func `leads a worker whose file is gone to its end`() throws {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper])
        let pid = try started(daemon)["web"]?.pid
        unlink("\(daemon.directory)/conf/workers/web.worker")
        try daemon.killAndRestart()
        #expect(try started(daemon)["web"]?.pid == pid)
        #expect(try daemon.torpor("terminate", "web").status == 0)
        _ = try eventually("it is forgotten") { try started(daemon)["web"] == nil ? true : nil }
    }
}

/// What stands in the way of the next daemon.
@Suite(.timeLimit(.minutes(60)), .requires(.cgroupV2Writable))
struct `A daemon after a crash that finds something odd` {
    @Test func `leaves others' processes in a worker's group alone, and starts the worker beside them`()
        throws
    {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper])
        let base = try daemon.groups()
        #expect(try daemon.torpor("terminate", "web").status == 0)
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        let group = try Cgroup(path: base).makeChild(try #require(CgroupName("worker-web")))
        let nobody = try Cgroup(path: base).makeChild(try #require(CgroupName("worker-nobody")))
        let strangers = try [group, nobody].map { group in
            let stranger = try Wrapper([], [], line: ["/bin/sleep", "1000"])
            try group.adopt(process: stranger.pid)
            return stranger
        }
        try daemon.killAndRestart()
        #expect(try daemon.list().map(\.name) == ["web"])
        #expect(try daemon.list().first?.state == "notRunning")
        #expect(try daemon.torpor("launch", "web").status == 0)
        // The next one finds it where it lives, and not where others do.
        try daemon.killAndRestart()
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try !group.events().isFrozen)
        #expect(try Cgroup(path: "\(base)/worker-web~2").events().isFrozen)
        #expect(try daemon.torpor("kill", "web").status == 0)
        for stranger in strangers { try awaitState("S", of: stranger.pid) }
        for stranger in strangers {
            stranger.send(SIGKILL)
            _ = try stranger.wait()
        }
        for group in [group, nobody] { try group.remove() }
    }

    @Test func `takes over a worker whose group was removed`() throws {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper])
        let base = try daemon.groups()
        let pid = try #require(try daemon.list().first?.pid)
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        let elsewhere = try Cgroup(path: base).makeChild(try #require(CgroupName("elsewhere")))
        try elsewhere.adopt(process: pid)
        try Cgroup(path: "\(base)/worker-web").remove()
        try daemon.killAndRestart()
        #expect(try daemon.list().first?.pid == pid)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try Cgroup(path: "\(base)/worker-web").events().isFrozen)
        try elsewhere.remove()
        #expect(try daemon.torpor("terminate", "web").status == 0)
    }

    @Test(arguments: ["newer", "damaged", "gone"])
    func `knows its workers by their groups where the records are of no use`(_ how: String) throws {
        let daemon = try DaemonUnderTest(["web": WorkerFiles.sleeper, "cron": WorkerFiles.sleeper])
        #expect(try daemon.torpor("suspend", "cron").status == 0)
        let before = try daemon.list()
        daemon.process.send(SIGKILL)
        _ = try daemon.process.wait()
        let path = "\(daemon.directory)/run/live"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        switch how {
        // Behind the name of the file's kind.
        case "newer": bytes[20] = 99
        case "damaged": for index in 0..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
        default: bytes = Data()
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        try daemon.killAndRestart()
        let after = try daemon.list()
        #expect(after.map(\.pid) == before.map(\.pid))
        #expect(after.map(\.state) == before.map(\.state))
        #expect(after.allSatisfy { $0.adopted == true })
        #expect(try daemon.torpor("activate", "cron").status == 0)
        #expect(try daemon.torpor("terminate", "web").status == 0)
    }
}
