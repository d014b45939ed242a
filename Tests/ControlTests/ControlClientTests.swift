import ControlAPI
import Foundation
import Lifecycle
import Linux
import TestSupport
import Testing
import Varlink

@testable import ControlClient
@testable import ControlServer
@testable import Supervisor

@Suite(.timeLimit(.minutes(60)))
struct `The command line's client` {
    @Test func `calls, hears errors, and follows a subscription`() async throws {
        try await TestServer.run { server in
            let client = try ControlClient(connectingTo: server.path, timeout: .seconds(60))
            #expect(try client.call(SupervisorInterface.Ping.self, .init()).version == "1")
            let error = #expect(throws: ControlClientError.self) {
                try client.call(SupervisorInterface.Describe.self, .init(name: "x"))
            }
            #expect(error?.code == .failed(SupervisorInterface.noSuchWorker(name: "x")))
            try client.send(oneway: SupervisorInterface.SetLogLevel.self, .init(level: .debug))
            #expect(try client.call("org.varlink.service.GetInfo")["vendor"] == "Torpor")
            var answers = 0
            try client.call(more: SupervisorInterface.Watch.self, .init()) { _ in
                answers += 1
                if answers == 1 { try server.client().send(RawClient.publishOneway) }
                return answers < 2
            }
            #expect(answers == 2)
        }
    }

    @Test func `says what is wrong, with the exit status that is due`() async throws {
        var limits = ControlLimits()
        limits.operators.connections = 1
        limits.others.connections = 1
        try await TestServer.run(limits: limits) { server in
            func error(_ body: () throws -> Void) -> ControlClientError? {
                #expect(throws: ControlClientError.self) { try body() }
            }
            let nobody = error { _ = try ControlClient(connectingTo: "/nonexistent/x") }
            #expect(nobody?.code == .noSupervisor)
            #expect(nobody?.exitStatus == 69)
            let client = try ControlClient(connectingTo: server.path, timeout: .milliseconds(200))
            let late = error { _ = try client.call(SupervisorInterface.Why.self, .init(name: "x")) }
            #expect(late?.code == .timedOut)
            let second = try ControlClient(connectingTo: server.path)
            let refused = error { _ = try second.call(SupervisorInterface.Ping.self, .init()) }
            #expect(refused?.code == .refused(SupervisorInterface.tooManyConnections(limit: 1)))
            #expect(refused?.exitStatus == 75)
        }
    }

    @Test func `is told when a supervisor has died and left its socket`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/x"
            // Bound, and closed without removing the file.
            let script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])"
            _ = try Program.run("python3", ["-c", script, path])
            let error = #expect(throws: ControlClientError.self) { try ControlClient(connectingTo: path) }
            #expect(error?.exitStatus == 69)
            // The successor takes its place.
            let listener = try StreamListener(at: UnixSocketAddress(path), access: .ours)
            _ = try StreamSocket(connectingTo: UnixSocketAddress(path))
            // A living one keeps it.
            let second = #expect(throws: LinuxError.self) {
                _ = try StreamListener(at: UnixSocketAddress(path), access: .ours)
            }
            #expect(second?.errno == EADDRINUSE)
            let accepted = try listener.accept()
            #expect(try accepted?.peerCredentials().pid == getpid())
            #expect(try accepted?.peerCredentials().uid == geteuid())
        }
    }
}
