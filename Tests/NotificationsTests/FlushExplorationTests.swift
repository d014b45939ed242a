import TestSupport
import Testing

@testable import Notifications

/// Every promise of a flush in every place that few posts and few troubles can bring it to (2.4).
@Suite(.timeLimit(.minutes(60))) struct `A flush, wherever it is` {
    struct World: Sendable, CustomTestStringConvertible {
        let name: String
        var hooks: NotificationHooks?
        let mayConnect: Bool
        var posts = 2
        var troubles = 2

        var testDescription: String { name }
    }

    static let calls = NotificationHooks(["a": .call, "b": .call])
    static let mixed = NotificationHooks(["a": .signal], others: .call)

    static let worlds = [
        World(name: "a connection", mayConnect: true, troubles: 1),
        World(name: "a connection in trouble", mayConnect: true, posts: 1, troubles: 2),
        World(name: "hooks", hooks: calls, mayConnect: false, troubles: 1),
        World(name: "a signal and a hook", hooks: mixed, mayConnect: false, troubles: 1),
        World(name: "hooks in trouble", hooks: mixed, mayConnect: false, posts: 1, troubles: 2),
        World(name: "a connection and hooks", hooks: mixed, mayConnect: true, posts: 1, troubles: 2),
    ]

    @Test(arguments: worlds) func `loses nothing, doubles nothing and keeps the order`(_ world: World) {
        let start = FlushBench(hooks: world.hooks, mayConnect: world.mayConnect)
        var seen: Set<FlushBench> = [start]
        var frontier = [(bench: start, troubles: 0)]
        var index = 0
        var steps = 0
        var stages: Set<String> = []
        while index < frontier.count {
            let (bench, troubles) = frontier[index]
            index += 1
            stages.insert(bench.stage)
            // The way to rest is long: every fourth is enough.
            if index % 4 == 0, let violation = bench.violationOnTheWayToRest() {
                Issue.record("\(violation)\nfrom \(bench)")
                return
            }
            for happening in bench.happenings(topics: ["a", "b"], posts: world.posts) {
                let sum = troubles + (happening.isTrouble ? 1 : 0)
                guard sum <= world.troubles else { continue }
                var next = bench
                next.happen(happening)
                steps += 1
                if let violation = next.violation {
                    Issue.record("\(violation)\nafter \(happening)\nin \(bench)")
                    return
                }
                if seen.insert(next).inserted { frontier.append((next, sum)) }
            }
        }
        print("explored \(world.name): \(seen.count) standings, \(steps) steps, \(stages.count) stages")
        #expect(stages.count >= 3)
    }

    /// Long lives with many posts, more than can be explored.
    @Test(arguments: 0..<40) func `keeps its promises in a long life`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let world = Self.worlds[Int(seed % 6)]
        var bench = FlushBench(hooks: world.hooks, mayConnect: world.mayConnect)
        for step in 0..<400 {
            let all = bench.happenings(topics: ["a", "b"], posts: 40)
            let easy = all.filter { !$0.isTrouble }
            let choice = Int.random(in: 0..<8, using: &random) == 0 || easy.isEmpty ? all : easy
            guard let next = choice.randomElement(using: &random) else { break }
            bench.happen(next)
            if let violation = bench.violation {
                Issue.record("seed \(seed), step \(step): \(violation)\nafter \(next)\nin \(bench)")
                return
            }
        }
        if let violation = bench.violationOnTheWayToRest() { Issue.record("seed \(seed): \(violation)") }
    }
}
