import ConfigurationSyntax
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Posts to real programs by a real daemon, and what becomes of them when that is killed.
@Suite(.timeLimit(.minutes(60))) struct `What is posted` {
    /// The beginning of a worker in Python: how it connects to the worker interface, and calls.
    private static let connecting = #"""
        import json, os, socket
        path = os.environ["TORPOR_SOCKET"]
        def connected():
            end = socket.socket(socket.AF_UNIX)
            end.connect("\0" + path[1:] if path.startswith("@") else path)
            return end, end.makefile("rb")
        def send(end, method, more=False, **parameters):
            call = {"method": "io.torpor.Worker." + method, "parameters": parameters, "more": more}
            end[0].sendall(json.dumps(call).encode() + b"\0")
        """#

    /// A worker that does nothing, and has a hook for each of these topics.
    private static func idle(hearing topics: String...) -> String {
        """
        [Worker]
        ExecStart=/bin/sleep 1000
        [Notifications]
        \(topics.map { "\($0)=exec:/bin/true" }.joined(separator: "\n"))
        """
    }

    @Test(.requires(.python), arguments: [false, true])
    func `by a worker that ends at once is kept`(_ waits: Bool) throws {
        let daemon = try DaemonUnderTest([
            "poster": "[Worker]\nExecStart=/usr/bin/python3 DIRECTORY/poster.py\nType=app\n"
        ])
        try
            (Self.connecting + """

                import time
                end = connected()
                \(waits ? "time.sleep(0.2)" : "")
                call = {"method": "io.torpor.Worker.Post", "parameters": {"topic": "news", "rule": "count"}}
                end[0].sendall(json.dumps({**call, "oneway": True}).encode() + b"\\0" + json.dumps(call).encode() + b"\\0")
                os._exit(0)

                """).write(toFile: "\(daemon.directory)/poster.py", atomically: true, encoding: .utf8)
        for round in 1...8 {
            #expect(try daemon.torpor("launch", "--no-wait", "poster").status == 0)
            try eventually("it has ended") {
                let history = try daemon.torpor("history", "poster").output
                return history.components(separatedBy: "ended: exited, status 0").count > round ? () : nil
            }
            let queue = try daemon.torpor("notifications", "poster", "--json=short").output
            #expect(queue.contains("\"count\":\(2 * round),"), "\(queue)")
        }
    }

    @Test(.requires(.program("/usr/bin/dbus-daemon")))
    func `fifty times to a bus that sleeps is one SIGHUP when it wakes`() throws {
        let daemon = try DaemonUnderTest([
            "bus": """
            [Worker]
            ExecStart=/usr/bin/dbus-daemon --nofork --nopidfile --config-file=DIRECTORY/conf/bus.conf
            StandardOutput=append:DIRECTORY/bus.log
            StandardError=append:DIRECTORY/bus.log
            [Notifications]
            settingsChanged=signal:SIGHUP
            """
        ])
        try daemon.write(
            "../bus.conf",
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(daemon.directory)/bus</listen>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow own="*"/></policy>
            </busconfig>
            """)
        #expect(try daemon.torpor("launch", "bus").status == 0)
        let pid = try #require(try daemon.list().first?.pid)
        _ = try eventually("the bus to listen, and to know SIGHUP") {
            access("\(daemon.directory)/bus", F_OK) == 0 && catches(SIGHUP, pid) ? true : nil
        }
        #expect(try daemon.torpor("suspend", "bus").status == 0)
        for _ in 0..<50 { #expect(try daemon.torpor("post", "bus", "settingsChanged").status == 0) }
        let listed = try daemon.torpor("notifications", "bus").output
        #expect(listed.contains("settingsChanged") && listed.contains(" 50 "))
        #expect(reloads(daemon) == 0)
        #expect(try daemon.torpor("activate", "bus").status == 0)
        _ = try eventually("the bus to reload") { reloads(daemon) > 0 ? true : nil }
        #expect(try daemon.torpor("notifications", "bus").output.contains("0 notifications"))
        // While it runs each is a signal of its own: what came with the first fifty is over by then.
        #expect(try daemon.torpor("post", "bus", "settingsChanged").status == 0)
        _ = try eventually("the bus to reload again") { reloads(daemon) > 1 ? true : nil }
        #expect(reloads(daemon) == 2)
        let unwanted = try daemon.torpor("post", "bus", "unknown.topic")
        #expect(
            unwanted.status == 64 && unwanted.errors.contains("its definition has no receiver for this topic")
        )
    }

    private func reloads(_ daemon: DaemonUnderTest) -> Int {
        let log = (try? String(contentsOfFile: "\(daemon.directory)/bus.log", encoding: .utf8)) ?? ""
        return log.components(separatedBy: "Reloaded configuration").count - 1
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `is pending as a signal before the program runs again`() throws {
        let daemon = try DaemonUnderTest([
            "watcher": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/conf/watcher.py
            StandardOutput=append:DIRECTORY/watcher.log
            [Notifications]
            settingsChanged=signal:SIGHUP
            """
        ])
        // The signal is blocked: what is pending stays so, and is looked at first of all after a sleep.
        try daemon.write(
            "../watcher.py",
            """
            import signal, time
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
            print("ready", flush=True)
            before = time.monotonic()
            while True:
                time.sleep(0.001)
                now = time.monotonic()
                if now - before > 0.5:
                    print("pending" if signal.SIGHUP in signal.sigpending() else "late", flush=True)
                before = time.monotonic()
            """)
        func log() -> String {
            (try? String(contentsOfFile: "\(daemon.directory)/watcher.log", encoding: .utf8)) ?? ""
        }
        #expect(try daemon.torpor("launch", "watcher").status == 0)
        _ = try eventually("the program to be ready") { log().contains("ready") ? true : nil }
        #expect(try daemon.torpor("suspend", "watcher").status == 0)
        for _ in 0..<50 { #expect(try daemon.torpor("post", "watcher", "settingsChanged").status == 0) }
        // Longer than what the program takes for a sleep: nothing tells us when that has passed but the clock.
        usleep(600_000)
        // It may have been late before it slept, on a busy machine.
        let before = log().split(separator: "\n").count
        #expect(try daemon.torpor("activate", "watcher").status == 0)
        let said = try eventually("the program to notice") {
            log().split(separator: "\n").dropFirst(before).first
        }
        #expect(said == "pending")
    }

    @Test func `and answered is there again after kill -9, and what was scheduled too`() throws {
        let daemon = try DaemonUnderTest(["idle": Self.idle(hearing: "chat", "state")])
        #expect(
            try daemon.torpor("post", "idle", "chat", "--rule", "each", "--payload", #"{"n":1}"#).status == 0)
        #expect(
            try daemon.torpor("post", "idle", "chat", "--rule", "each", "--payload", #"{"n":2}"#).status == 0)
        #expect(try daemon.torpor("post", "idle", "state", "--transient").status == 0)
        #expect(
            try daemon.torpor("post", "idle", "chat", "--at", "+1h", "--every", "1h").output.contains(
                "number 1"))
        #expect(try daemon.torpor("post", "idle", "chat", "--at", "2020-01-01").status == 64)
        try daemon.killAndRestart()
        let listed = try daemon.torpor("notifications", "idle", "--json=short").output
        #expect(listed.contains(#"{"n":1}"#) && listed.contains(#"{"n":2}"#))
        #expect(!listed.contains(#""topic":"state""#))
        #expect(listed.contains(#""everyUsec":3600000000"#))
        #expect(try daemon.torpor("status", "idle").output.contains("2 notifications"))
        #expect(try daemon.torpor("notifications", "idle", "--cancel", "1").status == 0)
        #expect(try daemon.torpor("notifications", "idle", "--cancel", "1").status == 64)
    }

    @Test func `before is there again as soon as it can be read, and nothing is added to it until then`()
        throws
    {
        let daemon = try DaemonUnderTest([
            "idle": "[Worker]\nExecStart=/bin/sleep 1000\n[Notifications]\nchat=exec:/bin/true\n"
        ])
        func post(_ number: Int, _ more: String...) throws -> Int32 {
            let line = ["post", "--socket", daemon.socket, "idle", "chat", "--rule", "each", "--payload"]
            let post = try Wrapper([], [], line: [Wrapper.program] + line + ["{\"n\":\(number)}"] + more)
            return try DaemonUnderTest.result(of: post).status
        }
        #expect(try post(1) == 0)
        let (file, aside) = ("\(daemon.directory)/state/torpor.db", "\(daemon.directory)/aside")
        // All of it is in the one file when no process has it open any more.
        daemon.process.send(SIGTERM)
        #expect(try daemon.process.wait() == .exited(0))
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        // No process can open a link to itself, not even one of root's.
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "torpor.db")
        try daemon.killAndRestart()
        #expect(try daemon.torpor("doctor").output.contains("retries automatically"))
        #expect(try post(2) == 75)
        #expect(try post(3, "--transient") == 0)
        // At once: in between, a new one could be made.
        #expect(rename(aside, file) == 0)
        _ = try eventually("it to be read") { try post(4) == 0 ? true : nil }
        let listed = try daemon.torpor("notifications", "idle", "--json=short").output
        let places = try [1, 3, 4].map { number in
            try #require(listed.range(of: "{\"n\":\(number)}"), "\(listed)").lowerBound
        }
        #expect(places == places.sorted(), "\(listed)")
        #expect(!listed.contains(#"{"n":2}"#))
        try daemon.killAndRestart()
        let kept = try daemon.torpor("notifications", "idle", "--json=short").output
        #expect(kept.contains(#"{"n":1}"#) && kept.contains(#"{"n":4}"#) && !kept.contains(#"{"n":3}"#))
    }

    @Test func `is refused when it cannot be kept, and taken all the same when it need not be`() throws {
        let daemon = try DaemonUnderTest(["idle": Self.idle(hearing: "chat")])
        // A file where its directory was.
        try FileManager.default.moveItem(
            atPath: "\(daemon.directory)/state", toPath: "\(daemon.directory)/away")
        try Data().write(to: URL(fileURLWithPath: "\(daemon.directory)/state"))
        try daemon.killAndRestart()
        let refused = try daemon.torpor("post", "idle", "chat")
        #expect(refused.status == 75 && refused.errors.contains("it cannot be stored"))
        #expect(try daemon.torpor("post", "idle", "chat", "--transient").status == 0)
        #expect(try daemon.torpor("notifications", "idle").output.contains("1 notification"))
        let tooLarge = "{\"a\":\"" + String(repeating: "x", count: 65_536) + "\"}"
        let large = try daemon.torpor("post", "idle", "chat", "--transient", "--payload", tooLarge)
        #expect(large.status == 64 && large.errors.contains("65536 bytes"))
        #expect(try daemon.torpor("post", "idle", "chat", "--payload", "[1]").status == 64)
        #expect(try daemon.torpor("post", "idle", "Chat").status == 64)
        #expect(try daemon.torpor("post", "nobody", "chat").status == 4)
    }

    @Test(.requires(.root), .requires(.program("/usr/bin/setpriv")))
    func `is refused to who has not the right, however it is written`() throws {
        let daemon = try DaemonUnderTest(["idle": Self.idle(hearing: "chat", "settingsChanged")])
        func post(_ arguments: String...) throws -> Int32 {
            let verb = try Wrapper(
                [], [],
                line: [
                    "/usr/bin/setpriv", "--reuid=65534", "--clear-groups", Wrapper.program, "post",
                    "--socket",
                    daemon.socket, "idle", "chat",
                ] + arguments)
            return try DaemonUnderTest.result(of: verb).status
        }
        #expect(try post() == 77)
        #expect(try post("--payload", #"{"b": 1, "a": 1.5}"#) == 77)
        #expect(try daemon.torpor("notifications", "idle").output.contains("0 notifications"))
        let rule = try daemon.torpor("post", "idle", "settingsChanged", "--rule", "latest")
        #expect(rule.status == 75)
    }

    @Test func `is not needed by what a path launches, in the background and with its name`() throws {
        let daemon = try DaemonUnderTest([
            "inbox": """
            [Worker]
            ExecStart=/bin/sh -c 'echo "$TORPOR_LAUNCH_STATE $TORPOR_LAUNCH_REASON $TORPOR_LAUNCH_OPTIONS"; exec sleep 1000'
            StandardOutput=append:DIRECTORY/inbox.log
            [Background]
            Modes=path
            [Notifications]
            WatchPaths=DIRECTORY/inbox
            pathsChanged=exec:/bin/sh -c 'echo "$TORPOR_NOTIFICATION_ADDED $TORPOR_NOTIFICATION_REMOVED" >> DIRECTORY/told.log'
            """
        ])
        let inbox = "\(daemon.directory)/inbox"
        func log(_ name: String) -> String {
            (try? String(contentsOfFile: "\(daemon.directory)/\(name).log", encoding: .utf8)) ?? ""
        }
        // Watched from when it is defined: until then there is nothing to compare with. It comes and goes, since a worker that is
        // woken is asleep again at once, and may not have said a word: being told of it takes as long as the hook does.
        var looks = 0
        _ = try eventually("it to be launched") {
            if looks % 250 == 0 { try "\(looks)".write(toFile: inbox, atomically: true, encoding: .utf8) }
            if looks % 250 == 125 { unlink(inbox) }
            looks += 1
            return log("inbox").isEmpty ? nil : true
        }
        #expect(log("inbox") == "background path {\"path\":\"\(inbox)\"}\n")
        #expect(try daemon.torpor("suspend", "inbox").status == 0)
        looks = 0
        _ = try eventually("it to be woken, told, and suspended again") {
            if looks % 250 == 0 { try "\(looks)".write(toFile: inbox, atomically: true, encoding: .utf8) }
            if looks % 250 == 125 { unlink(inbox) }
            looks += 1
            return log("told").contains("[] [\"\(inbox)\"]") ? true : nil
        }
        _ = try eventually("it to sleep again") {
            try daemon.torpor("status", "inbox").output.contains("suspended") ? true : nil
        }
        // What is there and changes is in both: first its content, then its attributes alone.
        let changed = "[\"\(inbox)\"] [\"\(inbox)\"]"
        try "there".write(toFile: inbox, atomically: true, encoding: .utf8)
        _ = try eventually("it to be told that it came") {
            log("told").hasSuffix("[\"\(inbox)\"] []\n") ? true : nil
        }
        var told = log("told").split(separator: "\n").count
        let changes: [() throws -> Void] = [
            { try "other".write(toFile: inbox, atomically: false, encoding: .utf8) },
            { chmod(inbox, 0o600) },
        ]
        for change in changes {
            try change()
            _ = try eventually("it to be told of the change") {
                log("told").split(separator: "\n").count > told ? true : nil
            }
            #expect(log("told").split(separator: "\n").last.map(String.init) == changed)
            told = log("told").split(separator: "\n").count
        }
        #expect(log("inbox").split(separator: "\n").count == 1)
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `has its sources open only while a connection asks for them`() throws {
        let daemon = try DaemonUnderTest([
            "asker": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/conf/asker.py
            Type=app
            TimeoutStartSec=infinity
            [Notifications]
            WatchSettings=DIRECTORY/settings
            """
        ])
        try daemon.write(
            "../asker.py",
            """
            import json, os, socket, time
            path = os.environ["TORPOR_SOCKET"]
            name = "\\0" + path[1:] if path.startswith("@") else path
            here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            open(here + "/up", "w").close()
            while True:
                while not os.path.exists(here + "/attach"): time.sleep(0.002)
                end = socket.socket(socket.AF_UNIX)
                end.connect(name)
                call = {"method": "io.torpor.Worker.Attach", "more": True, "parameters": {"callbacks": ["didReceiveNotifications"]}}
                end.sendall(json.dumps(call).encode() + b"\\0")
                while os.path.exists(here + "/attach"): time.sleep(0.002)
                end.close()
            """)
        func watches() throws -> Int {
            let place = "/proc/\(daemon.process.pid)/fd"
            return try FileManager.default.contentsOfDirectory(atPath: place)
                .filter { (try? readlink("\(place)/\($0)")) == "anon_inode:inotify" }.count
        }
        let attach = "\(daemon.directory)/attach"
        #expect(try watches() == 0)
        // It is launched when it has attached; that comes later.
        #expect(try daemon.torpor("launch", "asker", "--no-wait").status == 0)
        _ = try eventually("it to run") { access("\(daemon.directory)/up", F_OK) == 0 ? true : nil }
        // The freezer may have one of its own; the daemon answers when the launch is behind it.
        _ = try daemon.list()
        let before = try watches()
        for _ in 0..<3 {
            try Data().write(to: URL(fileURLWithPath: attach))
            _ = try eventually("its settings to be watched") { try watches() == before + 1 ? true : nil }
            unlink(attach)
            _ = try eventually("nothing to be watched any more") { try watches() == before ? true : nil }
        }
    }

    @Test
    func `of the system to a sleeper is there again after kill -9, with what changed while no daemon ran`()
        throws
    {
        let daemon = try DaemonUnderTest([
            "sleeper": """
            [Worker]
            ExecStart=/bin/sleep 1000
            [Notifications]
            WatchSettings=DIRECTORY/settings
            settingsChanged=exec:/bin/sh -c 'echo "settings $TORPOR_NOTIFICATION_COUNT" >> DIRECTORY/told.log'
            WatchPaths=DIRECTORY/place
            pathsChanged=exec:/bin/sh -c 'echo "$TORPOR_NOTIFICATION_ADDED" >> DIRECTORY/told.log'
            """
        ])
        func settings(_ text: String) throws {
            try text.write(toFile: "\(daemon.directory)/settings", atomically: true, encoding: .utf8)
        }
        func waits(_ topic: String) throws -> Bool {
            try daemon.torpor("notifications", "sleeper").output.contains(topic)
        }
        func told() -> [String] {
            let text = (try? String(contentsOfFile: "\(daemon.directory)/told.log", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }
        try settings("first")
        #expect(try daemon.torpor("launch", "sleeper").status == 0)
        #expect(try daemon.torpor("suspend", "sleeper").status == 0)
        var number = 0
        _ = try eventually("the settings to be watched") {
            number += 1
            if number % 100 == 1 { try settings("\(number)") }
            return try waits("settingsChanged") ? true : nil
        }
        // Queued, and lost with the daemon: what is recorded of the suspension tells it again.
        try daemon.killAndRestart()
        _ = try eventually("the change to be there again") { try waits("settingsChanged") ? true : nil }
        #expect(try daemon.torpor("activate", "sleeper").status == 0)
        _ = try eventually("it to be told") { told() == ["settings 1"] ? true : nil }
        _ = try eventually("it to be taken") { try waits("settingsChanged") ? nil : true }
        #expect(try daemon.torpor("suspend", "sleeper").status == 0)
        // Changed while no daemon runs, and of no worker's queue.
        try daemon.killAndRestart {
            try settings("while no daemon ran")
            #expect(mkdir("\(daemon.directory)/place", 0o755) == 0)
        }
        _ = try eventually("both to be known") {
            try waits("settingsChanged") && waits("pathsChanged") ? true : nil
        }
        // Told once by the queue that goes along, and not once more by comparing.
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try waits("settingsChanged"))
        // Undone while no daemon runs: nothing is told of it, and the other is told for the third time.
        try daemon.killAndRestart { #expect(rmdir("\(daemon.directory)/place") == 0) }
        _ = try eventually("the settings to be known") { try waits("settingsChanged") ? true : nil }
        #expect(try !waits("pathsChanged"))
        #expect(try daemon.torpor("activate", "sleeper").status == 0)
        _ = try eventually("it to be told again") { told().count == 2 ? true : nil }
        #expect(told() == ["settings 1", "settings 1"])
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `and kills its worker twice is set aside, over kill -9 and reexec, until an operator decides`()
        throws
    {
        let daemon = try DaemonUnderTest([
            "app": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/conf/app.py
            Type=app
            Restart=on-failure
            RestartSec=10ms
            StandardOutput=append:DIRECTORY/app.log
            StandardError=append:DIRECTORY/app.log
            """
        ])
        try daemon.write(
            "../app.py",
            #"""
            \#(Self.connecting)
            def receive(end):
                message = b""
                while not message.endswith(b"\0"):
                    byte = end[1].read(1)
                    # The daemon is gone: the next one starts it anew.
                    if not byte: os._exit(4)
                    message += byte
                return json.loads(message[:-1])
            callbacks, answers = connected(), connected()
            send(callbacks, "Attach", more=True)
            while True:
                callback = receive(callbacks)["parameters"].get("callback")
                if not callback: continue
                topics = [one["topic"] for one in callback.get("notifications", [])]
                if "bad" in topics:
                    print("died of", *topics, flush=True)
                    os._exit(3)
                for topic in topics: print("got", topic, flush=True)
                send(answers, "Complete", id=callback["id"])
                receive(answers)
            """#)
        func log() -> [String] {
            let text = (try? String(contentsOfFile: "\(daemon.directory)/app.log", encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }
        func setAside() throws -> Bool {
            try daemon.torpor("notifications", "app", "--json=short").output.contains(#""setAside":true"#)
        }
        for topic in ["first", "bad", "last"] { #expect(try daemon.torpor("post", "app", topic).status == 0) }
        #expect(try daemon.torpor("launch", "app", "--no-wait").status == 0)
        _ = try eventually("the last notification to arrive") { log().contains("got last") ? true : nil }
        #expect(log() == ["died of first bad last", "got first", "died of bad", "got last"])
        #expect(try daemon.torpor("activate", "app").status == 0)
        #expect(try setAside())
        let listed = try daemon.torpor("notifications", "app").output
        #expect(listed.contains("SET ASIDE") && listed.contains("the worker died during delivery 2 times"))
        #expect(try daemon.torpor("history", "app").output.contains("notification 2 (bad) was set aside"))
        try daemon.killAndRestart()
        #expect(try setAside())
        #expect(try daemon.torpor("reexec").status == 0)
        #expect(try setAside())
        #expect(try daemon.torpor("notifications", "app", "--retry", "2").status == 0)
        _ = try eventually("the worker to die of it once more") { log().count == 5 ? true : nil }
        _ = try eventually("it to be set aside again") { try setAside() ? true : nil }
        #expect(log().last == "died of bad")
        let unknown = try daemon.torpor("notifications", "app", "--retry", "1")
        #expect(unknown.status == 64 && unknown.errors.contains("that is set aside"))
        #expect(try daemon.torpor("notifications", "app", "--drop", "2").status == 0)
        #expect(try daemon.torpor("notifications", "app", "--drop", "2").status == 64)
        #expect(try daemon.torpor("notifications", "app").output.contains("0 notifications"))
        try daemon.killAndRestart()
        #expect(try daemon.torpor("notifications", "app").output.contains("0 notifications"))
    }

    @Test(.requires(.program("/usr/bin/python3")))
    func `by a worker to itself comes back to it, at once or at its time`() throws {
        let daemon = try DaemonUnderTest([
            "self": """
            [Worker]
            ExecStart=/usr/bin/python3 DIRECTORY/conf/self.py
            Type=app
            StandardOutput=append:DIRECTORY/self.log
            StandardError=append:DIRECTORY/self.log
            """
        ])
        try daemon.write(
            "../self.py",
            #"""
            \#(Self.connecting)
            import time
            def receive(end):
                message = b""
                while not message.endswith(b"\0"): message += end[1].read(1)
                return json.loads(message[:-1])
            def call(method, **parameters):
                send(answers, method, **parameters)
                reply = receive(answers)
                return reply.get("error", "ok").split(".")[-1], reply.get("parameters", {})
            callbacks, answers = connected(), connected()
            send(callbacks, "Attach", more=True)
            asked = False
            while True:
                callback = receive(callbacks)["parameters"].get("callback")
                if not callback: continue
                for one in callback.get("notifications", []):
                    print("got", one["topic"], one["count"], one.get("payload"), flush=True)
                call("Complete", id=callback["id"])
                if callback["name"] == "didBecomeActive" and not asked:
                    asked = True
                    now = int(time.time() * 1000000)
                    print("posted", call("Post", topic="own", payload={"b": 1, "a": 2})[0], flush=True)
                    print("past", call("Schedule", topic="own", at=now - 1)[1].get("obstacle"), flush=True)
                    ids = [call("Schedule", topic="own", at=now + 3600000000)[1].get("id") for _ in range(64)]
                    print("65th", call("Schedule", topic="own", at=now + 3600000000)[1].get("obstacle"), flush=True)
                    for number in ids: call("Cancel", id=number)
                    print("again", call("Cancel", id=ids[0])[0], flush=True)
                    soon = int(time.time() * 1000000) + 3000000
                    print("scheduled", call("Schedule", topic="later", at=soon, rule="count")[0], flush=True)
            """#)
        #expect(try daemon.torpor("launch", "self").status == 0)
        func log() -> String {
            (try? String(contentsOfFile: "\(daemon.directory)/self.log", encoding: .utf8)) ?? ""
        }
        _ = try eventually("what was scheduled to come") { log().contains("got later") ? true : nil }
        #expect(
            log().split(separator: "\n").sorted() == [
                "65th tooManySchedules", "again NoSuchSchedule", "got later 1 None",
                "got own 1 {'a': 2, 'b': 1}", "past past", "posted ok", "scheduled ok",
            ])
    }
}
