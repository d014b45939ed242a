import Foundation
import TestSupport
import Testing

/// What operators see of a worker that sleeps until its sockets are used.
@Suite(.timeLimit(.minutes(60)))
struct `What wakes a worker` {
    private static let server = """
        import socket, sys
        server = socket.create_server(("127.0.0.1", 0))
        open(sys.argv[1] + ".new", "w").write(str(server.getsockname()[1]))
        import os
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        while True:
            client, _ = server.accept()
            while data := client.recv(100):
                client.send(data)
        """

    /// Its output is no socket of the supervisor's.
    private static let sleeper =
        "[Worker]\nExecStart=/bin/sleep 1000\nStandardOutput=null\nStandardError=null\n"

    @Test func `is in status, why, list and the gain of its sleep`() throws {
        let daemon = try DaemonUnderTest(["idle": Self.sleeper])
        try Self.server.write(toFile: "\(daemon.directory)/server.py", atomically: true, encoding: .utf8)
        try daemon.write(
            "web.worker",
            "[Worker]\nExecStart=/usr/bin/env python3 \(daemon.directory)/server.py \(daemon.directory)/port\n"
        )
        #expect(try daemon.torpor("reload").status == 0)
        #expect(try daemon.torpor("launch", "web", "idle").status == 0)
        let port = try eventually("the server to listen") {
            try? String(contentsOfFile: "\(daemon.directory)/port", encoding: .utf8)
        }
        #expect(try daemon.torpor("suspend", "web", "idle").status == 0)
        let status = try eventually("the sockets to be watched") {
            let text = try daemon.torpor("status", "web").output
            return text.contains("Wakes by: tcp \(port)") ? text : nil
        }
        #expect(status.contains("(its sockets)") || status.contains("(sampled every 100 ms"), "\(status)")
        let why = try daemon.torpor("why", "web").output
        #expect(why.contains("it has been asleep for ") && why.contains("it wakes by tcp \(port)"), "\(why)")
        let list = try daemon.torpor("list").output
        #expect(
            list.contains("WAKES BY") && (list.contains("tcp \(port)") || list.contains("sampled")), "\(list)"
        )
        _ = try eventually("the other one not to be watched") {
            try daemon.torpor("status", "idle").output.contains("Wakes by: no socket of its own") ? true : nil
        }
        let answer = try daemon.python(
            """
            import socket
            client = socket.create_connection(("127.0.0.1", \(port)))
            client.send(b"hello")
            print(client.recv(100))
            """)
        #expect(answer.output.contains("hello"), "\(answer)")
        let gain = try eventually("the wake to be counted") {
            let text = try daemon.torpor("doctor", "--gain", "web").output
            return text.contains("127.0.0.1 (1)") ? text : nil
        }
        #expect(gain.contains("WOKEN BY") && !gain.contains("idle "), "\(gain)")
        let json = try daemon.torpor("doctor", "--gain", "--json=short").output
        #expect(json.contains("\"wakeCount\":1") && json.contains("\"peer\":\"127.0.0.1\""), "\(json)")
        let unknown = try daemon.torpor("doctor", "--gain", "web", "nosuch")
        #expect(unknown.status == 4 && unknown.errors.contains("nosuch"), "\(unknown)")
        let wrong = try daemon.torpor("doctor", "web")
        #expect(wrong.status == 64 && wrong.errors.contains("need --gain"), "\(wrong)")
        // Other rules count at once, asleep as it is.
        #expect(try daemon.torpor("suspend", "web").status == 0)
        for (rule, words) in [
            ("Wake=no", "no socket of its own"), ("Wake=auto", "tcp \(port)"),
            ("WakeOn=request\nWakeNotFrom=10.0.0.5", "tcp \(port)"),
        ] {
            let text =
                "[Worker]\nExecStart=/usr/bin/env python3 \(daemon.directory)/server.py \(daemon.directory)/port\n"
            try daemon.write("web.worker", text + "[Foreground]\n\(rule)\n")
            #expect(try daemon.torpor("reload").status == 0)
            _ = try eventually("\(rule) to count") {
                try daemon.torpor("status", "web").output.contains("Wakes by: \(words)") ? true : nil
            }
        }
        let limits =
            "only for a connection with a request (WakeOn=), no connections from 10.0.0.5 (WakeNotFrom=)"
        for verb in ["status", "why"] {
            let text = try daemon.torpor(verb, "web").output
            #expect(text.contains(limits), "\(text)")
        }
        let still = try daemon.torpor("status", "web").output
        #expect(still.contains("State: suspended"), "\(still)")
        let doctor = try daemon.torpor("doctor").output
        #expect(doctor.contains("wake by sockets") && doctor.contains("sock_diag"), "\(doctor)")
    }
}
