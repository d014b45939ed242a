import ControlAPI
import Screen
import TestSupport
import Testing

typealias API = SupervisorInterface

/// A screen in a test, whose clock stands at an hour.
struct Scene {
    static let start: Int64 = 1_800_000_000_000_000
    var screen: TopScreen
    var now = Scene.start

    init(_ names: [(String, API.State)], columns: Int = 80, rows: Int = 12, isUnicode: Bool = false) {
        screen = TopScreen(origin: "/run/x", isUnicode: isUnicode)
        screen.resize(columns: columns, rows: rows)
        screen.began(with: names.map { Self.summary($0.0, $0.1) }, at: Self.start)
    }

    static func summary(
        _ name: String, _ state: API.State, since: Int64 = start - 65_000_000,
        reason: API.NotRunningReason? = nil
    ) -> API.WorkerSummary {
        API.WorkerSummary(
            name: name, state: state, since: since, goal: .active, reason: reason,
            pid: state == .notRunning ? nil : 100, held: false)
    }

    mutating func change(
        _ name: String, _ from: API.State?, _ to: API.State?, reason: String = "operator"
    ) {
        screen.changed(
            API.Change(
                worker: name, from: from, to: to, goal: to.map(API.Goal.init) ?? .notRunning, reason: reason,
                at: now, monotonic: now, notTold: []))
    }

    mutating func figures(_ name: String, _ change: (inout API.WorkerFigures) -> Void) {
        var figures = API.WorkerFigures(name: name, goal: .active, pid: 100)
        change(&figures)
        screen.sampled([figures], of: [name], at: now)
    }

    @discardableResult
    mutating func press(_ keys: String) -> TopIntent? {
        var intent: TopIntent?
        for scalar in keys.unicodeScalars { intent = screen.press(.character(scalar), at: now) }
        return intent
    }

    @discardableResult
    mutating func press(_ key: Key) -> TopIntent? { screen.press(key, at: now) }

    var lines: [String] {
        mutating get { screen.drawn(at: now).lines }
    }

    var foot: String {
        mutating get { lines.last ?? "" }
    }

    /// The names of the rows that are shown, in order.
    var rows: [String] {
        mutating get {
            lines.dropFirst(4).dropLast().compactMap {
                $0.drop { " >".contains($0) }.split(separator: " ").first.map(String.init)
            }
        }
    }
}

extension API.Goal {
    init(_ state: API.State) { self = API.Goal(rawValue: state.rawValue) ?? .active }
}

@Suite struct `The live screen` {
    private func shop() -> Scene {
        var scene = Scene([("cache", .background), ("db", .suspended), ("web", .active)])
        scene.screen.listed([Scene.summary("bad", .notRunning, reason: .failed)])
        scene.figures("db") {
            ($0.memoryBytes, $0.givenBackBytes, $0.cpuUsec) = (300 << 20, 100 << 20, 5)
            $0.queueLength = 2
        }
        scene.figures("web") { ($0.memoryBytes, $0.cpuUsec) = (3 << 30, 1_000_000) }
        scene.now += 2_000_000
        scene.figures("web") {
            ($0.memoryBytes, $0.cpuUsec) = (3 << 30, 1_250_000)
            $0.deadline = API.Deadline(name: "idle", at: 0, remainingUsec: 45_000_000, then: "")
        }
        scene.screen.counted(["web": 12, "db": 0])
        return scene
    }

