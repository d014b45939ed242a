import ConfigurationSyntax
import Testing
import WorkerFile

/// What workers are to each other: circles, missing names, order, and the decisions that follow.
@Suite struct `Dependencies of workers` {
    typealias Standing = DependencyGraph.Standing

    /// `web: after db, requires db, wants cache; cache: after db`.
    private static func graph(_ text: String) -> DependencyGraph {
        var nodes: [String: Dependencies] = [:]
        for part in text.split(separator: ";") {
            let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves[0].trimming
            var node = Dependencies()
            for clause in halves.count > 1 ? halves[1].split(separator: ",") : [] {
                let words = clause.split(separator: " ").map(String.init)
                for other in words.dropFirst() {
                    switch words[0] {
                    case "after": node.after.insert(other)
                    case "requires": node.requires.insert(other)
                    case "wants": node.wants.insert(other)
                    case "onfailure": node.onFailure.append(other)
                    default: Issue.record("\(words[0]) is nothing")
                    }
                }
                if words == ["oneshot"] { node.isOneshot = true }
            }
            nodes[name] = node
        }
        return DependencyGraph(nodes)
    }

    /// `db ready, web asleep`; a worker that is not named is missing.
    private static func states(_ text: String) -> (String) -> Standing {
        var all: [String: Standing] = [:]
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ").map(String.init)
            all[words[0]] = Standing(rawValue: words[1])
        }
        return { [all] in all[$0] ?? .missing }
    }

    private static let stack = "web: after db cache, requires db, wants cache; cache: after db; db:"

    struct Circle: CustomTestStringConvertible, Sendable {
        let graph: String
        let problems: [String]
        let unusable: Set<String>
        var testDescription: String { graph }

        init(_ graph: String, _ problems: [String] = [], _ unusable: Set<String> = []) {
            self.graph = graph
            self.problems = problems
            self.unusable = unusable
        }
    }

    @Test(arguments: [
        Circle("a: after b; b: after c; c:"),
        // A diamond is none.
        Circle("a: after b c; b: after d; c: after d; d:"),
        // Those that belong together need no order.
        Circle("a: requires b; b: requires a"),
        Circle(
            "a: after b; b: after a",
            ["a After=: dependency cycle: a → b → a", "b After=: dependency cycle: a → b → a"],
            ["a", "b"]),
        Circle(
            "z: after c; c: after b; b: after a d; a: after c; d:",
            ["a", "c", "b"].map { "\($0) After=: dependency cycle: a → c → b → a" }, ["a", "b", "c"]),
        Circle(
            "a: after b; b: after a c; c: after d; d: after c",
            ["a", "b"].map { "\($0) After=: dependency cycle: a → b → a" }
                + ["c", "d"].map { "\($0) After=: dependency cycle: c → d → c" },
            ["a", "b", "c", "d"]),
        Circle(
            "a: after b; b: after c a; c: after b",
            ["a After=: dependency cycle: a → b → a", "b After=: dependency cycle: a → b → a"], ["a", "b"]),
        Circle("a: after a", ["a After=: the worker depends on itself"], ["a"]),
        Circle("a: requires a", ["a Requires=: the worker depends on itself"], ["a"]),
        Circle(
            "a: after x, requires y, wants z, onfailure u",
            [
                "a After=: worker “x” does not exist", "a Requires=: worker “y” does not exist",
                "a Wants=: worker “z” does not exist", "a OnFailure=: worker “u” does not exist",
            ]),
        Circle("a: after known@1"),
    ])
    func `that make no sense are found, with one line each`(_ row: Circle) {
        let graph = Self.graph(row.graph)
        let problems = graph.problems { $0 == "known@1" }
        #expect(problems.map { "\($0.worker) \($0.key)=: \($0.error.problem)" } == row.problems)
        #expect(graph.unusable == row.unusable)
        #expect(problems.allSatisfy { $0.isError == row.unusable.contains($0.worker) })
    }

    @Test(arguments: [
        (stack, "web db cache", "db cache web"), (stack, "web db", "db web"), (stack, "web", "web"),
        ("a: after b; b: after c; c:", "a c", "c a"), ("b:; a:", "b a", "a b"),
        // What closes a circle is no order, and what comes after it still is one.
        ("a: after b; b: after a; c: after a", "c b a", "a b c"),
    ])
    func `have an order`(_ graph: String, _ names: String, _ order: String) {
        let names = names.split(separator: " ").map(String.init)
        #expect(Self.graph(graph).launchOrder(names).joined(separator: " ") == order)
    }

    @Test func `may be as many and as long as they like`() {
        var nodes: [String: Dependencies] = [:]
        for number in 0..<10_000 { nodes["\(number)"] = Dependencies(after: ["\(number + 1)"]) }
        nodes["10000"] = Dependencies()
        let chain = DependencyGraph(nodes)
        #expect(chain.circles.isEmpty)
        #expect(chain.launchOrder(["0", "5000", "10000"]) == ["10000", "5000", "0"])
        nodes["10000"] = Dependencies(after: ["0"])
        #expect(DependencyGraph(nodes).circles.map(\.count) == [10_002])
    }

    struct Pull: CustomTestStringConvertible, Sendable {
        let graph: String
        let states: String
        let launch: String
        let waking: String
        var testDescription: String { "\(graph) — \(states)" }
    }

    @Test(arguments: [
        Pull(
            graph: stack, states: "web resting, db resting, cache resting", launch: "db cache",
            waking: "db cache"),
        Pull(graph: stack, states: "db ready, cache asleep", launch: "cache", waking: "cache"),
        Pull(graph: stack, states: "db coming, cache leaving", launch: "cache", waking: "cache"),
        Pull(graph: stack, states: "db ending, cache ready", launch: "db", waking: "db"),
        Pull(graph: stack, states: "db restarting, cache ready", launch: "", waking: ""),
        Pull(graph: "web: after db; db:", states: "db resting", launch: "", waking: ""),
        Pull(
            graph: "web: requires web db; db:", states: "db resting, web resting", launch: "db",
            waking: "db"),
        Pull(
            graph: "web: requires setup; setup: oneshot", states: "setup done", launch: "setup", waking: ""
        ),
        Pull(graph: "web: requires db", states: "", launch: "", waking: ""),
    ])
    func `pull each other in`(_ row: Pull) {
        let graph = Self.graph(row.graph)
        let states = Self.states(row.states)
        #expect(graph.pulled(by: "web", isWaking: false, states).joined(separator: " ") == row.launch)
        #expect(graph.pulled(by: "web", isWaking: true, states).joined(separator: " ") == row.waking)
    }

    struct Launch: CustomTestStringConvertible, Sendable {
        let graph: String
        let states: String
        let launch: DependencyGraph.LaunchVerdict
        let waking: DependencyGraph.LaunchVerdict
        var testDescription: String { "\(graph) — \(states)" }

        init(
            _ graph: String, _ states: String, _ launch: DependencyGraph.LaunchVerdict,
            waking: DependencyGraph.LaunchVerdict = .go
        ) {
            self.graph = graph
            self.states = states
            self.launch = launch
            self.waking = waking
        }
    }

    @Test(arguments: [
        Launch(stack, "db ready, cache ready", .go),
        Launch(stack, "db coming, cache ready", .wait(["db"]), waking: .wait(["db"])),
        Launch(stack, "db coming, cache coming", .wait(["cache", "db"]), waking: .wait(["cache", "db"])),
        Launch(stack, "db ready, cache resting", .go),
        Launch(
            stack, "db resting, cache coming", .fail(.init("db", isDefined: true)),
            waking: .wait(["cache"])),
        Launch(stack, "db ending", .fail(.init("db", isDefined: true))),
        Launch(stack, "db restarting", .wait(["db"]), waking: .wait(["db"])),
        Launch(stack, "cache ready", .fail(.init("db", isDefined: false))),
        Launch(stack, "db asleep, cache leaving", .go),
        // Without an order nothing is waited for, and a failure is the other's own.
        Launch("web: requires db; db:", "db coming", .go), Launch("web: requires db; db:", "db resting", .go),
        Launch("web: after db; db:", "db coming", .wait(["db"]), waking: .wait(["db"])),
        Launch("web: after db; db:", "db resting", .go), Launch("web: after db", "", .go),
        Launch("web: after setup, requires setup; setup: oneshot", "setup done", .go),
        Launch(
            "web: after setup, requires setup; setup: oneshot", "setup resting",
            .fail(.init("setup", isDefined: true))),
        // In a circle no worker waits.
        Launch("web: after db; db: after web", "db coming", .go),
    ])
    func `wait for each other when they come`(_ row: Launch) {
        let graph = Self.graph(row.graph)
        let states = Self.states(row.states)
        #expect(graph.launchVerdict(on: "web", isWaking: false, states) == row.launch)
        #expect(graph.launchVerdict(on: "web", isWaking: true, states) == row.waking)
    }

    struct Sleep: CustomTestStringConvertible, Sendable {
        let graph: String
        let states: String
        let verdict: DependencyGraph.SleepVerdict
        let isNeeded: Bool
        var testDescription: String { "\(graph) — \(states)" }
    }

    @Test(arguments: [
        Sleep(graph: stack, states: "web ready", verdict: .stay("web"), isNeeded: true),
        Sleep(graph: stack, states: "web coming", verdict: .stay("web"), isNeeded: true),
        Sleep(graph: stack, states: "web leaving", verdict: .wait(["web"]), isNeeded: false),
        Sleep(graph: stack, states: "web ending", verdict: .wait(["web"]), isNeeded: false),
        Sleep(graph: stack, states: "web asleep", verdict: .go, isNeeded: false),
        Sleep(graph: stack, states: "web resting", verdict: .go, isNeeded: false),
        Sleep(graph: "web: wants db; db:", states: "web ready", verdict: .go, isNeeded: false),
        Sleep(
            graph: "web: wants db, after db; db:", states: "web leaving", verdict: .wait(["web"]),
            isNeeded: false),
        Sleep(graph: "web: requires db; db:", states: "web leaving", verdict: .go, isNeeded: false),
        // An order alone makes no stack, and is an order all the same.
        Sleep(
            graph: "web: after db; db:", states: "web leaving", verdict: .wait(["web"]), isNeeded: false),
        Sleep(graph: "web: after db; db:", states: "web ready", verdict: .go, isNeeded: false),
        // It is to sleep, and another one keeps it awake: its sleep is not waited for.
        Sleep(
            graph: "app: requires web; web: requires db, after db; db:", states: "app ready, web leaving",
            verdict: .stay("web"), isNeeded: false),
        Sleep(
            graph: "app: requires web; web: after db; db:", states: "app ready, web leaving", verdict: .go,
            isNeeded: false),
        Sleep(
            graph: "web: requires db; db: requires web", states: "web leaving", verdict: .go, isNeeded: false),
    ])
    func `sleep in their order, and not under those that need them`(_ row: Sleep) {
        let graph = Self.graph(row.graph)
        let states = Self.states(row.states)
        #expect(graph.sleepVerdict(on: "db", states) == row.verdict)
        #expect(graph.isNeeded("db", states) == row.isNeeded)
    }

    @Test(arguments: [
        (stack, "web asleep, db ready, cache ready", "cache db"),
        (stack, "web asleep, db ready, cache asleep", "db"),
        ("web: requires db; app: requires db; db:", "web asleep, app ready, db ready", ""),
        ("web: requires db; app: wants db; db:", "web asleep, app leaving, db ready", ""),
        ("web: requires db; app: wants db; db:", "web asleep, app asleep, db leaving", "db"),
        ("web: after db; db:", "web asleep, db ready", ""),
    ])
    func `sleep together`(_ graph: String, _ states: String, _ names: String) {
        let found = Self.graph(graph).sleeping(with: "web", Self.states(states))
        #expect(found.joined(separator: " ") == names)
    }

    private static let tower =
        "shop: after web, requires web; web: after db, requires db; db:; other: after db"

    @Test(arguments: [
        ("db", "shop ready, web ready, db ready", "shop web", "shop web"),
        ("db", "shop asleep, web ready, db ready", "web", "shop web"),
        ("db", "shop resting, web resting, db ready", "", ""),
        ("shop", "shop ready, web ready, db ready", "", ""),
        ("web", "shop leaving, web ready", "", "shop"),
    ])
    func `take those along that require them`(
        _ name: String, _ states: String, _ sleeping: String, _ ending: String
    ) {
        let graph = Self.graph(Self.tower)
        let states = Self.states(states)
        #expect(graph.sleeping(before: name, states).joined(separator: " ") == sleeping)
        #expect(graph.ending(with: name, states).joined(separator: " ") == ending)
    }

    @Test(arguments: [
        ("db", "web ending, other ending", "other web"), ("db", "web ready, other ready", ""),
        ("web", "shop ending", "shop"), ("shop", "web ending", ""), ("db", "web restarting", "web"),
    ])
    func `end in reverse order`(_ name: String, _ states: String, _ awaited: String) {
        let found = Self.graph(Self.tower).ending(before: name, Self.states(states))
        #expect(found.joined(separator: " ") == awaited)
    }

    @Test func `concern those that are named too`() {
        let graph = Self.graph(Self.stack + "; alone:")
        #expect(["web", "db", "cache", "alone"].filter { graph.concerns($0) } == ["web", "db", "cache"])
    }
}

extension Substring {
    fileprivate var trimming: String { split(separator: " ").joined(separator: " ") }
}
