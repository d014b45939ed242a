import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct `The past` {
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
        #expect(before.contains("State: suspended") && before.contains("Asked for by: uid \(getuid())"))
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
        #expect(try daemon.torpor("report", "nobody").status == 64)
        #expect(try daemon.torpor("history", "--since", "whenever").status == 64)
        #expect(try daemon.torpor("doctor").output.contains("history"))
    }

    @Test(.requires(.root)) func `tells strangers neither who asked nor what was run`() throws {
        let daemon = try DaemonUnderTest(["gone": "[Worker]\nExecStart=/nowhere/secret\n"])
        _ = try daemon.torpor("launch", "gone")
        let script = """
            import json, os, socket, sys
            os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
            link = socket.socket(socket.AF_UNIX)
            link.connect(sys.argv[1])
            for method in ['History', 'Report']:
                call = {'method': 'io.torpor.Supervisor.' + method, 'parameters': {}}
                link.sendall(json.dumps(call).encode() + b'\\0')
                data = b''
                while not data.endswith(b'\\0'): data += link.recv(65536)
                print(data[:-1].decode())
            """
        let stranger = try Wrapper([], [], line: ["/usr/bin/python3", "-c", script, daemon.socket])
        let answers = try stranger.output.rest()
        #expect(try stranger.wait() == .exited(0))
        #expect(answers.count == 2 && answers.allSatisfy { $0.contains("launchFailed") })
        #expect(answers.allSatisfy { !$0.contains("requestedBy") && !$0.contains("secret") })
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
