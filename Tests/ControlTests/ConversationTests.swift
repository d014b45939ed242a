import Linux
import Testing

@testable import Supervisor

@Suite(.timeLimit(.minutes(60)))
struct `A conversation at the control socket` {
    @Test func `may come one byte at a time`() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for character in RawClient.ping { try client.send(String(character)) }
            #expect(try client.next()?.contains("version") == true)
        }
    }

    @Test func `may be pipelined, oneway calls without an answer among it`() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            let oneway = #"{"method":"io.torpor.Supervisor.Ping","oneway":true}|"#
            try client.send(String(repeating: RawClient.ping + oneway, count: 3000))
            for _ in 0..<3000 { #expect(try client.next()?.contains("version") == true) }
            try awaitFact { server.record.count("Ping") == 6000 }
            try client.socket.endOutput()
            #expect(try client.next() == nil)
        }
    }

    @Test func `is answered to the end when the client has closed its half`() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try client.send(RawClient.ping + RawClient.cat)
            try client.socket.endOutput()
            let answers = try client.rest()
            #expect(answers.count == 2)
            #expect(answers.last?.utf8.count ?? 0 > FakeHandler.textLength)
        }
    }

    @Test func `keeps a subscription of a client that has closed its half, until it goes`() async throws {
        try await TestServer.run { server in
            var client: RawClient? = try server.client()
            try client?.send(RawClient.watch)
            try client?.socket.endOutput()
            _ = try client?.next()
            try server.client().send(RawClient.publishOneway)
            #expect(try client?.next()?.contains("yyy") == true)
            client = nil
            try awaitFact { server.record.count("unsubscribed") == 1 }
        }
    }

    @Test func `carries out oneway calls of a client that does not stay`() async throws {
        try await TestServer.run { server in
            try server.client().send(String(repeating: RawClient.publishOneway, count: 100))
            try awaitFact { server.record.count("SetLogLevel") == 100 }
        }
    }
}
