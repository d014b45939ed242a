import Foundation
import Glibc
import TestSupport
import Testing

extension Capability {
    /// PyPI's `varlink`, which `make setup` installs.
    static let varlinkClient = Capability("PyPI's varlink") {
        DaemonUnderTest.pythonWithVarlink == nil ? "no Python with it; 'make setup' installs one" : nil
    }
}

@Suite(.timeLimit(.minutes(60))) struct `The daemon` {
    private static let redis = """
        [Worker]
        Description=Redis
        ExecStart=/usr/bin/redis-server --port 0 --unixsocket DIRECTORY/redis.sock --supervised systemd --save ""
        Type=notify
        Launch=boot
        StandardOutput=null
        """

    private static let web = """
        [Worker]
        Description=Files
        ExecStart=/usr/bin/env python3 -c "import http.server as h; h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler).serve_forever()"
        """

    private func daemon() throws -> DaemonUnderTest {
        try DaemonUnderTest([
            "redis": Self.redis, "web": Self.web,
            "sleeper@": "[Worker]\nExecStart=/bin/sleep 1000%i\n",
        ])
    }

    @Test func `leads redis and an http server through every verb`() throws {
        let daemon = try daemon()
        // What boots is ready before anything is answered to a wait.
        #expect(try daemon.torpor("activate", "redis", "web").status == 0)
        let list = try daemon.torpor("list", "--json=off")
        #expect(list.status == 0)
        #expect(list.output.contains("redis") && list.output.contains("web"))
        #expect(try daemon.torpor("resign", "redis").status == 0)
        #expect(try daemon.torpor("why", "redis").output.hasPrefix("redis is inactive"))
        #expect(try daemon.torpor("background", "redis").status == 0)
        #expect(try daemon.torpor("suspend", "*").status == 0)
        #expect(try daemon.torpor("list").output.contains("2 asleep"))
        #expect(try daemon.torpor("status", "redis").status == 0, "suspended is running")
        #expect(try daemon.torpor("resume", "redis").status == 0)
        #expect(try daemon.torpor("why", "redis").output.hasPrefix("redis is background"))
        #expect(try daemon.torpor("launch", "sleeper@42").status == 0)
        #expect(try daemon.torpor("status", "sleeper@42").output.contains("sleeper@42"))
        #expect(
            try daemon.torpor("launch", "--transient", "--name", "once", "--", "/bin/sleep", "1000").status
                == 0)
        #expect(try daemon.torpor("kill", "once", "web").status == 0)
        #expect(try daemon.torpor("status", "web").status == 3)
        #expect(try daemon.torpor("terminate", "redis").status == 0)
        #expect(try daemon.torpor("cat", "redis").output.contains("Type=notify"))
        #expect(try daemon.torpor("doctor").output.contains("freezer"))
        #expect(try daemon.torpor("log-level", "debug").status == 0)
        #expect(try daemon.torpor("shutdown").status == 0)
    }

    @Test func `reloads only what changed, and keeps what a bad file defines`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("activate", "web").status == 0)
        try daemon.write("web.worker", "[Worker]\nExecStart=/bin/true\nNice=many\n")
        try daemon.write("new.worker", "[Worker]\nExecStart=/bin/sleep 1000\n")
        // A template without an instance, too.
        try daemon.write("sleeper@.worker", "[Worker]\nExecStart=/bin/sleep 1\nUMask=many\n")
        let report = try daemon.torpor("reload")
        #expect(report.status == 78)
        #expect((report.output + report.errors).contains("web.worker:3"))
        #expect((report.output + report.errors).contains("sleeper@.worker:3"))
        #expect(try daemon.torpor("status", "web").status == 0, "it is as it was")
        #expect(try daemon.torpor("launch", "new").status == 0)
        #expect(try daemon.torpor("status", "new").status == 0)
    }

    @Test func `keep a worker that was transient when a file defines it`() throws {
        let daemon = try daemon()
        for name in ["kept", "gone"] {
            let launch = try daemon.torpor(
                "launch", "--transient", "--name", name, "--", "/bin/sleep", "1000")
            #expect(launch.status == 0, "\(launch)")
        }
        try daemon.write("kept.worker", "[Worker]\nExecStart=/bin/sleep 1000\n")
        #expect(try daemon.torpor("reload").output.contains("changed: kept"))
        #expect(try daemon.torpor("terminate", "kept", "gone").status == 0)
        _ = try eventually("the other one to be forgotten") {
            try daemon.torpor("status", "gone").status == 4 ? true : nil
        }
        #expect(try daemon.torpor("status", "kept").status == 3)
        #expect(try daemon.torpor("launch", "kept").status == 0)
    }

    @Test func `says what is wrong in one line, with the right exit status`() throws {
        let daemon = try daemon()
        #expect(try daemon.torpor("status", "nobody").status == 4)
        let nobody = try daemon.torpor("activate", "nobody")
        #expect(nobody.status == 4)
        #expect(nobody.errors.split(separator: "\n").count == 1)
        #expect(try daemon.torpor("resign", "web").status == 75)
        #expect(try daemon.torpor("suspend", "web").errors.contains("is not running"))
        let absent = try Wrapper([], [], line: [Wrapper.program, "list", "--socket", "/nowhere/at.all"])
        #expect(try absent.wait() == .exited(69))
        let second = (Wrapper.program as NSString).deletingLastPathComponent + "/torpord"
        let rival = try Wrapper([], [], line: [second, "--runtime-dir", "\(daemon.directory)/run"])
        #expect(try rival.wait() == .exited(75))
        #expect(try rival.errors.next()?.contains("\(daemon.process.pid)") == true, "it says who holds it")
    }

    @Test func `brings a crashed worker back, and gives up on one that keeps crashing`() throws {
        let daemon = try DaemonUnderTest([
            "crasher":
                "[Worker]\nExecStart=/bin/false\nRestart=on-failure\nRestartSec=1ms\nStartLimitBurst=3\n",
            "phoenix": "[Worker]\nExecStart=/bin/sleep 1000\nRestart=always\nRestartSec=1ms\n",
        ])
        _ = try daemon.torpor("launch", "crasher")
        while let line = try daemon.process.errors.next() { if line.contains("startLimit") { break } }
        #expect(try daemon.torpor("status", "crasher").status == 3)
        #expect(try daemon.torpor("launch", "phoenix").status == 0)
        let first = try pid(of: "phoenix", daemon)
        kill(first, SIGKILL)
        while let line = try daemon.process.errors.next() { if line.contains("restart") { break } }
        #expect(try daemon.torpor("activate", "phoenix").status == 0)
        #expect(try pid(of: "phoenix", daemon) != first)
    }

    private func pid(of name: String, _ daemon: DaemonUnderTest) throws -> Int32 {
        let json = try daemon.torpor("list", "--json=short", name).output
        let reply = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let worker = try #require((reply["workers"] as? [[String: Any]])?.first)
        return try #require(worker["pid"] as? Int32 ?? (worker["pid"] as? Int).map(Int32.init))
    }

    @Test(.requires(.varlinkClient)) func `talks to PyPI's Varlink client`() throws {
        let daemon = try daemon()
        let result = try daemon.python(
            """
            import sys, varlink
            with varlink.Client(sys.argv[1]) as client:
                info = client.get_service_info() if hasattr(client, 'get_service_info') else None
                with client.open('io.torpor.Supervisor') as steer, client.open('io.torpor.Supervisor') as watch:
                    names = [w['name'] for w in steer.List()['workers']]
                    assert names == ['redis', 'web'], names
                    changes = watch.Watch(names=['web'], _more=True)
                    first = next(changes)
                    assert [w['name'] for w in first['present']] == ['web'], first
                    assert steer.Launch(['web'])['results'][0]['reached']
                    seen = [next(changes)['change']['to'] for _ in range(2)]
                    assert seen == ['inactive', 'active'], seen
                    assert steer.Suspend(['web'])['results'][0]['state'] == 'suspended'
                    assert steer.Describe('web')['worker']['state'] == 'suspended'
                    assert steer.Terminate(['web'])['results'][0]['state'] == 'notRunning'
                    try:
                        steer.Describe('nobody')
                    except varlink.VarlinkError as error:
                        assert error.error() == 'io.torpor.Supervisor.NoSuchWorker', error
                    print('steered')
            """)
        #expect(result.output == "steered\n", "\(result.errors)")
    }
}
