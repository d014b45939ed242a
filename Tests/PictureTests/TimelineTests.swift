import Lifecycle
import Testing

@testable import Picture

private let second: Int64 = 1_000_000
private let utc = Calendar(zones: [.init(from: 0, offset: 0)])

@Suite struct `A timeline` {
    private func built(_ body: (inout TimelineBuilder) -> Void, limit: Int = 60_000) -> Timeline {
        var builder = TimelineBuilder(from: 0, to: 100 * second, limit: limit)
        body(&builder)
        return builder.timeline("x", utc)
    }

    private func shape(_ lane: Timeline.Lane?) -> [String] {
        (lane?.intervals ?? []).map { "\($0.state.rawValue) \($0.start / second)-\($0.end / second)" }
    }

    @Test func `is built from the history backwards`() {
        let timeline = built {
            $0.change("web", from: .active, to: .suspended, at: 60 * second, why: "idle")
            $0.mark("web", .wake, at: 30 * second, "tcp")
            $0.change("web", from: .background, to: .active, at: 30 * second, why: "socket")
        }
        #expect(shape(timeline.lanes.first) == ["background 0-30", "active 30-60", "suspended 60-100"])
        #expect(timeline.lanes[0].marks == [.init(kind: .wake, at: 30 * second, text: "tcp")])
        #expect(timeline.lanes[0].intervals[1].why == "socket")
    }

    @Test func `has a lane for a worker to which nothing happened`() {
        let timeline = built {
            $0.present("a", .suspended, since: -5)
            $0.present("b", .active, since: 50 * second)
            $0.present("c", .active, since: 500 * second)
        }
        #expect(timeline.lanes.map(\.name) == ["a", "b", "c"])
        #expect(shape(timeline.lanes[0]) == ["suspended 0-100"])
        #expect(shape(timeline.lanes[1]) == ["active 50-100"])
        #expect(timeline.lanes[2].intervals.isEmpty)
    }

    @Test func `joins what is present to the change that led there`() {
        let timeline = built {
            $0.present("a", .active, since: 50 * second)
            $0.change("a", from: .inactive, to: .active, at: 49 * second, why: "socket")
        }
        #expect(shape(timeline.lanes[0]) == ["inactive 0-49", "active 49-100"])
        #expect(timeline.lanes[0].intervals.last?.why == "socket")
    }

    @Test func `keeps the order where the clock was set back`() {
        let timeline = built {
            $0.change("a", from: .background, to: .suspended, at: 40 * second, why: "")
            // Before that, by a clock that was fast.
            $0.change("a", from: .active, to: .background, at: 90 * second, why: "")
            $0.change("a", from: .notRunning, to: .active, at: 80 * second, why: "")
            $0.change("a", from: .active, to: .notRunning, at: 20 * second, why: "")
        }
        #expect(shape(timeline.lanes.first) == ["active 0-20", "notRunning 20-40", "suspended 40-100"])
        #expect(timeline.marks.map(\.text) == ["the clock was set back"])
    }

    @Test func `does not know what was between two boots`() {
        let timeline = built {
            $0.enter(boot: "2", at: 60 * second)
            $0.change("a", from: .notRunning, to: .active, at: 60 * second, why: "")
            $0.enter(boot: "1", at: 30 * second)
            $0.change("a", from: .active, to: .background, at: 20 * second, why: "")
        }
        #expect(shape(timeline.lanes.first) == ["active 0-20", "background 20-30", "active 60-100"])
        #expect(timeline.marks.map(\.text) == ["the machine was booted"])
    }

    @Test func `shows when memory was short`() {
        let timeline = built {
            $0.memory(nil, at: 80 * second)
            $0.memory(.critical, at: 70 * second)
            $0.memory(.warning, at: 60 * second)
        }
        #expect(
            timeline.pressure.map { "\($0.level) \($0.start / second)-\($0.end / second)" } == [
                "warning 60-70", "critical 70-80",
            ])
    }

    @Test func `is bounded, and the longest states stay`() {
        let timeline = built(
            {
                $0.change("a", from: .active, to: .suspended, at: 50 * second, why: "")
                for step in 1...200_000 {
                    let at = 50 * second - Int64(step) * 200
                    $0.change(
                        "a", from: step % 2 == 0 ? .background : .inactive,
                        to: step % 2 == 0 ? .inactive : .background, at: at, why: "")
                    $0.mark("a", .wake, at: at, "x")
                }
            }, limit: 500)
        let lane = timeline.lanes[0]
        #expect(lane.intervals.count + lane.marks.count <= 520)
        #expect(
            lane.intervals.last == .init(state: .suspended, start: 50 * second, end: 100 * second, why: ""))
        #expect(lane.marks.reduce(0) { $0 + $1.count } == 200_000)
        // Nothing is lost, and nothing overlaps.
        #expect(lane.intervals.first?.start == 0)
        for (one, next) in zip(lane.intervals, lane.intervals.dropFirst()) { #expect(one.end == next.start) }
        #expect(lane.intervals.reduce(0) { $0 + $1.folded } + lane.intervals.count == 200_002)
    }

    @Test func `has its columns filled by what lasted longest, and by the gravest mark`() {
        let timeline = built {
            $0.memory(.warning, at: 95 * second)
            $0.change("a", from: .active, to: .suspended, at: 46 * second, why: "")
            $0.mark("a", .crash, at: 12 * second, "x")
            $0.mark("a", .wake, at: 11 * second, "x")

        }
        let cells = TimelineCells(timeline, columns: 10)
        #expect(
            cells.lanes[0].map(\.state) == Array(repeating: .active, count: 5)
                + Array(repeating: .suspended, count: 5))
        #expect(cells.lanes[0].map(\.mark) == [nil, .crash] + Array(repeating: nil, count: 8))
        #expect(cells.pressure == Array(repeating: nil, count: 9) + [.warning])
        #expect(TimelineCells(timeline, columns: 0).lanes[0].count == 1)
    }
}

