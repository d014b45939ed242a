import ControlAPI
import Foundation
import Lifecycle
import TestSupport
import Testing
import Varlink

@testable import ControlServer
@testable import Supervisor

@Suite(.timeLimit(.minutes(60)))
struct `Bad input at the control socket` {
    struct Input: CustomTestStringConvertible, Sendable {
        let text: String, answers: [String], ends: Bool
        init(_ text: String, _ answers: [String] = [], ends: Bool = true) {
            self.text = text
            self.answers = answers
            self.ends = ends
        }
        static func error(_ text: String, _ name: String, _ parameters: String, ends: Bool = false) -> Input {
            Input(
                text, [#"{"error":"org.varlink.service.\#(name)","parameters":{\#(parameters)}}"#], ends: ends
            )
        }
        var testDescription: String { String(text.prefix(60)) }
    }

    @Test(arguments: [
        Input("{|"), Input("|"), Input("GET / HTTP/1.1\r\n\r\n|"), Input("\u{7f}\u{1}|"),
        .error(#"{"parameters":{}}|"#, "InvalidParameter", #""parameter":"method""#, ends: true),
        .error(#"[1]|"#, "InvalidParameter", #""parameter":"method""#, ends: true),
        .error(#"{"method":"a.b.C"}|"#, "InterfaceNotFound", #""interface":"a.b""#),
        .error(#"{"method":""}|"#, "InterfaceNotFound", #""interface":"""#),
        .error(
            #"{"method":"io.torpor.Supervisor.Nope"}|"#, "MethodNotFound",
            #""method":"io.torpor.Supervisor.Nope""#),
        .error(
            #"{"method":"io.torpor.Supervisor.List","parameters":{"names":3}}|"#, "InvalidParameter",
            #""parameter":"names""#),
        .error(
            #"{"method":"io.torpor.Supervisor.Describe"}|"#, "InvalidParameter", #""parameter":"name""#),
        .error(#"{"method":"io.torpor.Supervisor.Watch"}|"#, "ExpectedMore", ""),
        .error(
            #"{"method":"io.torpor.Supervisor.Reload"}|"#, "MethodNotImplemented",
            #""method":"io.torpor.Supervisor.Reload""#),
        .error(
            #"{"method":"io.torpor.Supervisor.Ping","upgrade":true}|"#, "MethodNotImplemented",
            #""method":"io.torpor.Supervisor.Ping""#),
    ])
    func `has the standard error or the end of the connection`(_ input: Input) async throws {
        try await TestServer.run { server in
            let other = try server.client()
            let client = try server.client()
            try client.send(input.text)
            for answer in input.answers { #expect(try client.next() == answer) }
            if input.ends {
                #expect(try client.next() == nil)
            } else {
                #expect(try client.isServed())
            }
            #expect(try other.isServed())
        }
    }

    @Test func `ends a stream that has no NUL, without keeping it`() async throws {
        try await TestServer.run { server in
            let other = try server.client()
            let client = try server.client()
            let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            var sent = 0
            for _ in 0..<100 {
                let count = try client.send(bytes: chunk)
                sent += count
                if count < chunk.count { break }
            }
            #expect(sent < 4 << 20)
            #expect(try client.next() == nil)
            #expect(try other.isServed())
            try awaitFact {
                server.record.all.contains { $0.contains("a message of more than 1048576 bytes") }
            }
        }
    }

    @Test func `of a client that dies mid-call ends what was done for it`() async throws {
        try await TestServer.run { server in
            var client: RawClient? = try server.client()
            try client?.send(RawClient.watch + RawClient.why)
            _ = try client?.next()
            try awaitFact { server.record.count("Why") == 1 }
            client = nil
            try awaitFact { server.record.count("gone") == 1 && server.record.count("unsubscribed") == 1 }
            #expect(try server.client().isServed())
        }
    }

    @Test func `of a client that dies in the middle of a message does nothing`() async throws {
        try await TestServer.run { server in
            try server.client().send(#"{"method":"io.torpor.Supervisor.Pi"#)
            #expect(try server.client().isServed())
            #expect(server.record.count("Ping") == 1)
        }
    }

    /// A caller, and which of Ping, SetLogLevel and LaunchTransient it may call.
    private struct Caller {
        let uid: UInt32, groups: [UInt32], mayPing: Bool, maySteer: Bool, mayDefine: Bool
    }

    @Test
    func `from strangers is denied, what is open is not, and to say what runs takes more than to steer`() {
        let authorization = Authorization(user: 4711, operators: [4712], definers: [4713])
        for caller in [
            Caller(uid: 0, groups: [], mayPing: true, maySteer: true, mayDefine: true),
            Caller(uid: 4711, groups: [], mayPing: true, maySteer: true, mayDefine: true),
            Caller(uid: 9, groups: [8, 4712], mayPing: true, maySteer: true, mayDefine: false),
            Caller(uid: 9, groups: [8, 4713], mayPing: true, maySteer: true, mayDefine: true),
            Caller(uid: 9, groups: [8], mayPing: true, maySteer: false, mayDefine: false),
        ] {
            let peer = Peer(uid: caller.uid, gid: 9, pid: 1, groups: caller.groups, judgedBy: authorization)
            #expect(peer.isOperator == caller.maySteer)
            for (method, may) in [
                (SupervisorInterface.Ping.name, caller.mayPing),
                (SupervisorInterface.SetLogLevel.name, caller.maySteer),
                (SupervisorInterface.LaunchTransient.name, caller.mayDefine),
            ] { #expect(authorization.permits(method, by: peer) == may) }
        }
    }

    @Test func `of a client that may do less by another rule is not read any more`() {
        let before = Authorization(user: 4711, operators: [4712], definers: [4713])
        for (group, after, isLess) in [
            (4712, before, false), (4712, Authorization(user: 4711), true),
            (4712, Authorization(user: 4711, definers: [4712]), false),
            (4713, Authorization(user: 4711, operators: [4713]), true),
            (9, Authorization(user: 4711), false),
        ] as [(UInt32, Authorization, Bool)] {
            let peer = Peer(uid: 9, gid: 9, pid: 1, groups: [8, group], judgedBy: before)
            #expect(peer.exceeds(after) == isLess)
        }
    }

    @Test(.requires(.root)) func `from strangers is denied before its parameters are looked at`() async throws
    {
        try await TestServer.run { server in
            let answers = try Program.stranger(
                calls: [("Post", #"{"names":3}"#), ("Nope", "{}"), ("List", #"{"names":3}"#)],
                at: server.path)
            #expect(
                answers == [
                    #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#,
                    #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"io.torpor.Supervisor.Nope"}}"#,
                    #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"names"}}"#,
                ])
        }
    }
}
