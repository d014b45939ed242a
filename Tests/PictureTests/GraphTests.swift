import Lifecycle
import Testing

@testable import Picture

private func settings(_ lines: [String]) -> Settings {
    var settings = Settings()
    for line in lines {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].split(separator: ".")
        settings.assign(String(name[0]), String(name[1]), String(parts[1]))
    }
    return settings
}

@Suite struct `Settings as they are written` {
    @Test func `are read as the supervisor reads them`() {
        let read = settings([
            "Worker.Requires=db", "Worker.Requires=cache mail", "Foreground.IdleSec=5min",
            "Foreground.IdleSec=1min",
            "Foreground.ListenStream=80", "Foreground.ListenStream=", "Foreground.ListenStream=443",
        ])
        #expect(read.words("Worker.Requires") == ["db", "cache", "mail"])
        #expect(read.one("Foreground.IdleSec") == "1min")
        #expect(read.all("Foreground.ListenStream") == ["443"])
        #expect(read.one("Worker.Launch") == nil)
    }

    @Test func `tell what wakes a worker`() {
        let read = settings([
            "Foreground.ListenStream=80", "Worker.URLSchemes=http https",
            "Background.Modes=fetch remote-notification path",
            "Background.FetchIntervalSec=1h", "Notifications.news=exec:/bin/news",
            "Notifications.newsTimeoutSec=5s",
            "Notifications.WatchTopics=power", "Notifications.WatchPaths=/etc/x",
        ])
        #expect(
            read.wakeSources == [
                "socket 80", "http: URLs", "https: URLs", "fetch every 1h", "posts with --wake",
                "path /etc/x",
            ])
        // What is only kept for it wakes it not.
        let kept = settings([
            "Notifications.news=exec:/bin/news", "Notifications.WatchTopics=power",
            "Notifications.WatchPaths=/etc/x", "Foreground.WakeOn=connection",
        ])
        #expect(kept.wakeSources == [])
        let diagram = StateDiagram("web", kept, current: nil)
        #expect(
            diagram.arrows.first { $0.from == .suspended }?.lines == ["its own sockets: connection"])
        #expect(diagram.arrows.first { $0.to == .background && $0.from == .notRunning }?.lines == [])
        for (wake, lines) in [
            ("auto", ["its own sockets", "FIFO /run/f"]), ("listen", ["its own sockets", "FIFO /run/f"]),
            ("held", ["FIFO /run/f"]), ("no", []),
        ] {
            let held = StateDiagram(
                "web", settings(["Foreground.Wake=\(wake)", "Foreground.ListenFIFO=/run/f"]), current: nil)
            #expect(held.arrows.first { $0.from == .suspended }?.lines == lines)
            #expect(held.arrows.first { $0.from == .notRunning }?.lines == ["FIFO /run/f"])
        }
    }
}

@Suite struct `The states of a worker` {
    private let diagram = StateDiagram(
        "we<b", description: "a \"web\" & more",
        settings([
            "Worker.TimeoutStartSec=30s", "Worker.TimeoutStopSec=9s", "Foreground.IdleSec=5min",
            "Foreground.ListenStream=80", "Callbacks.DidEnterBackground=stdin:save",
            "Callbacks.DidEnterBackgroundTimeoutSec=4s", "Callbacks.DidEnterBackgroundCompletes=output:Saved",
        ]), current: .suspended)

    @Test func `have their ways, with hooks, deadlines and what wakes it`() {
        let lines = diagram.arrows.map { "\($0.from) \($0.to): \($0.lines.joined(separator: "; "))" }
        #expect(
            lines == [
                "notRunning inactive: socket 80; ready within 30s", "notRunning background: ",
                "inactive active: ",
                "active inactive: idle for 5min",
                "inactive background: DidEnterBackground: stdin:save within 4s, complete at output:Saved",
                "background inactive: ", "background suspended: ",
                "suspended background: its own sockets; socket 80",
                "background notRunning: killed after 9s; from any state when its process ends",
            ])
    }

    @Test func `are drawn with the one it is in, and nothing of its texts is markup`() {
        let svg = StateDiagramSVG(diagram).rendered()
        #expect(svg.ranges(of: "it is here").count == 1)
        #expect(svg.contains("we&lt;b") && !svg.contains("we<b"))
        #expect(svg.contains("a &quot;web&quot; &amp; more"))
        #expect(svg.ranges(of: "class=\"a\"").count == diagram.arrows.count)
    }

    @Test func `are written for Graphviz`() {
        let bare = StateDiagram("a\"\\b\n", Settings(), current: .active)
        #expect(
            bare.dot == """
                digraph "a\\"\\\\b\u{fffd}" {
                  rankdir=LR;
                  node [shape=box, style=rounded];
                  "active" [label="active", style="rounded,filled", fillcolor=lightblue, penwidth=2];
                  "inactive" [label="inactive"];
                  "background" [label="background"];
                  "suspended" [label="suspended"];
                  "notRunning" [label="not running"];
                  "notRunning" -> "inactive";
                  "notRunning" -> "background";
                  "inactive" -> "active";
                  "active" -> "inactive";
                  "inactive" -> "background";
                  "background" -> "inactive";
                  "background" -> "suspended";
                  "suspended" -> "background" [label="its own sockets\\l"];
                  "background" -> "notRunning" [label="from any state when its process ends\\l"];
                }

                """)
    }
}

@Suite struct `The graph of workers` {
    private let graph = WorkerGraph([
        (
            "web", .active,
            settings(["Worker.Requires=db", "Worker.After=db cache.worker", "Worker.OnFailure=mail"])
        ),
        ("game@2", .suspended, settings(["Foreground.ForegroundGroup=games"])),
        ("game@1", .active, settings(["Foreground.ForegroundGroup=games"])),
        ("db", .active, settings(["Foreground.ListenStream=5432", "Worker.Requires=web"])),
        ("alone", nil, settings(["Foreground.ForegroundGroup=other"])),
    ])

    @Test func `has what requires, follows and excludes what`() {
        #expect(graph.nodes.map(\.name) == ["alone", "db", "game@1", "game@2", "web"])
        #expect(
            graph.edges.map { "\($0.from) \($0.relation) \($0.to)" } == [
                "db requires web", "web requires db", "web after cache", "web onFailure mail",
            ])
        #expect(graph.groups.map(\.name) == ["games"])
        #expect(graph.groups.first?.members == ["game@1", "game@2"])
    }

    @Test func `is laid out even where there is a circle`() {
        #expect(graph.depths.values.allSatisfy { (0...12).contains($0) })
        let svg = WorkerGraphSVG(graph, title: "Workers").rendered()
        #expect(svg.ranges(of: "class=\"e ").count == 3)
        #expect(svg.contains("cache: not known"))
        #expect(svg.ranges(of: "class=\"x\"").count == 1)
        #expect(WorkerGraphSVG(WorkerGraph([]), title: "Workers").rendered().hasSuffix("</svg>\n"))
    }

    @Test func `is written for Graphviz`() {
        #expect(graph.dot.contains("  \"web\" -> \"db\" [label=\"requires\", style=solid];\n"))
        #expect(graph.dot.contains("dir=both") && graph.dot.hasSuffix("}\n"))
    }
}
