import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.long, .timeLimit(.minutes(60))) struct `The past` {
    private func daemon() throws -> DaemonUnderTest {
        try DaemonUnderTest([
            "web": "[Worker]\nExecStart=/bin/sleep 1000\n",
            "bad": "[Worker]\nExecStart=/bin/sh -c 'exit 3'\n",
        ])
    }

    @Test func `outlives the daemon, however that ends`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        #expect(try daemon.torpor("kill", "web").status == 0)
        let before = try daemon.torpor("report", "web").output
        #expect(before.contains("Code: 0xdeadfa11") && before.contains("Signal: SIGKILL"))
        #expect(
            before.contains("State: suspended")
                && before.contains("Requested by: \(DaemonUnderTest.user), pid "))
        let history = try daemon.torpor("history", "w*").output
        try daemon.killAndRestart()
        let lines = { (text: String) in text.split(separator: "\n").filter { !$0.contains("Ended:") } }
        #expect(try lines(daemon.torpor("report", "web").output) == lines(before))
        #expect(try daemon.torpor("history", "web").output == history)
        #expect(history.contains("notRunning → inactive") && history.contains("suspended → notRunning"))
        // It is asked for by the new daemon when it starts, and answered before anything that is asked later.
        #expect(try daemon.torpor("status", "web").output.contains("ended: forceQuit, signal 9"))
    }

    @Test func `is kept however little is logged`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("log-level", "emerg").status == 0)
        #expect(try daemon.torpor("launch", "web").status == 0)
        #expect(try daemon.torpor("suspend", "web").status == 0)
        let history = try daemon.torpor("history", "web").output
        #expect(history.contains("notRunning → inactive") && history.contains("background → suspended"))
    }

    @Test func `is told in part, as JSON, and for workers that are gone`() throws {
        let daemon = try daemon()
        _ = try daemon.torpor("launch", "bad")
        #expect(
            try daemon.torpor("launch", "--transient", "--name", "once", "--", "/bin/true").status
                != 64)
        _ = try eventually("both to have ended") {
            let said = try daemon.torpor("report").output
            return said.contains("● bad") && said.contains("● once") ? true : nil
        }
        let all = try daemon.torpor("history", "-n", "all", "--json=short").output
        let reply = try #require(try JSONSerialization.jsonObject(with: Data(all.utf8)) as? [String: Any])
        let entries = try #require(reply["entries"] as? [[String: Any]])
        #expect(entries.contains { $0["worker"] as? String == "once" && $0["kind"] as? String == "ended" })
        let ids = entries.compactMap { $0["id"] as? Int }
        #expect(ids == ids.sorted() && Set(ids).count == entries.count && ids.count > 4)
        let last = try daemon.torpor("history", "-n", "2", "--since", "1h ago", "b*", "once").output
        #expect(last.split(separator: "\n").count == 2)
        #expect(try daemon.torpor("report", "once").output.contains("Exit status: 0"))
        let both = try daemon.torpor("report").output
        #expect(both.contains("● bad") && both.contains("● once") && both.contains("Exit status: 3"))
        #expect(try daemon.torpor("report", "web").errors.contains("no process of web has ended yet"))
        #expect(try daemon.torpor("report", "nobody").status == 4)
        #expect(try daemon.torpor("history", "--since", "whenever").status == 64)
        #expect(try daemon.torpor("doctor").output.contains("history"))
    }

    @Test func `tells what woke or launched a worker, and which caller was behind it`() throws {
        let daemon = try DaemonUnderTest([
            "chat": """
            [Worker]
            ExecStart=/bin/sh -c 'echo "$TORPOR_LAUNCH_REASON $TORPOR_LAUNCH_OPTIONS" >> DIRECTORY/chat.log; exec sleep 1000'
            URLSchemes=chat
            [Background]
            Modes=remote-notification path
            [Callbacks]
            OpenURL=exec:/bin/true
            [Notifications]
            WatchPaths=DIRECTORY/inbox
            message=exec:/bin/true
            later=exec:/bin/true
            """
        ])
        func log() -> String {
            (try? String(contentsOfFile: "\(daemon.directory)/chat.log", encoding: .utf8)) ?? ""
        }
        #expect(
            try daemon.torpor("post", "chat", "message", "--wake", "--payload", #"{"n":1}"#).status == 0)
        _ = try eventually("it to be launched") { log().contains("\n") ? true : nil }
        #expect(
            log().hasPrefix(#"silentNotification {"notification":{"topic":"message","payload":{"n":1}},"#))
        #expect(log().contains(#""postedBy":{"uid":\#(getuid()),"#) && log().contains("torpor\""))
        let launched = try daemon.torpor("history", "chat").output
        #expect(
            launched.contains("woken by a post to topic message by \(DaemonUnderTest.user), pid "),
            "\(launched)")
        #expect(
            try daemon.torpor("status", "chat").output.contains("Woken by: silentNotification message by"))
        #expect(try daemon.torpor("suspend", "chat").status == 0)
        let why = try daemon.torpor("why", "chat").output
        #expect(why.contains("a change of \(daemon.directory)/inbox would wake it"), "\(why)")
        #expect(why.contains("a silent post would wake it") && why.contains("a URL of chat: would wake it"))
        #expect(try daemon.torpor("post", "chat", "message", "--at", "+1h").status == 0)
        #expect(try daemon.torpor("open", "chat:42").status == 0)
        let opened = try daemon.torpor("history", "chat").output
        #expect(opened.contains("chat:42 opened by \(DaemonUnderTest.user), pid "), "\(opened)")
        #expect(
            try daemon.torpor("why", "chat").output.contains("the URL chat:42 by \(DaemonUnderTest.user)"))
        #expect(try daemon.torpor("suspend", "chat").status == 0)
        #expect(try daemon.torpor("post", "chat", "later", "--at", "+1s", "--wake").status == 0)
        let queue = try daemon.torpor("notifications", "chat").output
        #expect(queue.contains("by \(DaemonUnderTest.user), pid "), "\(queue)")
        _ = try eventually("the post to be due") {
            try daemon.torpor("history", "chat").output
                .contains(
                    "woken by a scheduled post to topic later, number 2 by \(DaemonUnderTest.user), pid ")
                ? true : nil
        }
        // In the order in which it happened, each thing.
        let json = try daemon.torpor("history", "-n", "all", "--json=short").output
        let reply = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let entries = try #require(reply["entries"] as? [[String: Any]])
        let moments = entries.compactMap { $0["at"] as? Int }
        #expect(moments == moments.sorted(), "\(json)")
        let kinds = entries.compactMap { $0["kind"] as? String }
        #expect(kinds.first == "supervisor" && kinds.contains("woken") && kinds.contains("opened"))
    }

    @Test func `of a worker that failed is known after the daemon and its holder have ended`() throws {
        let daemon = try daemon()
        _ = try daemon.torpor("launch", "bad")
        _ = try eventually("it to have failed") {
            try daemon.torpor("status", "bad").output.contains("notRunning (failed") ? true : nil
        }
        daemon.process.send(SIGTERM)
        #expect(try daemon.process.wait() == .exited(0))
        try daemon.killAndRestart()
        let status = try daemon.torpor("status", "bad").output
        #expect(status.contains("notRunning (failed") && !status.contains("never launched"), "\(status)")
        #expect(try daemon.torpor("why", "bad").output.contains("it failed"))
        #expect(try daemon.torpor("status", "web").output.contains("notRunning (never launched"))
        let history = try daemon.torpor("history").output
        #expect(history.contains("torpord ended"), "\(history)")
        #expect(history.components(separatedBy: " started, pid ").count == 3, "\(history)")
    }

    @Test func `has the takeover of a worker from a daemon that was killed`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        try daemon.killAndRestart()
        #expect(try daemon.torpor("history", "web").output.contains("adopted from a previous daemon: pid"))
    }

    @Test(.requires(.root)) func `and the present tell strangers not who set a goal`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("launch", "web").status == 0)
        let script = """
            import json, os, socket, sys
            os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
            def ask(link, method, **rest):
                call = {'method': 'io.torpor.Supervisor.' + method, **rest}
                link.sendall(json.dumps(call).encode() + b'\\0')
                return answer(link)
            def answer(link):
                data = b''
                while not data.endswith(b'\\0'): data += link.recv(1)
                return data[:-1].decode()
            link, watch = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
            link.connect(sys.argv[1]); watch.connect(sys.argv[1])
            ask(watch, 'Watch', parameters={}, more=True)
            for method in ['Describe', 'Why']: print(ask(link, method, parameters={'name': 'web'}), flush=True)
            print('watching', flush=True)
            print(answer(watch), flush=True)
            """
        let stranger = try Wrapper([], [], line: ["/usr/bin/python3", "-c", script, daemon.socket])
        var answers: [String] = []
        while let line = try stranger.output.next(), line != "watching" { answers.append(line) }
        #expect(try daemon.torpor("suspend", "web").status == 0)
        answers += try stranger.output.rest()
        #expect(try stranger.wait() == .exited(0))
        #expect(answers.count == 3 && answers.contains { $0.contains("an operator") }, "\(answers)")
        for answer in answers {
            for word in ["goalBy", "requestedBy", "uid"] {
                #expect(!answer.contains(word), "\(answer)")
            }
        }
        // Operators are told.
        #expect(try daemon.torpor("status", "web").output.contains("set by \(DaemonUnderTest.user), pid "))
    }

    @Test(.requires(.root)) func `tells strangers neither who asked nor what was run`() throws {
        let daemon = try DaemonUnderTest(["gone": "[Worker]\nExecStart=/nowhere/secret\n"])
        _ = try daemon.torpor("launch", "gone")
        let script = """
            import json, os, socket, sys
            os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
            link = socket.socket(socket.AF_UNIX)
            link.connect(sys.argv[1])
            for method in ['History', 'Report', 'Describe', 'Why']:
                parameters = {'name': 'gone'} if method in ['Describe', 'Why'] else {}
                call = {'method': 'io.torpor.Supervisor.' + method, 'parameters': parameters}
                link.sendall(json.dumps(call).encode() + b'\\0')
                data = b''
                while not data.endswith(b'\\0'): data += link.recv(65536)
                print(data[:-1].decode())
            """
        let stranger = try Wrapper([], [], line: ["/usr/bin/python3", "-c", script, daemon.socket])
        let answers = try stranger.output.rest()
        #expect(try stranger.wait() == .exited(0))
        #expect(answers.count == 4 && answers.prefix(3).allSatisfy { $0.contains("launchFailed") })
        for answer in answers {
            #expect(!answer.contains("requestedBy") && !answer.contains("secret"), "\(answer)")
        }
        #expect(try daemon.torpor("history", "-j").output.contains("secret"))
    }

    @Test func `of torpor run is not kept, which it says`() throws {
        let wrapper = try Wrapper(["-v"], ["/bin/sleep", "1000"])
        var socket: Substring?
        while socket == nil, let line = try wrapper.errors.next() {
            socket = line.split(separator: " ").first { $0.hasPrefix("@") && $0.contains("io.torpor") }
        }
        let verb = try Wrapper(
            [], [], line: [Wrapper.program, "history", "--socket", String(try #require(socket))])
        #expect(try verb.wait() == .exited(69))
        #expect(try verb.errors.next()?.contains("torpor run keeps no history") == true)
        wrapper.send(SIGTERM)
        _ = try wrapper.wait()
    }
}