    @Test func `shows each worker in a row, and all of them above`() {
        var scene = shop()
        #expect(
            scene.lines == [
                "4 workers: 1 active, 1 background, 1 suspended, 1 not running, 1 failed",
                "3.2G held, 100M given back; CPU 12%",
                "by name",
                " NAME     STATE        FOR   MEM  BACK CPU% CON QUE W/H NEXT       PAST 3min",
                ">bad      failed      1min     -     -    -   -   -   - -                 ......",
                " cache    background  1min     -     -    -   -   -   - -                 ------",
                " db       suspended   1min  300M  100M  0.0   0   2   - -                 ______",
                " web      active      1min  3.0G     -   12  12   -   - 45s idle          ######",
                "", "", "", "? help  q quit  / filter  o order  f fold  enter status  w why  l output",
            ])
    }

    @Test func `fits into any terminal`() {
        var scene = shop()
        scene.screen.resize(columns: 20, rows: 5)
        #expect(
            scene.lines == [
                "4 workers: 1 active~", " NAME     STATE", ">bad      failed", " cache    background",
                "? help  q quit  / f~",
            ])
        scene.screen.resize(columns: 1, rows: 1)
        #expect(scene.lines.count == 1)
        scene.screen.resize(columns: 40, rows: 2)
        #expect(scene.lines.count == 2)
        scene.screen.resize(columns: 100_000, rows: 100_000)
        #expect(scene.lines.count == 1000)
    }

    @Test func `says what a verb will do, and does it after a yes`() {
        var scene = shop()
        scene.press("jjj")
        #expect(scene.press("s") == nil)
        #expect(
            scene.foot == "suspend web? y/n: moves it to the background, then stops it; its memory is kept")
        #expect(scene.press("y") == .steer(.suspend, ["web"]))
        #expect(scene.press("K") == nil)
        #expect(scene.press("n") == nil)
        #expect(scene.foot == "kill: nothing was done")
        for verb in TopVerb.allCases {
            #expect(scene.press(.character(verb.key)) == nil)
            #expect(scene.press("y") == .steer(verb, ["web"]))
            scene.press(.character(verb.key))
            #expect(scene.press(.enter) == nil)
            scene.press(.character(verb.key))
            #expect(scene.press(.pasted("y")) == nil)
        }
    }

    @Test func `asks about what was chosen, wherever it is by then`() {
        var scene = shop()
        scene.press("jj")
        scene.press("t")
        scene.change("aaa", nil, .notRunning)
        scene.change("cache", .background, nil)
        #expect(scene.press("y") == .steer(.terminate, ["db"]))
        #expect(scene.press("w") == .why("db"))
        #expect(scene.press("l") == .output("db"))
        #expect(scene.press(.enter) == .status("db"))
        scene.change("db", .suspended, nil)
        #expect(scene.press("w") == .why("web"))
    }

    @Test func `has a sentence for each verb in each state`() {
        for verb in TopVerb.allCases {
            for state in API.State.allCases {
                let sentence = verb.sentence(from: state)
                #expect(!sentence.isEmpty && sentence.first?.isLowercase == true)
            }
        }
        #expect(Set(TopVerb.allCases.map(\.key)).count == TopVerb.allCases.count)
    }

    @Test func `is filtered as words are typed`() {
        var scene = shop()
        scene.press("/we")
        #expect(scene.rows == ["web"] && scene.foot == "/we")
        scene.press(.backspace)
        scene.press(.enter)
        #expect(scene.lines[2] == "by name; only \"w\"; 1 row")
        scene.press("/we !web")
        scene.press(.enter)
        #expect(scene.rows == ["No"])
        scene.press(.escape)
        #expect(scene.rows.count == 4)
        scene.press("/FAILED")
        #expect(scene.rows == ["bad"])
        scene.press(.escape)
        #expect(scene.rows.count == 4)
        scene.press("/q\u{1b}")
        #expect(scene.press(.control("c")) == .quit)
    }

    @Test func `is ordered by any column, both ways`() {
        var scene = shop()
        scene.screen.order(by: .memory)
        #expect(scene.rows == ["web", "db", "bad", "cache"])
        scene.press("v")
        #expect(scene.rows == ["cache", "bad", "db", "web"])
        scene.press("v")
        scene.screen.order(by: .state)
        #expect(scene.rows == ["web", "cache", "db", "bad"])
        scene.screen.order(by: .next)
        #expect(scene.rows.first == "web")
        scene.screen.order(by: .name)
        var seen: Set<TopColumn> = []
        for _ in TopColumn.ordering {
            seen.insert(scene.screen.order)
            scene.press("o")
        }
        #expect(seen.count == TopColumn.ordering.count && scene.screen.order == .name)
    }

    @Test func `is folded by template or group`() {
        var scene = Scene([("a@1", .active), ("a@2", .suspended), ("b@1", .active), ("c", .notRunning)])
        scene.figures("c") { $0.foregroundGroup = "g" }
        scene.figures("b@1") { ($0.foregroundGroup, $0.memoryBytes) = ("g", 2048) }
        scene.figures("a@1") { $0.memoryBytes = 1024 }
        scene.press("f")
        #expect(scene.rows == ["+", "b@1", "c"])
        #expect(scene.lines[4].contains("+ a@ (2) 1a 1s"))
        #expect(scene.press(.enter) == nil)
        #expect(scene.foot.hasPrefix("These are several workers"))
        scene.press("K")
        #expect(scene.lines.joined(separator: "\n").contains("kill 2 workers of a@? y/n: each of them:"))
        #expect(scene.press("y") == .steer(.kill, ["a@1", "a@2"]))
        scene.press(" ")
        #expect(scene.rows == ["-", "a@1", "a@2", "b@1", "c"])
        scene.press("j")
        scene.press(.left)
        #expect(scene.rows == ["+", "b@1", "c"] && scene.lines[4].hasPrefix(">"))
        scene.press("f")
        #expect(scene.rows == ["a@1", "a@2", "+"])
        #expect(scene.lines[6].contains("g (2)") && scene.lines[6].contains("1a 1-"))
        scene.press("f")
        #expect(scene.rows == ["a@1", "a@2", "b@1", "c"])
    }

    @Test func `keeps what is chosen in sight`() {
        var scene = Scene((0..<100).map { (format($0), .active) }, rows: 10)
        scene.press("G")
        #expect(scene.rows == ["w95", "w96", "w97", "w98", "w99"])
        #expect(scene.press("w") == .why("w99"))
        scene.screen.resize(columns: 80, rows: 7)
        #expect(scene.press("w") == .why("w99"))
        #expect(scene.lines.contains { $0.hasPrefix(">w99") })
        scene.press(.pageUp)
        scene.press("k")
        #expect(scene.press("w") == .why("w95"))
        scene.press("g")
        #expect(scene.press("w") == .why("w00"))
    }

    private func format(_ number: Int) -> String { number < 10 ? "w0\(number)" : "w\(number)" }

    @Test func `says that there is no supervisor, and goes on when there is one`() {
        var scene = shop()
        scene.press("s")
        scene.screen.lost("it went away", at: scene.now)
        scene.now += 12_000_000
        scene.screen.lost("no supervisor listens", at: scene.now)
        #expect(scene.lines[0] == "no supervisor for 12s, trying again: no supervisor listens")
        #expect(scene.press("y") == nil && scene.press("s") == nil)
        #expect(scene.foot == "suspend: there is no supervisor to call")
        #expect(scene.press(.enter) == nil)
        scene.screen.unanswered(since: scene.now - 4_000_000)
        #expect(scene.lines[0] == "the supervisor has not answered for 4s")
        scene.screen.began(
            with: [Scene.summary("web", .suspended), Scene.summary("new", .active)], at: scene.now)
        #expect(scene.rows == ["new", "web"])
        #expect(scene.lines[0].hasPrefix("2 workers: 1 active, 1 suspended"))
    }

    @Test func `shows the states of the last minutes, and counts wakes`() {
        var scene = Scene([("web", .suspended)])
        scene.screen.remembered([
            Self.entry(1, "web", .background, .active, "operator", Scene.start - 120_000_000),
            Self.entry(2, "web", .active, .suspended, "idle", Scene.start - 90_000_000),
            Self.entry(3, "gone", .active, .suspended, "idle", Scene.start - 90_000_000),
        ])
        scene.now += 60_000_000
        scene.change("web", .suspended, .background, reason: "woken")
        scene.change("web", .background, .suspended, reason: "idle")
        scene.now += 60_000_000
        #expect(scene.lines[4].hasSuffix("-          ________-____"))
        #expect(scene.lines[4].contains("  1 -"))
        // The next supervisor: its history knows the wake that was seen.
        let wake = Self.entry(4, "web", .suspended, .background, "woken", scene.now - 60_000_000)
        for _ in 0..<2 {
            scene.screen.began(with: [Scene.summary("web", .suspended)], at: scene.now)
            #expect(scene.lines[4].contains("  1 -"))
            scene.screen.remembered([wake])
            #expect(scene.lines[4].contains("  1 -"))
        }
        scene.now += 3_700_000_000
        #expect(!scene.lines[4].contains("  1 -"))
    }

    private static func entry(
        _ id: Int64, _ worker: String, _ from: API.State, _ to: API.State, _ reason: String, _ at: Int64
    ) -> API.HistoryEntry {
        API.HistoryEntry(
            id: id, worker: worker, bootId: "", at: at, kind: .changed, from: from, to: to, reason: reason,
            notTold: [])
    }

    @Test func `asks for nothing of workers that are gone, also before it is drawn`() {
        var scene = shop()
        #expect(!scene.lines.isEmpty)
        for name in scene.screen.workers.map(\.name).dropFirst() { scene.change(name, .active, nil) }
        #expect(scene.screen.shownProcesses(at: scene.now).count <= 1)
        #expect(scene.screen.wanted(at: scene.now).count == 1)
        #expect(!scene.lines.isEmpty)
        // As with a supervisor that was started again.
        scene.screen.began(with: [], at: scene.now)
        #expect(scene.screen.shownProcesses(at: scene.now).isEmpty)
        #expect(scene.screen.wanted(at: scene.now).isEmpty)
    }

    @Test func `bears a clock that is set back, and figures that cannot be`() {
        var scene = shop()
        scene.now -= 86_400_000_000
        #expect(scene.lines[7].contains(" web      active        0s"))
        scene.figures("web") {
            ($0.memoryBytes, $0.givenBackBytes, $0.cpuUsec) = (.max, .min, .min)
            ($0.queueLength, $0.pid) = (.max, .max)
            $0.deadline = API.Deadline(name: "x", at: 0, remainingUsec: .max, then: "")
        }
        scene.figures("db") { $0.memoryBytes = .max }
        scene.now = .max
        scene.figures("web") { ($0.cpuUsec, $0.pid) = (.max, .max) }
        #expect(scene.lines.count == 12)
        scene.now = 0
        #expect(scene.lines.count == 12)
        scene.now = .min
        #expect(scene.lines.count == 12)
    }

    @Test func `shows texts of any length, a part at a time`() {
        var scene = Scene([("web", .active)], columns: 20, rows: 6)
        scene.screen.open("status of web", (1...10).map { "line \($0)" } + ["a long line of many words here"])
        #expect(
            scene.lines == [
                "status of web", "line 1", "line 2", "line 3", "line 4", "lines 1-4 of 12  q ~",
            ])
        scene.press("G")
        #expect(scene.lines[1...4] == ["line 9", "line 10", "a long line of many", "words here"])
        scene.press(.pageUp)
        #expect(scene.lines[1] == "line 5")
        #expect(scene.press("q") == nil)
        #expect(scene.lines[0].hasPrefix("1 worker"))
        #expect(scene.press("q") == .quit)
        scene.press("x")
        #expect(scene.lines.suffix(2) == ["x is not a key here:", "? lists them"])
        scene.press("?")
        #expect(scene.lines[0] == "keys")
        scene.screen.resize(columns: 80, rows: 60)
        #expect(
            scene.lines.last == "q back" && scene.lines.allSatisfy { $0.count <= 80 && !$0.hasSuffix("~") })
        for verb in TopVerb.allCases {
            #expect(scene.lines.contains { $0.hasPrefix("\(verb.key)       \(verb.rawValue) ") })
        }
    }

    @Test func `asks for figures of what is shown, of what has changed, and of all in turn`() {
        var scene = Scene((0..<300).map { ("w\($0)", $0 < 100 ? .active : .suspended) }, rows: 12)
        var asked: Set<String> = []
        while scene.screen.isBehind {
            let names = scene.screen.wanted(at: scene.now)
            #expect(names.count <= 128 && Set(names).count == names.count)
            asked.formUnion(names)
            scene.screen.sampled([], of: names, at: scene.now)
        }
        #expect(asked.count == 300)
        _ = scene.lines
        #expect(scene.screen.wanted(at: scene.now).count <= 15)
        scene.change("w200", .suspended, .background)
        #expect(scene.screen.wanted(at: scene.now).contains("w200"))
        asked = []
        for _ in 0..<100 { asked.formUnion(scene.screen.wanted(at: scene.now)) }
        #expect(asked.count == 300)
        scene.screen.figuresProblem = "not allowed"
        #expect(scene.screen.wanted(at: scene.now).isEmpty && !scene.screen.isBehind)
        #expect(scene.lines[2].contains("no figures: not allowed"))
        scene.screen.began(with: [], at: scene.now)
        #expect(!scene.lines[2].contains("no figures"))
    }

    /// Whatever is pressed and whatever happens: what is shown has the terminal's size and steers nothing, and nothing is done to a worker
    /// but what was asked about and confirmed.
    @Test(arguments: 0..<40) func `holds in a walk`(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var scene = Scene([("a@1", .active), ("a@2", .suspended), ("b\u{1b}[2J", .background)])
        let keys: [Key] =
            "jkgGwlLaibsrRetKyYnofvOV /?q".unicodeScalars.map { .character($0) } + [
                .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .enter, .escape, .backspace, .tab,
                .delete, .pasted("Ky\u{1b}"), .other, .control("u"), .control("w"), .control("l"),
                .character("y"), .character("y"), .character("中"),
            ]
        var names = ["a@1", "a@2", "b\u{1b}[2J"]
        var question: (verb: TopVerb, text: String)?
        for step in 0..<400 {
            scene.now += Int64.random(in: -1_000_000...5_000_000, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                scene.screen.resize(
                    columns: Int.random(in: 0...120, using: &random),
                    rows: Int.random(in: 0...30, using: &random))
            case 1:
                let name = names.randomElement(using: &random) ?? "a@1"
                scene.change(
                    name, API.State.allCases.randomElement(using: &random),
                    API.State.allCases.randomElement(using: &random), reason: "woken")
            case 2:
                names.append("n\(step)@\(step % 3)")
                scene.change(names[names.count - 1], nil, .notRunning)
            case 3 where names.count > 1:
                scene.change(names.remove(at: Int.random(in: 0..<names.count, using: &random)), .active, nil)
            case 4:
                // Whatever has come since it was drawn.
                let shown = scene.screen.shownProcesses(at: scene.now)
                #expect(shown.allSatisfy { names.contains($0.name) }, "seed \(seed)")
                let wanted = scene.screen.wanted(at: scene.now)
                let bytes = Int64.random(in: -5...9_000_000_000, using: &random)
                scene.screen.sampled(
                    wanted.map {
                        API.WorkerFigures(
                            name: $0, goal: .active, memoryBytes: bytes, cpuUsec: bytes, queueLength: bytes,
                            foregroundGroup: bytes % 2 == 0 ? "g" : nil)
                    }, of: wanted, at: scene.now)
            case 5:
                if Bool.random(using: &random) {
                    scene.screen.lost("gone\u{9b}", at: scene.now)
                    question = nil
                } else {
                    scene.screen.began(with: names.map { Scene.summary($0, .active) }, at: scene.now)
                }
            default:
                let key = keys.randomElement(using: &random) ?? .other
                let before = scene.lines.joined()
                let intent = scene.press(key)
                if case .steer(let verb, let about)? = intent {
                    #expect(key == .character("y") || key == .character("Y"))
                    #expect(question?.verb == verb && !about.isEmpty, "seed \(seed)")
                    let isSmall = scene.screen.columns < 40 || scene.screen.rows < 6
                    #expect(isSmall || before.contains("y/n:"), "seed \(seed)")
                }
                if key != .control("l") { question = nil }
                if case .character(let scalar) = key,
                    let verb = TopVerb.allCases.first(where: { $0.key == scalar })
                {
                    question = (verb, "")
                }
            }
            if Bool.random(using: &random) { continue }
            let grid = scene.screen.drawn(at: scene.now)
            #expect(grid.columns == max(scene.screen.columns, 1) && grid.rows == max(scene.screen.rows, 1))
            for line in grid.lines {
                #expect(
                    line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
            }
        }
    }
}
