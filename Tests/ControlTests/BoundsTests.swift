import ControlAPI
import Foundation
import Lifecycle
import TestSupport
import Testing
import Varlink

@testable import ControlServer
@testable import Supervisor

@Suite(.timeLimit(.minutes(60)))
struct `Bounds of the control socket` {
    @Test func `let a subscriber that never reads be cut off, and nobody wait for it`() async throws {
        try await TestServer.run { server in
            let (deaf, subscriber, operate) = (try server.client(), try server.client(), try server.client())
            try deaf.send(RawClient.watch)
            try subscriber.send(RawClient.watch)
            for client in [deaf, subscriber] {
                #expect(try client.next() == #"{"parameters":{"present":[]},"continues":true}"#)
            }
            var rounds = 0
            while server.record.count("unsubscribed") == 0, rounds < 2000 {
                rounds += 1
                try operate.send(RawClient.publish)
                #expect(try operate.next() == #"{"parameters":{}}"#)
                #expect(try subscriber.next()?.hasPrefix(#"{"parameters":{"text":"yyy"#) == true)
            }
            #expect(rounds > 4 << 20 / 10_000)
            #expect(rounds < 1000)
            let heard = try deaf.rest()
            #expect(
                heard.last == #"{"error":"io.torpor.Supervisor.SlowReader","parameters":{"limit":4194304}}"#)
            #expect(heard.dropLast().allSatisfy { $0.hasSuffix(#"y"},"continues":true}"#) })
            #expect(try operate.isServed())
            #expect(server.record.all.contains { $0.contains("bytes not read") })
        }
    }

    @Test
    func `slow down a client that asks faster than it reads, and cut it off when it does not read at all`()
        async throws
    {
        var limits = ControlLimits()
        // It has as long again to begin to read the last answer.
        limits.patience = .seconds(2)
        try await TestServer.run(limits: limits) { [limits] server in
            let (deaf, other) = (try server.client(), try server.client())
            let calls = String(repeating: RawClient.cat, count: 200)
            try deaf.send(calls)
            #expect(try other.isServed())
            // Half the backlog and one turn's answers, and what the socket holds.
            #expect(server.record.count("Cat") < 120)
            try awaitFact { server.record.all.contains { $0.contains("SlowReader") } }
            #expect(limits.operators.connection.backlog == 4 << 20)
            #expect(try deaf.rest().last?.contains("io.torpor.Supervisor.SlowReader") == true)
            #expect(try other.isServed())
        }
    }

    @Test func `let a slow but steady reader have everything`() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            try client.send(String(repeating: RawClient.cat, count: 200))
            for _ in 0..<200 { #expect(try client.next()?.utf8.count ?? 0 > FakeHandler.textLength) }
            #expect(try client.isServed())
        }
    }

    @Test func `let a user wait that has too many calls under way, and serve it again when they are over`()
        async throws
    {
        var limits = ControlLimits()
        limits.operatorsAllotment = Allotment(account: 64 << 10, total: 1 << 20)
        try await TestServer.run(limits: limits) { server in
            let other = try server.client()
            do {
                let client = try server.client()
                // Nothing answers them: each counts for as long as its client is there.
                try client.send(String(repeating: RawClient.why, count: 1000))
                try awaitFact { server.record.count("Why") > 30 }
                try other.send(RawClient.ping)
                #expect(server.record.count("Why") < 200)
                #expect(server.record.count("Ping") == 0)
                withExtendedLifetime(client) {}
            }
            #expect(try other.next()?.contains(#""version":"1""#) == true)
            #expect(try other.isServed())
        }
    }

    @Test func `cut off one of two clients of a user that begin messages too large to be kept both`()
        async throws
    {
        var limits = ControlLimits()
        limits.operatorsAllotment = Allotment(account: 256 << 10, total: 1 << 20)
        try await TestServer.run(limits: limits) { server in
            let clients = [try server.client(), try server.client()]
            let begin = #"{"method":"io.torpor.Supervisor.Describe","parameters":{"name":""#
            for client in clients { try client.send(begin + String(repeating: "x", count: 200 << 10)) }
            func cutOff() -> Int {
                server.record.all.count { $0.contains("disconnected: io.torpor.Supervisor.SlowReader") }
            }
            try awaitFact { cutOff() == 1 }
            for client in clients { try client.send("\"}}|") }
            let answers = try clients.map { try $0.next() ?? "" }
            #expect(answers.count { $0.contains("SlowReader") } == 1)
            #expect(answers.count { $0.contains("NoSuchWorker") } == 1)
            #expect(cutOff() == 1)
            #expect(try server.client().isServed())
        }
    }

    @Test func `turn away most of 2000 connections of one client, with an error, and serve it again after`()
        async throws
    {
        try await TestServer.run { server in
            let first = try server.client()
            var crowd: [RawClient] = []
            for _ in 0..<2000 { crowd.append(try server.client()) }
            #expect(try first.isServed())
            var (served, refused) = (0, 0)
            for client in crowd {
                try client.send(RawClient.ping)
                let answer = try client.next()
                if answer?.contains("version") == true { served += 1 }
                if answer
                    == #"{"error":"io.torpor.Supervisor.TooManyConnections","parameters":{"limit":256}}"#
                {
                    refused += 1
                }
            }
            #expect(served == 255)
            #expect(refused == 1745)
            crowd = []
            try awaitFact { try server.client().isServed() }
            #expect(try first.isServed())
        }
    }

    @Test func `turn clients away when there is no descriptor for them, and serve them again after`() async {
        // In a process of its own, whose descriptors are used up.
        await #expect(processExitsWith: .success) {
            try await TestServer.run { server in
                let first = try server.client()
                guard try first.isServed() else { throw TimedOut() }
                var limit = rlimit(rlim_cur: 256, rlim_max: 256)
                guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                    throw TimedOut()
                }
                var hoard: [Int32] = []
                for _ in 0..<3 {
                    // What another thread of this process has closed meanwhile would be one for the server.
                    while case let copy = dup(0), copy >= 0 { hoard.append(copy) }
                    // One for the client; none for the server.
                    guard let number = hoard.popLast() else { throw TimedOut() }
                    close(number)
                    let client = try server.client()
                    let answers = try client.rest()
                    guard answers.count == 1, answers[0].contains("TooManyConnections") else {
                        throw TimedOut()
                    }
                    guard try first.isServed() else { throw TimedOut() }
                }
                for number in hoard { close(number) }
                guard try server.client().isServed() else { throw TimedOut() }
            }
        }
    }
}