@Suite struct `Names` {
    @Test func `are ordered by the numbers in them`() {
        let names = ["a", "a10", "a2", "a@2", "b", "A", "a02", "", "a2b", "ä"]
        #expect(
            names.sorted { $0.precedes($1) } == ["", "A", "a", "a02", "a2", "a2b", "a10", "a@2", "b", "ä"])
        #expect(!"a2".precedes("a2"))
    }
}

@Suite struct `An axis` {
    @Test(
        arguments: [
            (
                Int64(0), 86_400 * second, 8,
                ["00:00", "06:00", "12:00", "18:00", "24:00"]
            ),
            (0, 10 * second, 5, ["00:00:00", "00:00:05", "00:00:10"]),
            (
                0, 400_000, 5,
                ["00:00:00.000", "00:00:00.100", "00:00:00.200", "00:00:00.300", "00:00:00.400"]
            ),
            (5 * second, 5 * second, 5, []),
            (0, 5, 0, []),
        ] as [(Int64, Int64, Int, [String])])
    func `has round times`(start: Int64, end: Int64, most: Int, labels: [String]) {
        #expect(Axis(from: start, to: end, most: most, .simulated).ticks.map(\.label) == labels)
    }

    @Test func `is round as clocks show it, and says where a day begins`() {
        // Two hours east, from 20:00 to 02:00 there.
        let start = 1_763_748_000 * second - 86_400 * second
        let east = Calendar(zones: [.init(from: 0, offset: 7200)])
        let ticks = Axis(from: start, to: start + 21_600 * second, most: 4, east).ticks
        #expect(ticks.map(\.label) == ["20:00", "22:00", "2025-11-21", "02:00"])
        #expect(ticks.map(\.isDay) == [false, false, true, false])
    }
}

@Suite struct `A picture` {
    private static let hostile = "a<b>\"'&\u{1b}[31m\u{202e}]]></script><script>alert(1)</script>"

    private var timeline: Timeline {
        var builder = TimelineBuilder(from: 0, to: 100 * second)
        builder.change(Self.hostile, from: .active, to: .suspended, at: 60 * second, why: Self.hostile)
        builder.mark(Self.hostile, .crash, at: 50 * second, Self.hostile)
        builder.mark(nil, .supervisor, at: 40 * second, Self.hostile)
        return builder.timeline(Self.hostile, utc)
    }

    @Test func `has nothing that its texts could bring in`() {
        for text in [TimelineSVG(timeline).rendered(), TimelinePage(timeline).rendered()] {
            #expect(!text.contains("alert(1)</script>"))
            #expect(!text.contains("<b>") && !text.contains("\u{1b}") && !text.contains("\u{202e}"))
            #expect(text.count { $0 == "\u{1b}" } == 0)
        }
        let page = TimelinePage(timeline).rendered()
        #expect(page.ranges(of: "</script>").count == 2)
        #expect(!page.contains("http:") || page.ranges(of: "http:").count == 1)
        #expect(!page.contains("https:") && !page.contains("src=\"") && !page.contains("@import"))
    }

    @Test func `is drawn to scale`() {
        var builder = TimelineBuilder(from: 0, to: 100 * second)
        builder.change("web", from: .active, to: .suspended, at: 50 * second, why: "idle")
        let svg = TimelineSVG(builder.timeline("t", .simulated)).rendered()
        #expect(
            svg.contains(
                """
                <rect x="88" y="99.1" width="584" height="15.8" class="active"><title>\
                active for 50s, from 00:00:00</title></rect>
                <rect x="672" y="102.6" width="584" height="8.8" class="suspended"><title>\
                suspended for 50s (idle), from 00:00:50</title></rect>
                """), "\(svg)")
        #expect(svg.contains("00:00:00 – 00:01:40 of virtual time · 1min 40s · 1 worker"))
        #expect(
            TimelineSVG(TimelineBuilder(from: 0, to: 1).timeline("t", .simulated)).rendered().contains(
                "No entries"))
    }

    @Test(
        arguments: [
            (0, "0"), (1.04, "1"), (1.05, "1.1"), (-0.5, "-0.5"), (-1.26, "-1.3"), (1e6, "1000000"),
        ] as [(Double, String)])
    func `has short numbers`(number: Double, text: String) {
        #expect(number.px == text)
    }

    @Test func `of a day of 200 workers is made within a second`() {
        let day = 86_400 * second
        let clock = ContinuousClock()
        let time = clock.measure {
            var builder = TimelineBuilder(from: 0, to: day)
            for step in 0..<40_000 {
                let at = day - Int64(step) * (day / 40_000)
                builder.change("worker-\(step % 200)", from: .active, to: .suspended, at: at, why: "idle")
            }
            let timeline = builder.timeline("t", utc)
            #expect(timeline.lanes.count == 200)
            #expect(TimelineSVG(timeline).rendered().utf8.count > 1000)
            #expect(TimelinePage(timeline).rendered().utf8.count > 1000)
            #expect(TimelineCells(timeline, columns: 200).lanes.count == 200)
        }
        print("a day of 200 workers with 40000 changes: \(time)")
        #expect(time < .seconds(5))
    }
}
