import ControlAPI
import Foundation
import TestSupport
import Testing

@testable import ControlServer
@testable import Places
@testable import Supervisor

@Suite(.timeLimit(.minutes(60)))
struct `Other processes` {
    @Test(.requires(.varlinkPackage)) func `that use PyPI's varlink get on with us`() async throws {
        let script = """
            import sys, varlink
            with varlink.Client.new_with_address("unix:" + sys.argv[1]) as client:
                with client.open("org.varlink.service") as service:
                    print(service.GetInfo()["vendor"])
                    text = service.GetInterfaceDescription("io.torpor.Supervisor")["description"]
                    print("interface io.torpor.Supervisor" in text)
                with client.open("io.torpor.Supervisor") as supervisor:
                    print(supervisor.Ping()["version"])
                    try:
                        supervisor.Describe(name="x")
                    except varlink.VarlinkError as error:
                        print(error.error(), error.parameters()["name"])
                with client.open("io.torpor.Supervisor") as supervisor:
                    for answer in supervisor.Watch(_more=True):
                        print(answer["present"])
                        break
            """
        let package = try #require(PythonPackage.directory)
        let lines = try await TestServer.run { server in
            try Program.lines("python3", ["-c", script, server.path], environment: ["PYTHONPATH": package])
        }
        #expect(lines == ["Torpor", "True", "1", "io.torpor.Supervisor.NoSuchWorker x", "[]"])
    }

    @Test(.requires(.root)) func `of another user may look, not touch`() async throws {
        try await TestServer.run { server in
            let lines = try Program.stranger(
                calls: [("Ping", "{}"), ("SetLogLevel", #"{"level":"info"}"#), ("Shutdown", "{}")],
                at: server.path)
            let denied = #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#
            #expect(lines.count == 3)
            #expect(lines.first?.contains("version") == true)
            #expect(lines.dropFirst() == [denied, denied])
            #expect(server.record.all.contains { $0.contains("uid 65534 pid") && $0.contains("SetLogLevel") })
            #expect(server.record.count("SetLogLevel") == 0)
        }
    }

    @Test(.requires(.root)) func `of an operator's group may do everything`() async throws {
        try await TestServer.run(authorization: Authorization(operators: [4711])) { server in
            let script =
                "s=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
                + "s.sendall(sys.argv[2].encode().replace(b'|', b'\\0'))\nprint(s.recv(4096)[:-1].decode())"
            let lines = try Program.stranger(script, [server.path, RawClient.publish], groups: [4710, 4711])
            #expect(lines == [#"{"parameters":{}}"#])
        }
    }

    @Test(.requires(.root)) func `of another user cannot take the operators' share of the connections`()
        async throws
    {
        var limits = ControlLimits()
        limits.connections = 5
        limits.reserved = 3
        try await TestServer.run(limits: limits) { server in
            let script = """
                held = []
                for i in range(4):
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(sys.argv[1])
                    try:
                        s.sendall(sys.argv[2].encode().replace(b"|", b"\\0"))
                    except BrokenPipeError:
                        pass
                    print(s.recv(4096)[:-1].decode())
                    held.append(s)
                """
            let strangers = try Program.stranger(script, [server.path, RawClient.ping])
            #expect(strangers.map { $0.contains("version") } == [true, true, false, false])
            #expect(
                strangers.last
                    == #"{"error":"io.torpor.Supervisor.TooManyConnections","parameters":{"limit":2}}"#)
            #expect(try server.client().isServed())
        }
    }

    @Test func `that hold the instance lock are named, and forgotten when they die`() async throws {
        try await onThread {
            try withTemporaryDirectory { directory in
                let script = """
                    import fcntl, sys, time
                    file = open(sys.argv[1], "w")
                    fcntl.lockf(file, fcntl.LOCK_EX)
                    print("held", flush=True)
                    time.sleep(60)
                    """
                let path = "\(directory)/\(InstanceLock.fileName)"
                let holder = try Program("python3", ["-c", script, path])
                #expect(holder.some().hasPrefix("held"))
                let failure = #expect(throws: InstanceLock.Failure.self) {
                    _ = try InstanceLock(directory: directory)
                }
                #expect(failure?.code == .held(by: holder.pid))
                #expect(failure?.exitStatus == 75)
                #expect(failure?.description.contains("process \(holder.pid)") == true)
                holder.end()
                do {
                    let lock = try InstanceLock(directory: directory)
                    _ = consume lock
                }
                let missing = #expect(throws: InstanceLock.Failure.self) {
                    _ = try InstanceLock(directory: directory + "/missing")
                }
                #expect(missing?.code == .unusable)
            }
        }
    }
}
