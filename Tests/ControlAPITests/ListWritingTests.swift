import ControlAPI
import TestSupport
import Testing
import Varlink

/// The answer to List is written without a tree of JSON.
@Suite struct `A list that is written in one go` {
    private typealias API = SupervisorInterface

    private static func summary(_ random: inout SplitMix64) -> API.WorkerSummary {
        func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
        let texts = ["", "web@42", "a \"quoted\" \\ name", "tab\tnewline\n\u{1}", "größer 🦥"]
        func text() -> String { texts.randomElement(using: &random) ?? "" }
        let numbers: [Int64] = [0, 1, -1, 4096, .max, .min]
        func number() -> Int64 { numbers.randomElement(using: &random) ?? 0 }
        return API.WorkerSummary(
            name: text(), description: maybe(text()),
            state: API.State.allCases.randomElement(using: &random) ?? .active, since: number(),
            goal: API.Goal.allCases.randomElement(using: &random) ?? .active,
            reason: maybe(API.NotRunningReason.allCases.randomElement(using: &random) ?? .exited),
            pid: maybe(number()), memoryBytes: maybe(number()), held: Bool.random(using: &random),
            adopted: maybe(true), launching: maybe(false), fileProblem: maybe(text()), wakesBy: maybe(text()))
    }

    @Test(arguments: 0..<50) func `has the bytes of one that was encoded`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let workers = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.summary(&random) }
        let reply = API.List.Reply(
            workers: workers, asleepCount: Int64(seed), givenBackBytes: Int64(seed) << 40,
            lowPower: seed % 2 == 0 ? "on battery \"low\"" : nil)
        let encoded = try EncodedMessage(reply: reply)
        let message = ListWriter.message(count: workers.count) { writer in
            for worker in workers { writer.append(worker) }
            writer.end(
                asleepCount: reply.asleepCount, givenBackBytes: reply.givenBackBytes, lowPower: reply.lowPower
            )
        }
        #expect(message.bytes == encoded.bytes)
        #expect(message.continues == encoded.continues)
    }
}
